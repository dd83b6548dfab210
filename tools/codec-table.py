#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""codec-table.py FILE.json...: the rows of `./dev bench --json FILE.json codec` and of `... compare_codecs`, as
docs/codec.md has them: medians of all files, with the least and the largest ratio if there are several."""
import json
import sys
from statistics import median


def read(paths):
    """{name: rows of all files}, in the order of the first."""
    rows = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for row in json.load(file):
                rows.setdefault(row["name"], []).append(row)
    return rows


def figure(value):
    """Three significant digits, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def ratios(rows):
    found = sorted(row["ratio"] for row in rows if row["ratio"])
    if not found:
        return ""
    spread = f" ({found[0]:.2f} to {found[-1]:.2f})" if len(found) > 1 else ""
    return f"{median(found):.2f}{spread}"


def compared(rows):
    """Rows of compare_codecs: size, packing and loading of a codec in one."""
    lines, codecs = ["| | | size | pack | load |", "|---|---|---|---|---|"], {}
    for name, found in rows.items():
        kind, codec, what = name.split(", ")
        codecs.setdefault((kind, codec), {})[what] = median(row["value"] for row in found)
    for (kind, codec), at in codecs.items():
        lines.append(f"| {kind} | {codec} | {at['size']:.1f} % | {at['pack']:.0f} | {at['load']:.0f} |")
    return lines


def measured(rows):
    lines = ["| | ours | unit | reference | ratio |", "|---|---|---|---|---|"]
    for name, found in rows.items():
        references = [row["reference"] for row in found if row["reference"]]
        reference = figure(median(references)) if references else ""
        value = figure(median(row["value"] for row in found))
        lines.append(f"| {name} | {value} | {found[0]['unit']} | {reference} | {ratios(found)} |")
    return lines


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    rows = read(sys.argv[1:])
    is_comparison = all(name.count(", ") == 2 and name.endswith((", size", ", pack", ", load")) for name in rows)
    print("\n".join(compared(rows) if is_comparison else measured(rows)))


if __name__ == "__main__":
    main()
