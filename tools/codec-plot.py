#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""codec-plot.py FILE.json > FILE.svg: the rows of `./dev bench compare_codecs --json FILE.json` as a chart, size
against the rate of loading, a panel for each element type. Where ZipNN was not installed, its size and its rate
relative to Huffman are those of docs/codec.md, and its dot is hollow."""
import json
import sys

COLOURS = ["#312e6e", "#d1344b", "#8a63b8", "#3f8fc0", "#d6aa28", "#2f8f6b", "#6b7686"]
STYLE = """<style>
text { font-family: sans-serif; font-size: 11.5px; fill: #454d59; } .x { text-anchor: middle; } .y { text-anchor: end; }
.t { font-size: 14px; font-weight: 600; fill: #1f2430; } .name { font-weight: 600; }
.bg { fill: #ffffff; } .grid { stroke: #eceef1; } .axis { stroke: #8a93a0; fill: none; }
</style>"""
ZIPNN = {"bf16": (68.9, 1865 / 3702), "f16": (85.5, 2034 / 3315), "f32": (84.0, 2401 / 3778)}
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 326, 300, 48, 34, 254


def read(path):
    """{type: {codec: {"size": %, "pack": MB/s, "load": MB/s}}} in the order of the file."""
    types = {}
    with open(path, encoding="utf-8") as file:
        for row in json.load(file):
            kind, codec, what = row["name"].split(", ")
            types.setdefault(kind, {}).setdefault(codec, {})[what] = row["value"]
    for kind, codecs in types.items():
        if "ZipNN" not in codecs and kind in ZIPNN and "Huffman" in codecs:
            size, speed = ZIPNN[kind]
            codecs["ZipNN"] = {"size": size, "load": speed * codecs["Huffman"]["load"], "elsewhere": 1}
    return types


def panel(kind, codecs, fastest, colours):
    """Points of one type; x: MB/s of loading, y: size."""
    right = WIDTH - 14
    out = [f'<text x="{LEFT}" y="20" class="t">{kind}: size, by rate of loading</text>',
           f'<text x="{(LEFT + right) / 2:.1f}" y="{BOTTOM + 34}" class="x name">MB/s loaded</text>']
    for size in range(60, 101, 10):
        y = BOTTOM - (size - 60) * (BOTTOM - TOP) / 40
        out.append(f'<path d="M{LEFT} {y:.1f}H{right}" class="grid"/>'
                   f'<text x="{LEFT - 6}" y="{y + 4:.1f}" class="y">{size} %</text>')
    for rate in range(0, fastest + 1, 1000):
        x = LEFT + rate * (right - LEFT) / fastest
        out.append(f'<text x="{x:.1f}" y="{BOTTOM + 16}" class="x">{rate}</text>')
    out.append(f'<path d="M{LEFT} {TOP}V{BOTTOM}H{right}" class="axis"/>')
    for codec, row in codecs.items():
        x = LEFT + row["load"] * (right - LEFT) / fastest
        y = BOTTOM - (row["size"] - 60) * (BOTTOM - TOP) / 40
        fill = f'"#ffffff" stroke="{colours[codec]}" stroke-width="2"' if "elsewhere" in row else f'"{colours[codec]}"'
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill={fill}/>'
                   f'<text x="{x:.1f}" y="{y + 19:.1f}" class="x name">{codec}</text>')
    return out


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: codec-plot.py FILE.json > FILE.svg")
    types = read(sys.argv[1])
    names = list(dict.fromkeys(codec for codecs in types.values() for codec in codecs))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    top = max(row["load"] for codecs in types.values() for row in codecs.values())
    fastest = (int(top) // 1000 + 1) * 1000
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * len(types)} {HEIGHT}" role="img" '
          'aria-labelledby="title">')
    print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
    print('<title id="title">Size of packed weights and rate of loading them into NumPy arrays</title>')
    print(STYLE)
    print(f'<rect class="bg" x="0" y="0" width="{WIDTH * len(types)}" height="{HEIGHT}"/>')
    for i, (kind, codecs) in enumerate(types.items()):
        print(f'<g transform="translate({i * WIDTH} 0)">')
        print("\n".join(panel(kind, codecs, fastest, colours)))
        print("</g>")
    print("</svg>")


if __name__ == "__main__":
    main()
