#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which decoder is enough for which memory: tokens per second of a layer and of a block of a transformer against
the bytes of buffers and tables in the weight unit, by bytes per cycle of DRAM.

    tools/decoder-plot.py BUILD [--table] >docs/system-decoder.svg

It makes the programs with BUILD/kernels, packs their weights as Huffman codes and as windows, and runs each under
all configurations with `samite sweep`. With --table, rows for docs/system.md instead of the picture.
"""
import csv
import io
import os
import subprocess
import sys
import tempfile

DRAM = [1, 2, 4, 8, 16]
COLOURS = ["#3f6fb5", "#2a9d8f", "#e0a030", "#d1603d", "#7a4fa3"]
# Decoders: layout, what is swept together.
DECODERS = [("Huffman", dict(streams=s, lines=64, outputs=16, tables=8, heads=4)) for s in (1, 2, 3, 5)] + [
    ("windows", dict(streams=1, lines=64, outputs=4, tables=0, heads=2)),
    ("windows", dict(streams=1, lines=64, outputs=16, tables=0, heads=16)),
    ("windows", dict(streams=1, lines=128, outputs=32, tables=0, heads=16))]
LINE, TABLE, HEAD = 64, 44 + 256, {"Huffman": 105, "windows": 258}


def size_of(layout, d):
    """Bytes: input and output buffer, tables kept and in the engines, heads kept."""
    engines = d["streams"] if layout == "Huffman" else 0
    return LINE * (d["lines"] + d["outputs"]) + TABLE * (d["tables"] + engines) + HEAD[layout] * d["heads"]


def sweep(build, program, options, settings):
    """Cycles by bytes per cycle of DRAM."""
    command = [build + "/samite", "sweep", program, "--machine", "system", "--columns", "cycles"] + options
    for name, value in settings.items():
        command += ["--config", "wu.%s=%s" % (name, value)]
    command += ["--config", "mem.dram_bytes=" + ",".join(map(str, DRAM))]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {int(row["mem.dram_bytes"]): int(row["cycles"]) for row in csv.DictReader(io.StringIO(out))}


def measure(build, program, options, weights, tokens):
    """Rows (layout, decoder, tokens per second by DRAM); the first is of raw weights."""
    rows = []
    for layout, d in [("raw", None)] + DECODERS:
        given = options + ["--weights", weights["windows" if layout == "windows" else "Huffman"]]
        cycles = sweep(build, program, given, d if d else {"raw": 1})
        rows.append((layout, d, {b: tokens * 1e9 / c for b, c in cycles.items()}))
    return rows


def layer(build, source, folder):
    """16 tokens through a layer of e5m2."""
    raw, weights = folder + "/layer.safetensors", {}
    subprocess.run([build + "/kernels/packed", "e5m2", "--depth", "2048", "--write", raw], check=True)
    for layout, planes in (("Huffman", "field"), ("windows", "window")):
        weights[layout] = "%s/layer.%s.smw" % (folder, layout)
        subprocess.run([build + "/samite", "pack", "-q", "--planes", planes, raw, "-o", weights[layout]], check=True)
    kernels = source + "/kernels/system/"
    return measure(build, kernels + "layer.s", ["--gpu-code", kernels + "gpu.s"], weights, 16)


def emitted(build, to, option):
    """The program of a block in a folder, and the options of `samite run` for it, without outputs."""
    os.mkdir(to)
    subprocess.run([build + "/kernels/block", "--sequence", "64", "--emit", to] + option, check=True,
                   stdout=subprocess.DEVNULL)
    with open(to + "/run", encoding="utf-8") as file:
        words = file.read().split("--gpu-code", 1)[1].replace("\\\n", " ").split()[1:]
    options = ["--gpu-code", to + "/gpu.s"]
    for name, value in zip(words[::2], words[1::2]):
        if name == "--weights":
            value = to + "/" + value
        if name != "--dump":
            options += [name, value.replace(":in", ":" + to + "/in")]
    return to + "/hart.s", options


def block(build, folder):
    """64 tokens through a block of a transformer."""
    programs = {layout: emitted(build, "%s/%s" % (folder, layout), option)
                for layout, option in (("raw", ["--raw"]), ("Huffman", []), ("windows", ["--window"]))}
    rows = []
    for layout, d in [("raw", None)] + DECODERS:
        cycles = sweep(build, *programs[layout], d if d else {})
        rows.append((layout, d, {b: 64 * 1e9 / c for b, c in cycles.items()}))
    return rows


def name_of(layout, d):
    if layout == "raw":
        return "raw weights"
    size = "%.1f KiB" % (size_of(layout, d) / 1024)
    engines = "%d engine%s" % (d["streams"], "" if d["streams"] == 1 else "s")
    return "%s, %s" % (layout if layout == "windows" else "Huffman, " + engines, size)


def show_table(title, rows):
    print("| %s | %s |" % (title, " | ".join(map(str, DRAM))))
    print("|---" * (len(DRAM) + 1) + "|")
    for layout, d, speed in rows:
        print("| %s | %s |" % (name_of(layout, d), " | ".join("%d" % speed[b] for b in DRAM)))
    print()


def panel(x0, title, rows):
    """A chart of 460 by 300: bytes of the decoder against tokens per second."""
    left, right, top, bottom = x0 + 62, x0 + 440, 44, 256
    most = max(max(speed.values()) for _, _, speed in rows) * 1.05

    def x(size):
        return left + (size - 4000) * (right - left) / (15500 - 4000)

    def y(speed):
        return bottom - speed * (bottom - top) / most

    print('<text x="%d" y="24" class="t">%s</text>' % (x0 + 14, title))
    for i in range(5):
        at = most * i / 4
        print('<path class="grid" d="M%d %.1fH%d"/><text class="y" x="%d" y="%.1f">%d</text>' %
              (left, y(at), right, left - 6, y(at) + 4, at))
    for kib in (4, 6, 8, 10, 12, 14):
        print('<text class="x" x="%.1f" y="%d">%d</text>' % (x(kib * 1024), bottom + 16, kib))
    print('<text class="x" x="%d" y="%d">KiB of buffers and tables in the decoder</text>' %
          ((left + right) // 2, bottom + 34))
    for b, colour in zip(DRAM, COLOURS):
        raw = rows[0][2][b]
        print('<path d="M%d %.1fH%d" stroke="%s" stroke-dasharray="3 3" opacity=".7"/>' %
              (left, y(raw), right, colour))
        for layout in ("Huffman", "windows"):
            points = sorted((size_of(layout, d), speed[b]) for kind, d, speed in rows[1:] if kind == layout)
            print('<polyline points="%s" stroke="%s"/>' %
                  (" ".join("%.1f,%.1f" % (x(s), y(v)) for s, v in points), colour))
            for s, v in points:
                shape = '<circle cx="%.1f" cy="%.1f" r="3.5"' if layout == "Huffman" else \
                    '<rect x="%.1f" y="%.1f" width="7" height="7"'
                shift = 0 if layout == "Huffman" else 3.5
                print((shape + ' fill="%s"><title>%s, %d bytes per cycle: %d tokens per second</title></%s>') %
                      (x(s) - shift, y(v) - shift, colour, layout, b, v, "circle" if not shift else "rect"))


def draw(charts):
    title = "Tokens per second at 1 GHz against the size of the decoder, by bytes per cycle of DRAM"
    width = 460 * len(charts) + 150
    print('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d 300" role="img" aria-labelledby="title">' % width)
    print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
    print('<title id="title">%s</title>\n<!-- Made by tools/decoder-plot.py. -->' % title)
    print("<style>text { font-family: sans-serif; font-size: 11.5px; fill: #454d59; } .x { text-anchor: middle; } "
          ".y { text-anchor: end; } .t { font-size: 14px; font-weight: 600; fill: #1f2430; } "
          ".grid { stroke: #eceef1; } polyline { fill: none; stroke-width: 1.6; opacity: .55; }</style>")
    print('<rect x="0" y="0" width="%d" height="300" fill="#ffffff"/>' % width)
    for i, (name, rows) in enumerate(charts):
        panel(460 * i, name, rows)
    at = 460 * len(charts) + 4
    for i, (b, colour) in enumerate(zip(DRAM, COLOURS)):
        print('<circle cx="%d" cy="%d" r="4" fill="%s"/><text x="%d" y="%d">%d byte%s per cycle</text>' %
              (at, 60 + 20 * i, colour, at + 10, 64 + 20 * i, b, "" if b == 1 else "s"))
    for i, text in enumerate(("circles: Huffman codes", "squares: windows", "dashes: raw weights")):
        print('<text x="%d" y="%d">%s</text>' % (at - 4, 180 + 18 * i, text))
    print("</svg>")


def main(build, table):
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with tempfile.TemporaryDirectory() as folder:
        charts = [("A layer, 16 tokens, e5m2", layer(build, source, folder)),
                  ("A block of a transformer, 64 tokens, bf16", block(build, folder))]
    if table:
        for name, rows in charts:
            show_table(name, rows)
    else:
        draw(charts)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--table"]):
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]), sys.argv[2:] == ["--table"])
