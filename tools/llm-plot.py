#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""llm-plot.py FILE.json > FILE.svg: what `build/kernels/llm --table FILE.json` measured as a chart: characters per
second against bytes per cycle of DRAM, a panel for each size of the L2, a line for each type and packing of weights."""
import json
import sys

DRAM = [1, 2, 4, 8, 16]
COLOURS = {"f16": "#312e6e", "bf16": "#d1344b", "e5m2": "#2f8f6b"}
DASHES = {"raw": "2 3", "Huffman": "", "window": "7 3"}
STYLE = """<style>
text { font-family: sans-serif; font-size: 11.5px; fill: #454d59; } .x { text-anchor: middle; } .y { text-anchor: end; }
.t { font-size: 14px; font-weight: 600; fill: #1f2430; } .name { font-weight: 600; }
.bg { fill: #ffffff; } .grid { stroke: #eceef1; } .axis { stroke: #8a93a0; fill: none; }
</style>"""
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 380, 330, 52, 34, 254


def panel(name, rows, most):
    """Lines of one size of the L2."""
    right = WIDTH - 20
    place = [LEFT + 12 + i * (right - LEFT - 24) / (len(DRAM) - 1) for i in range(len(DRAM))]
    out = [f'<text x="{LEFT}" y="20" class="t">L2 of {name}</text>',
           f'<text x="{(LEFT + right) / 2:.1f}" y="{BOTTOM + 34}" class="x name">bytes per cycle of DRAM</text>']
    for rate in range(0, most + 1, 2000):
        y = BOTTOM - rate * (BOTTOM - TOP) / most
        out.append(f'<path d="M{LEFT} {y:.1f}H{right}" class="grid"/>'
                   f'<text x="{LEFT - 6}" y="{y + 4:.1f}" class="y">{rate:,}</text>')
    out += [f'<text x="{x:.1f}" y="{BOTTOM + 17}" class="x">{width}</text>' for x, width in zip(place, DRAM)]
    out.append(f'<path d="M{LEFT} {TOP}V{BOTTOM}H{right}" class="axis"/>')
    for row in rows:
        height = [BOTTOM - 1e9 / cycles * (BOTTOM - TOP) / most for cycles in row["cycles"]]
        points = [f"{x:.1f} {y:.1f}" for x, y in zip(place, height)]
        dash = f' stroke-dasharray="{DASHES[row["packing"]]}"' if DASHES[row["packing"]] else ""
        out.append(f'<path d="M{" L".join(points)}" fill="none" stroke="{COLOURS[row["type"]]}" '
                   f'stroke-width="1.8"{dash}/>')
    return out


def legend():
    out, x = [], LEFT
    for name, colour in COLOURS.items():
        out.append(f'<path d="M{x} {HEIGHT - 14}h22" stroke="{colour}" stroke-width="3"/>'
                   f'<text x="{x + 28}" y="{HEIGHT - 10}">{name}</text>')
        x += 82
    for name, dash in DASHES.items():
        out.append(f'<path d="M{x} {HEIGHT - 14}h30" stroke="#454d59" stroke-width="1.8" stroke-dasharray="{dash}"/>'
                   f'<text x="{x + 36}" y="{HEIGHT - 10}">{name}</text>')
        x += 104
    return out


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)
    names = list(dict.fromkeys(row["l2"] for row in rows))
    fastest = max(1e9 / cycles for row in rows for cycles in row["cycles"])
    most = -(-int(fastest) // 2000) * 2000
    width = WIDTH * len(names)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}">\n'
          f'<title>Characters per second of a language model at 1 GHz</title>\n{STYLE}\n'
          f'<rect class="bg" width="{width}" height="{HEIGHT}"/>')
    for i, name in enumerate(names):
        print(f'<g transform="translate({i * WIDTH} 0)">')
        print("\n".join(panel(name, [row for row in rows if row["l2"] == name], most)))
        print("</g>")
    print("\n".join(legend()))
    print("</svg>")


if __name__ == "__main__":
    main()
