#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of a long run: the stages of each of 200,000 instructions for Konata, a window of the
timeline, and the table of a sweep. Each is read as its viewer reads it."""
import csv
import json
import re

from cases import run, samite

PROGRAM = """
    .text
    .globl spin
spin:
    li      t0, 16600
.Lagain:
    vadd.vi v1, v1, 1
    addi    t0, t0, -1
    bnez    t0, .Lagain
    ret
"""
RUN = ("--kernel", "spin", "--grid", "2", "--block", "64", "-q")


def succeeds(*words):
    done = samite(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def figure(text, name):
    return int(re.search(rf"^ *{name} +(\d+)", text, re.M).group(1))


def konata():
    report = succeeds("run", "spin.s", *RUN, "--cycles", "--konata", "k.txt")
    instructions = figure(report, "instructions")
    assert instructions > 190000
    now, retired, seen, stage, last = 0, 0, 0, {}, {}
    with open("k.txt") as file:
        assert next(file) == "Kanata\t0004\n" and next(file) == "C=\t0\n"
        for line in file:
            command, *fields = line.rstrip("\n").split("\t")
            if command == "C":
                assert int(fields[0]) > 0, line
                now += int(fields[0])
                continue
            number = int(fields[0])
            if command == "I":
                assert number not in last, line
                seen += 1
                stage[number] = None
            elif command == "S":
                assert stage[number] is None and fields[1] == "0", line
                stage[number] = fields[2]
            elif command == "E":
                assert stage[number] == fields[2], line
                stage[number] = None
            elif command == "R":
                assert stage.pop(number) is None and fields[1] == fields[0], line
                retired += 1
            else:
                assert command == "L" and number in stage, line
            last[number] = now
    assert not stage and seen == retired == instructions, (seen, retired, instructions)
    assert now <= figure(report, "cycles")


def window():
    succeeds("run", "spin.s", *RUN, "--cycles", "--perfetto", "p.json", "--perfetto-from", "100000",
           "--perfetto-to", "100300")
    with open("p.json") as file:
        events = json.load(file)
    events = events["traceEvents"] if isinstance(events, dict) else events
    spans = [e for e in events if e["ph"] == "X"]
    assert len(spans) > 100
    assert all(e["ts"] <= 100300 and e["ts"] + e["dur"] >= 100000 for e in spans)
    ends = {}
    for e in sorted(spans, key=lambda e: e["ts"]):  # those of a track do not overlap
        track = e["pid"], e["tid"]
        assert e["ts"] >= ends.get(track, 0), e
        ends[track] = e["ts"] + e["dur"]


def table():
    succeeds("sweep", "spin.s", "--kernel", "spin", "--grid", "2", "--block", "64", "--config",
           "warps=4,8", "-o", "t.csv")
    with open("t.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 and not any(None in row or None in row.values() for row in rows)
    assert all(int(row["cycles"]) > 200000 for row in rows), rows


def main():
    run([(case.__name__, case) for case in (konata, window, table)], {"spin.s": PROGRAM})


main()
