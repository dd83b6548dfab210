#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Charts of a page that `samite sweep --html` has written, side by side, as a picture for a document.

    tools/sweep-plot.py PAGE.html TITLE "CHART" "CHART" "PARAMETER=VALUE:LEGEND" "PARAMETER:UNIT" ... >PICTURE.svg

CHART is the name of a chart of the page: "cycles by mem.dram_bytes". The legend says what the values of the
parameter mean that colours the dots: "wu.raw=0:packed weights"; the unit is of the axis of the
parameter: "mem.dram_bytes:bytes per cycle". docs/system-packing.svg and docs/transformer.svg are
made with it; the documents that show them have the commands.
"""
import html
import re
import sys

STYLE = """<style>
text { font-family: sans-serif; font-size: 11.5px; fill: #454d59; }
.x { text-anchor: middle; } .y { text-anchor: end; } .name { font-weight: 600; }
.t { font-size: 14px; font-weight: 600; fill: #1f2430; }
.bg { fill: #ffffff; } .grid { stroke: #eceef1; } .axis { stroke: #8a93a0; fill: none; }
polyline { fill: none; stroke-width: 1.6; opacity: .55; }
circle { opacity: .9; } circle.best { stroke: #1f2430; stroke-width: 2.5; opacity: 1; }
</style>"""
WIDTH, HEIGHT = 490, 320


def chart_of(page, name):
    """What is in the chart, without its title."""
    found = re.search(r'<svg [^>]*aria-label="%s"[^>]*>(.*?)</svg>' % re.escape(html.escape(name)), page, re.S)
    if not found:
        names = re.findall(r'<svg viewBox[^>]*aria-label="([^"]*)"', page)
        sys.exit("sweep-plot.py: no chart '%s': the page has %s" % (name, ", ".join(names)))
    return re.sub(r"<title>%s</title>\s*" % re.escape(html.escape(name)), "", found.group(1), count=1).strip()


def colour_of(chart, setting):
    """The colour of the dots with a value of a parameter."""
    found = re.search(r'<circle [^>]*fill="([^"]*)"[^>]*><title>[^<]*\b%s\b' % re.escape(setting), chart)
    return found.group(1) if found else sys.exit("sweep-plot.py: no dot has %s" % setting)


def main(path, title, *rest):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    names = [word for word in rest if ":" not in word]
    charts = [chart_of(page, name) for name in names]
    for parameter, unit in (word.split(":", 1) for word in rest if ":" in word and "=" not in word):
        label = ">%s</text>" % html.escape(parameter)
        named = ">%s (%s)</text>" % (html.escape(parameter), html.escape(unit))
        charts = [chart.replace(label, named) for chart in charts]
    width = WIDTH * len(charts)
    print('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title">' %
          (width, HEIGHT))
    print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
    print('<title id="title">%s</title>' % html.escape(title))
    print("<!-- Charts of the page that samite sweep writes, put together by tools/sweep-plot.py. -->")
    print(STYLE)
    print('<rect class="bg" x="0" y="0" width="%d" height="%d"/>' % (width, HEIGHT))
    for i, (name, chart) in enumerate(zip(names, charts)):
        print('<text x="%d" y="20" class="t">%s</text>' % (16 + WIDTH * i, html.escape(name)))
        print('<g transform="translate(%d 24)">\n%s\n</g>' % (WIDTH * i, chart))
    legend = [word for word in rest if ":" in word and "=" in word]
    for i, word in enumerate(legend):
        setting, meaning = word.split(":", 1)
        at = 62 + 230 * i
        print('<rect x="%d" y="300" width="10" height="10" fill="%s"/><text x="%d" y="309">%s (%s)</text>' %
              (at, colour_of(charts[0], setting), at + 16, html.escape(meaning), html.escape(setting)))
    at = 62 + 230 * len(legend)
    if legend and any('class="best"' in chart for chart in charts):
        print('<circle class="best" cx="%d" cy="305" r="5" fill="none"/><text x="%d" y="309">the best run</text>' %
              (at + 5, at + 16))
    print("</svg>")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
