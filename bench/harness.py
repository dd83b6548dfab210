# SPDX-License-Identifier: Apache-2.0
"""The harness of benchmarks in Python: command line, table and JSON are those of bench/bench.h:
[--quick] [--json FILE] [--list] [--real FILE:TYPE...] [FILTER...]."""
import json
import sys
import time
from statistics import median

import numpy as np

ROUNDS = 5


class Bench:
    """Rows as bench/bench.c prints and writes them."""

    def __init__(self, title, words):
        self.quick = self.listing = False
        self.path, self.filters, self.rows, self.real = None, [], [], []
        while words:
            word = words.pop(0)
            if word == "--quick":
                self.quick = True
            elif word == "--list":
                self.listing = True
            elif word == "--json" and words:
                self.path = words.pop(0)
            elif word == "--real":  # FILE:TYPE...
                while words and ":" in words[0]:
                    path, _, kind = words.pop(0).rpartition(":")
                    self.real.append((path, kind))
            elif word.startswith("-"):
                raise SystemExit(f"bench: unknown option '{word}'")
            else:
                self.filters.append(word)
        self.unmatched = set(self.filters)
        if not self.listing:
            print("%-34s %12s  %-16s %12s %8s" % (title, "value", "unit", "reference", "ratio"))

    def wants(self, name):
        found = {word for word in self.filters if word in name}
        self.unmatched -= found
        return not self.filters or bool(found)

    def row(self, name, unit, measure, reference=None):
        """`measure` and `reference` give one figure each; they take turns, and the medians are shown."""
        if not self.wants(name):
            return
        if self.listing:
            print(name)
            return
        if not self.quick:  # the first ones warm up
            measure()
            if reference:
                reference()
        pairs = [(measure(), reference() if reference else 0.0) for _ in range(1 if self.quick else ROUNDS)]
        value, other = (median(column) for column in zip(*pairs))
        self._show(name, unit, value, other)

    def value(self, name, unit, value, reference=None):
        """A figure that was measured elsewhere."""
        if not self.wants(name):
            return
        if self.listing:
            print(name)
            return
        self._show(name, unit, value, reference)

    def _show(self, name, unit, value, other):
        ratio = value / other if other else None
        compared = " %12.4g %7.2fx" % (other, ratio) if other else ""
        print("%-34s %12.4g  %-16s%s" % (name, value, unit, compared), flush=True)
        self.rows.append({"name": name, "value": value, "unit": unit, "reference": other or None, "ratio": ratio})

    def close(self):
        if self.path:
            with open(self.path, "w", encoding="utf-8") as file:
                file.write("[\n" + ",\n".join("  " + json.dumps(row) for row in self.rows) + "\n]\n")
        for word in sorted(self.unmatched):
            print(f"bench: no row has '{word}' in its name (--list shows them)", file=sys.stderr)
        if self.unmatched:
            raise SystemExit(2)


def weights(kind, size):
    """Bits of normally distributed weights of type "bf16", "f16" or "f32", `size` bytes."""
    block = (np.random.default_rng(1).standard_normal(min(size, 32 << 20) // 2) * 0.02).astype("<f4")
    if kind == "f32":
        return np.resize(block.view("<u4"), size // 4)
    bits = block.astype("<f2").view("<u2") if kind == "f16" else (block.view("<u4") >> 16).astype("<u2")
    return np.resize(bits, size // 2)


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
