#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pipes-plot.py FILE.json CYCLES > FILE.svg: the first cycles of a tile program on the system, from the timeline of
`samite run --perfetto FILE.json`: a row for each track of its pipes, arrows for its events."""
import json
import sys

COLOURS = {"tload": "#c7d9f7", "tstore": "#fbd5c0", "vector": "#cdebd3", "matrix": "#e6d6f5"}
MEANINGS = {"tload": "load", "tstore": "store", "vector": "kernel on the GPU, or move", "matrix": "product"}
STYLE = """<style>
text { font-family: sans-serif; font-size: 11.5px; fill: #454d59; } .x { text-anchor: middle; }
.name { font-weight: 600; fill: #1f2430; } .in { text-anchor: middle; fill: #1f2430; } .small { font-size: 9.5px; }
.bg { fill: #ffffff; } .axis { stroke: #8a93a0; fill: none; }
.grid { stroke: #eceef1; } rect.s { stroke: #4a5568; stroke-width: .7; }
.event { stroke: #b4283c; fill: none; stroke-width: 1.2; marker-end: url(#a); }
</style>
<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">
<path d="M0 0 L8 4 L0 8 Z" fill="#b4283c"/></marker></defs>"""
WIDTH, LEFT, TOP, ROW, BAR, FOOT = 960, 70, 30, 44, 26, 64


def read(path):
    """The events of the tile program: names of tracks, slices, arrows as pairs of ends."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    titles = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    events = [e for e in events if titles.get(e["pid"]) == "tile program"]
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    ends = {}
    for event in events:
        if event["ph"] in "sf":
            ends.setdefault(event["id"], {})[event["ph"]] = event
    return tracks, [e for e in events if e["ph"] == "X"], [(e["s"], e["f"]) for e in ends.values()]


def step_of(cycles):
    """The least 1, 2 or 5 times a power of ten that divides the axis into at most ten parts."""
    return next(step for power in range(20) for step in (10 ** power, 2 * 10 ** power, 5 * 10 ** power)
                if cycles <= 10 * step)


def main():
    if len(sys.argv) != 3:
        raise SystemExit("usage: pipes-plot.py FILE.json CYCLES > FILE.svg")
    tracks, slices, arrows = read(sys.argv[1])
    cycles = int(sys.argv[2])
    slices = [s for s in slices if s["ts"] < cycles]
    used = sorted({s["tid"] for s in slices})
    row = {tid: TOP + i * ROW for i, tid in enumerate(used)}
    bottom = TOP + len(used) * ROW

    def x_of(cycle):
        return LEFT + min(cycle, cycles) * (WIDTH - LEFT - 20) / cycles

    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + FOOT}" role="img" '
          'aria-labelledby="title">')
    print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
    print('<title id="title">Operations of a tile program on the system, by pipe, over cycles</title>')
    print(STYLE)
    print(f'<rect class="bg" x="0" y="0" width="{WIDTH}" height="{bottom + FOOT}"/>')
    for cycle in range(0, cycles + 1, step_of(cycles)):
        print(f'<path d="M{x_of(cycle):.1f} {TOP - 6}V{bottom}" class="grid"/>'
              f'<text x="{x_of(cycle):.1f}" y="{bottom + 16}" class="x">{cycle}</text>')
    print(f'<path d="M{LEFT} {TOP - 6}V{bottom}H{WIDTH - 20}" class="axis"/><text x="6" y="{TOP - 12}">pipe</text>'
          f'<text x="{(LEFT + WIDTH - 20) / 2}" y="{bottom + 32}" class="x name">time (cycles)</text>')
    at = LEFT
    for kind in sorted({s["cat"] for s in slices}):
        print(f'<rect class="s" x="{at}" y="{bottom + 44}" width="10" height="10" fill="{COLOURS[kind]}"/>'
              f'<text x="{at + 16}" y="{bottom + 53}">{MEANINGS[kind]}</text>')
        at += 40 + 6.2 * len(MEANINGS[kind])
    print(f'<path class="event" d="M{at} {bottom + 49}H{at + 26}"/>'
          f'<text x="{at + 32}" y="{bottom + 53}">event: recorded, '
          'waited for</text><text x="{0}" y="{1}">tload 27: operation and line</text>'.format(at + 220, bottom + 53))
    for tid in used:
        print(f'<text x="6" y="{row[tid] + BAR / 2 + 4}" class="name">{tracks[tid]}</text>')
    for s in slices:
        left, right, top = x_of(s["ts"]), x_of(s["ts"] + s["dur"]), row[s["tid"]]
        print(f'<rect class="s" x="{left:.1f}" y="{top}" width="{max(right - left, 1):.1f}" height="{BAR}" rx="3" '
              f'fill="{COLOURS[s["cat"]]}"/>')
        small = " small" if len(s["name"]) * 6.2 > right - left else ""
        if len(s["name"]) * (5.1 if small else 6.2) <= right - left:
            print(f'<text x="{(left + right) / 2:.1f}" y="{top + BAR / 2 + 4}" class="in{small}">{s["name"]}</text>')
    for tail, head in arrows:
        if head["ts"] >= cycles:
            continue
        x, y = x_of(tail["ts"]), row[tail["tid"]] + BAR / 2
        to_x, to_y = x_of(head["ts"]), row[head["tid"]] + BAR / 2
        to_y += 0 if to_y == y else -BAR / 2 if to_y > y else BAR / 2
        y += 0 if to_y == y else BAR / 2 if to_y > y else -BAR / 2
        print(f'<path class="event" d="M{x:.1f} {y:.1f}C{x:.1f} {(y + to_y) / 2:.1f} {to_x:.1f} {(y + to_y) / 2:.1f} '
              f'{to_x:.1f} {to_y:.1f}"/>')
    print("</svg>")


if __name__ == "__main__":
    main()
