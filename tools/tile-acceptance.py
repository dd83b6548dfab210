#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of docs/tile-acceptance.md: operations and dtypes of the open specification, and which of them Samite has.

tools/tile-acceptance.py SPECIFICATION [--write]: a checkout of PTO-ISA/pto-spec. --write puts the table into the page.
"""
import argparse
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/tile-acceptance.md"
HEADING = "| operation | dtypes of the specification | of Samite | lacking |\n|---|---|---|---|\n"

# The specification's names of dtypes, in the order of the table, with those of tile programs.
DTYPES = {"FP64": "f64", "FP32": "f32", "TF32": "tf32", "HF32": "hf32", "FP16": "f16", "BF16": "bf16",
          "HiF8": "hif8", "E5M2": "e5m2", "E4M3": "e4m3", "E3M2": "e3m2", "E2M3": "e2m3", "E8M0": "e8m0",
          "S64": "i64", "U64": "ui64", "S32": "i32", "U32": "ui32", "S16": "i16", "U16": "ui16",
          "S8": "i8", "U8": "ui8", "E2M1X2": "e2m1", "E1M2X2": "e1m2"}
# Predicates of the specification's model, where an operation's own text names no dtypes.
MOVED = "TileMove24DataTypeSupported"
PREDICATES = {"TFILLPAD": "TileVecArithmeticDataTypeSupported", "TMATMUL": "TileOrdinaryMatrixInputTypeSupported",
              "TGEMV": "TileOrdinaryMatrixInputTypeSupported", "TMATMUL_MX": "TileMXInputTypeSupported",
              "TGEMV_MX": "TileMXInputTypeSupported", "TCONCAT": MOVED, "TEXTRACT": MOVED, "TINSERT": MOVED,
              "TTRANS": MOVED, "TMOV": MOVED, "TCVT": "TileTeplRawCarrierTypeSupported",
              "TLOAD": "TileTeplRawCarrierTypeSupported",
              "TSTORE": "TileTeplRawCarrierTypeSupported"}
FLOATS = ["f32", "f16", "bf16"]
WHOLE = ["i32", "ui32", "i16", "ui16", "i8", "ui8"]
LONG = ["i64", "ui64"]
PAIRS = ["e2m1", "e1m2"]
SHORT = ["f32", "tf32", "hf32", "f16", "bf16", "e5m2", "e4m3"]
SMALL = ["hif8", "e3m2", "e2m3"]
CLASSES = {"ORDER": FLOATS + WHOLE, "REAL": FLOATS, "WHOLE": WHOLE, "BITS": LONG + WHOLE,
           "SHORT": SHORT + SMALL + ["e8m0"] + WHOLE, "BASIC": ["f64"] + SHORT + LONG + WHOLE,
           "FACTOR": SHORT + SMALL + ["i16", "ui16", "i8", "ui8"] + PAIRS,
           "SCALED": ["f16", "bf16", "e5m2", "e4m3"] + PAIRS,
           "INDEXED": ["f64"] + SHORT + SMALL + ["e8m0"] + LONG + WHOLE}
CLASSES["ANY"] = CLASSES["INDEXED"] + PAIRS
CLASSES["CONVERTED"] = CLASSES["ANY"]
# Families whose shape function fixes the dtype of the first source.
FIRST = {"QUANT": ["f32"], "DEQUANT": ["i8", "ui8"], "HISTOGRAM": ["ui32", "ui16"]}
# Operations whose text leaves some out: those of pairs, those of 64 bits.
WITHOUT = {"TSCATTER": PAIRS, "MGATHER": PAIRS, "MGATHER_CAS": PAIRS, "MGATHER_MASK": PAIRS, "MSCATTER": PAIRS,
           "MSCATTER_MASK": PAIRS, "GMOV": ["f64"] + LONG, "TPREFETCH": ["f64"] + LONG}


def ours() -> dict[str, list[str]]:
    table = (ROOT / "src/tile/ops.def").read_text()
    rows = re.findall(r'^TILE_OP\((\w+), "\w+", "\w*", (\w+), \w+, (\w+),', table, re.M)
    found = {name: FIRST.get(family, CLASSES[kind]) for name, family, kind in rows}
    found["TPREFETCH"] = CLASSES["ANY"]
    return found


def listed(text: str) -> list[str]:
    """The dtypes of a list in a sentence."""
    words = re.findall(r"\w+", text)
    return [ours_name for name, ours_name in DTYPES.items() if name in words]


def of_predicate(specification: Path, name: str) -> list[str]:
    """The dtypes for which a predicate of the model is true."""
    for path in (specification / "asl/tile/model/legality").glob("*.asl"):
        body = re.search(rf"func {name}\(.*?\nend;", path.read_text(), re.S)
        if body:
            named = re.findall(r"TileDataType_(\w+)", body.group())
            unlike = "!=" in body.group()
            return [ours_name for theirs_name, ours_name in DTYPES.items() if (theirs_name in named) != unlike]
    raise SystemExit(f"no {name} in the specification")


def theirs(specification: Path) -> dict[str, list[str]]:
    found = {}
    for path in sorted((specification / "asl/tile").glob("*/*/*.asl")):
        entry = re.search(r"PTO-INSTRUCTION: (\{.*\})", path.read_text())
        if not entry:
            continue
        row = json.loads(entry.group(1))
        after = row["block"][0].partition(",")[2]
        dtypes = listed(after)
        for sentence in row["contract"]["legality"]:
            if dtypes:
                break
            match = re.search(r"(?:[Tt]ype|[Tt]ile|destination|same)[^.;]*? "
                              r"(?:is exactly|is one of|exactly one of|the same one of|one of) ([^.;]*)", sentence)
            match = match or re.search(r"(?:legal DataTypes are|accept exactly) ([^.;]*)", sentence)
            dtypes = listed(match.group(1)) if match else dtypes
        name = row["mnemonic"].replace(".", "_")
        predicate = PREDICATES.get(re.sub("_(ACC|BIAS)$", "", name))
        if not dtypes and name in WITHOUT:
            dtypes = [d for d in DTYPES.values() if d not in WITHOUT[name]]
        found[name] = dtypes or (of_predicate(specification, predicate) if predicate else [])
    return found


def table(specification: Path) -> str:
    samite = ours()
    lines = []
    missing = 0
    for name, dtypes in theirs(specification).items():
        have = samite.get(name)
        missing += have is None
        lacking = "the operation" if have is None else " ".join(d for d in dtypes if d not in have)
        lines.append(f"| `{name}` | {' '.join(dtypes)} | {' '.join(have or [])} | {lacking} |\n")
    lines.append(f"| {len(lines)} operations | | {len(lines) - missing} | {missing} |\n")
    return HEADING + "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specification", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    made = table(arguments.specification)
    if not arguments.write:
        print(made, end="")
        return
    before = PAGE.read_text().partition(HEADING)[0]
    PAGE.write_text(before + made)


if __name__ == "__main__":
    main()
