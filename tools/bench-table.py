#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Markdown table of `./dev bench --json FILE kernels` before and after a change: medians of several runs, which best
take turns. The ratios to the loop and to one worker are those after it."""
import argparse
import json
from statistics import median

KERNELS = ["kernel, size", "us per launch before", "after", "times", "M lane-insns/s", "of the loop's", "2 workers"]
PROGRAMS = ["program", "MIPS before", "after", "times", "of qemu's"]
LAUNCH, WORKERS = ", a launch", ", 2 workers"


def read(paths):
    """{name: (value, ratio)} of the rows that all files have; the ratio is None without a reference."""
    files = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            files.append({row["name"]: row for row in json.load(file)})
    rows = {}
    for name in files[0]:
        runs = [file[name] for file in files if name in file]
        if len(runs) == len(files):
            ratios = [row["ratio"] for row in runs if row["ratio"] is not None]
            rows[name] = median(row["value"] for row in runs), median(ratios) if ratios else None
    return rows


def figure(value):
    """Three significant digits, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def share(row):
    return f"{row[1]:.2f}" if row and row[1] else ""


def table(head, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in [head] + rows]
    lines.insert(1, "|---|" + "---:|" * (len(head) - 1))
    return "\n".join(lines)


def kernels(before, after):
    for name, (now, _) in after.items():
        kernel = name.removesuffix(LAUNCH)
        if kernel == name or name not in before:
            continue
        was, rate, workers = before[name][0], after.get(kernel), after.get(kernel + WORKERS)
        yield [f"`{kernel}`", figure(was), figure(now), f"{was / now:.2f}", figure(rate[0]) if rate else "",
               share(rate), share(workers)]


def programs(before, after):
    for name, row in after.items():
        if name.startswith("scalar, ") and ":" not in name and name in before:
            was, now = before[name][0], row[0]
            yield [f"`{name.removeprefix('scalar, ')}`", figure(was), figure(now), f"{now / was:.2f}", share(row)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--after", nargs="+", required=True, metavar="FILE")
    asked = parser.parse_args()
    try:
        before, after = read(asked.before), read(asked.after)
    except (OSError, ValueError, KeyError, TypeError) as error:
        parser.error(f"not rows of ./dev bench --json FILE: {error}")
    tables = [(KERNELS, list(kernels(before, after))), (PROGRAMS, list(programs(before, after)))]
    shown = [table(head, rows) for head, rows in tables if rows]
    if not shown:
        parser.error("no kernel is in all files: expected ./dev bench --json FILE kernels")
    print("\n\n".join(shown))


if __name__ == "__main__":
    main()
