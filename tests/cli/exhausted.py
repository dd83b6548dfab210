#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory that runs out at the n-th allocation, and from there on: one line says so, or everything is as without.
SAMITE_SEED, SAMITE_CASES: which n of `samite cc` and how many (15)."""
import json
import os
import random
import re
import shutil
import struct
import sys

from cases import run, samite

KERNEL = """
__kernel void k(__global int *o, __global float *f) {
    int i = get_global_id(0), a[9];
    o[i] = ilogb(f[i]) + (int)pow(f[i], 2.5f);
    for (int j = 0; j < 9; j++) a[j] = i * j;
    o[i] += a[o[i] % 9]; printf("%d %f\\n", i, f[i]);
    switch (i) { case 1: o[i]++; break; case 9: o[i]--; }
    barrier(CLK_LOCAL_MEM_FENCE); while (o[i] > 3) o[i] /= 2;
}
"""
ADD = ".globl k\nk: lw t0, 0(a0)\nvid.v v1\nvsll.vi v1, v1, 2\nvadd.vx v1, v1, t0\nvsw12.v v1, 0(v1)\nendprg\n"
LIBRARY = os.path.abspath(sys.argv[1])
TILE = "// one\n\n// another\n%d = pto.tcolmin %s : !pto.tile<vec, 16x16xf32> -> !pto.tile<vec, 1x16xf32>\n"
HEADER = "{'descr': '<i4', 'fortran_order': False, 'shape': (64,), }".ljust(117) + "\n"


def attempt(words, output, said, **setting):
    if output and os.path.exists(output):
        os.remove(output)
    env = dict(os.environ, LD_PRELOAD=LIBRARY, ALLOCATIONS="count", **setting)
    done = samite(*words, env=env, input=said)
    data = None
    if output and os.path.exists(output):
        with open(output, "rb") as file:
            data = file.read()
    return done, data


def sweep(words, output=None, most=0, said=None):
    whole, data = attempt(words, output, said)
    assert whole.returncode == 0, whole.stderr
    with open("count") as file:
        numbers = range(1, int(file.read()) + 1)
    assert len(numbers) > 9, "no allocations are seen"
    seed = int(os.environ.get("SAMITE_SEED", "0"), 0) or random.randrange(1 << 32)
    if most:
        print(f"# SAMITE_SEED={seed:#x}")
        numbers = random.Random(seed).sample(numbers, min(most, len(numbers)))
    for n in numbers:
        for setting in ({}, {"FAILING_ALL": "1"}):
            done, found = attempt(words, output, said, FAILING=str(n), **setting)
            say = f"{words[0]}, allocation {n}{' on' if setting else ''}: {done.returncode} {done.stderr}"
            if done.returncode:
                assert done.returncode == 2 and done.stderr.count("\n") == 1, say
                assert re.search("out of memory|cannot write|allocate memory", done.stderr), say
            else:
                assert done.stdout == whole.stdout and found == data, say


def assembler():
    sweep(("asm", "k.s", "-o", "k.elf"), "k.elf")
    sweep(("asm", "k.s", "-o", "k2.elf"))
    sweep(("run", "k2.elf", "--jit", "off", "--kernel", "k", "--grid", "1", "--block", "32", "-q",
           "--arg", "out:u32:32:o.npy", "--sanitize=race,bounds"), "o.npy")


def included():
    with open("row.s", "w") as file:
        file.write("nop\n")
    with open("rows.s", "w") as file:
        file.write('.include "row.s"\n' * 17)
    sweep(("asm", "rows.s", "-o", "rows.elf"), "rows.elf")


def disassembler():
    samite("asm", "k.s", "-o", "k3.elf")
    sweep(("dis", "k3.elf"))


def weights():
    with open("a.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00\x76\x00" + HEADER.encode() + struct.pack("<64i", *range(64)))
    sweep(("pack", "a.npy", "-f", "-o", "a.smw"), "a.smw")
    samite("pack", "a.npy", "-f", "-o", "b.smw")
    sweep(("info", "b.smw"))
    sweep(("unpack", "b.smw", "-f", "-o", "b.npy"), "b.npy")


def tiles():
    sweep(("tile", "check", "t.pto"))
    sweep(("tile", "fmt", "t.pto"))


def editor():
    """An answer that cannot be made ends the server."""
    messages = [{"id": 1, "method": "initialize", "params": {}},
                {"method": "textDocument/didOpen",
                 "params": {"textDocument": {"uri": "file:///a.s", "text": "k: addd"}}},
                {"id": 2, "method": "textDocument/hover",
                 "params": {"textDocument": {"uri": "file:///a.s"}, "position": {"line": 0, "character": 4}}},
                {"id": 3, "method": "shutdown"}, {"method": "exit"}]
    said = "".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in map(json.dumps, messages))
    sweep(("lsp",), said=said)


def kernels():
    if not shutil.which(os.environ.get("SAMITE_CLANG", "clang")):
        return
    sweep(("cc", "--no-cache", "-g", "k.cl", "-o", "c.elf"), "c.elf", int(os.environ.get("SAMITE_CASES", "15")))


def compiler():
    """A clang that cannot be loaded, as with too little memory, is not called absent."""
    with open("clang.sh", "w") as file:
        file.write("#!/bin/sh\necho 'cannot map libLLVM' >&2\nexit 127\n")
    os.chmod("clang.sh", 0o755)
    done = samite("cc", "k.cl", "-o", "c.elf", env=dict(os.environ, SAMITE_CLANG="./clang.sh"))
    assert done.returncode == 2, done.returncode
    assert done.stderr == "samite: error: cannot run ./clang.sh: cannot map libLLVM\n", done.stderr


def main():
    cases = assembler, included, disassembler, weights, tiles, editor, kernels, compiler
    run([(case.__name__, case) for case in cases], {"k.cl": KERNEL, "k.s": ADD, "t.pto": TILE})


main()
