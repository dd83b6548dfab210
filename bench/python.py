#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./dev bench python: the Python package against the C library, and against NumPy's load of unpacked files.

The command line and the table are those of bench/bench.h: [--quick] [--json FILE] [--list] [FILTER...].
"""
import ctypes
import os
import sys
import tempfile

import numpy as np

import samite
from harness import Bench, seconds, weights
from samite import _abi as abi
from samite._library import check, lib, options


def library_read(path, out):
    """The tensor read by the C library alone: a function of no arguments."""
    data = np.memmap(path, np.uint8, "r")
    packed, error = ctypes.c_void_p(), abi.sam_error()
    codec = options(abi.sam_codec_options, threads=1)
    check(lib.sam_packed_open, data.ctypes.data, data.size, ctypes.byref(codec), ctypes.byref(packed))

    def read(_=data):
        if lib.sam_packed_read(packed, 0, 0, out.nbytes, out.ctypes.data, ctypes.byref(error)) != abi.SAM_OK:
            raise SystemExit(error.text.decode())

    return read


def make_files(folder, size):
    """Paths of an unpacked and of a packed file of `size` bytes of bf16."""
    raw, packed = os.path.join(folder, "w.npy"), os.path.join(folder, "w.smw")
    bits = weights("bf16", size)
    np.save(raw, bits)
    samite.save_file({"w": bits.reshape(-1, 4096)}, packed, dtypes={"w": "bf16"})
    return raw, packed


def reads(bench, packed, size):
    """Rates in GB/s of unpacked bytes, into memory that is there already."""
    count = size // 8192
    out = np.ones((count, 4096), "<u2")
    read = library_read(packed, out)

    def rate(work):
        return lambda: size / seconds(work) / 1e9

    with samite.open(packed, threads=1) as one, samite.open(packed) as every:
        part = one.get_slice("w")
        bench.row("get_tensor into an array", "GB/s", rate(lambda: one.get_tensor("w", out=out)), rate(read))
        bench.row("get_slice of all rows", "GB/s", rate(lambda: part.read(np.s_[:], out=out)), rate(read))
        bench.row("get_tensor, all threads", "GB/s", rate(lambda: every.get_tensor("w", out=out)), rate(read))
        some = np.s_[count // 16 * 5: count // 16 * 6]
        bench.row("get_slice of 1/16 of the rows", "GB/s",
                  lambda: size / 16 / seconds(lambda: part.read(some, out=out[some])) / 1e9)


def loads(bench, raw, packed, size):
    """Seconds from a file in the page cache to new arrays."""
    of = f"{size / (1 << 30):.3g} GiB bf16"
    for name, threads in ((f"load_file, {of}", None), (f"load_file, {of}, 1 thread", 1)):
        bench.row(name, "s", lambda: seconds(lambda: samite.load_file(packed, threads=threads)),
                  lambda: seconds(lambda: np.load(raw)))


def launches(bench):
    gpu = samite.Gpu(jobs=1)
    gpu.assemble(".globl end\nend: ret")
    bench.row("launch of an empty kernel", "us",
              lambda: seconds(lambda: [gpu.launch("end") for _ in range(100)]) / 100 * 1e6)


def main():
    bench = Bench("Python package", sys.argv[1:])
    size = (64 << 20) if bench.quick or bench.listing else 1 << 30
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        raw, packed = make_files(folder, size)
        reads(bench, packed, size)
        loads(bench, raw, packed, size)
    launches(bench)
    bench.close()


if __name__ == "__main__":
    main()
