#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./dev bench [--real] compare_codecs: packing weights against what people use: ZipNN, zstd and lz4.

Of each element type: the size in per cent, and the rates of packing a file and of loading the packed file into a
NumPy array, in MB/s of unpacked bytes per second of CPU time, one thread, files in memory. The reference of a row
is that of Samite. Codecs that are not installed are left out. With --real: weights of published networks.
"""
import os
import sys
import tempfile
import time

import numpy as np

import samite
from harness import Bench, weights

WIDTHS = {"bf16": "<u2", "f16": "<u2", "f32": "<u4"}


def cpu_seconds(work, rounds):
    """The least of several runs: what other programs on the machine do adds to it."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def samite_codec(**options):
    """A layout of Samite's."""
    def make(kind):
        def pack(source, target):
            samite.pack(source, target, dtype=kind, threads=1, **options)

        def load(path):
            (array,) = samite.load_file(path, threads=1).values()
            return array

        return pack, load

    return make


def bytes_codec(compress, decompress):
    """A codec of the bytes of a file."""
    def make(kind):
        def pack(source, target):
            write(target, compress(kind, read(source)))

        def load(path):
            return np.frombuffer(decompress(kind, read(path)), WIDTHS[kind])

        return pack, load

    return make


def codecs():
    found = {"Huffman": samite_codec(), "window": samite_codec(window=True), "bit": samite_codec(bit_planes=True),
             "dense": samite_codec(dense=True)}
    try:
        from zipnn import ZipNN

        names = {"bf16": "bfloat16", "f16": "float16", "f32": "float32"}

        def zipnn(kind):
            return ZipNN(input_format="byte", bytearray_dtype=names[kind], threads=1)

        found["ZipNN"] = bytes_codec(lambda kind, data: zipnn(kind).compress(bytearray(data)),
                                     lambda kind, data: zipnn(kind).decompress(data))
    except ImportError:
        pass
    try:
        import zstandard

        found["zstd -3"] = bytes_codec(lambda kind, data: zstandard.ZstdCompressor(level=3).compress(data),
                                       lambda kind, data: zstandard.ZstdDecompressor().decompress(data))
    except ImportError:
        pass
    try:
        import lz4.frame

        found["lz4"] = bytes_codec(lambda kind, data: lz4.frame.compress(data),
                                   lambda kind, data: lz4.frame.decompress(data))
    except ImportError:
        pass
    return found


def measure(codec, files, folder, rounds):
    """Size in per cent, and MB/s of packing and of loading, over all files."""
    total = packed_size = packing = loading = 0.0
    for path, kind in files:
        pack, load = codec(kind)
        packed = os.path.join(folder, "packed")
        packing += cpu_seconds(lambda: pack(path, packed), rounds)
        loading += cpu_seconds(lambda: load(packed), rounds)
        if load(packed).tobytes() != read(path):
            raise SystemExit(f"bench: {path}: the codec has lost something")
        total += os.path.getsize(path)
        packed_size += os.path.getsize(packed)
    return 100 * packed_size / total, total / packing / 1e6, total / loading / 1e6


def main():
    bench = Bench("Codecs of weights", sys.argv[1:])
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        files = bench.real
        if not files:
            for kind in WIDTHS:
                path = os.path.join(folder, kind)
                weights(kind, 2 << 20 if bench.quick or bench.listing else 32 << 20).tofile(path)
                files.append((path, kind))
        for kind in WIDTHS:
            of = [row for row in files if row[1] == kind]
            first = None
            for name, codec in codecs().items() if of else ():
                labels = [f"{kind}, {name}, {what}" for what in ("size", "pack", "load")]
                if bench.listing or not any(bench.wants(label) for label in labels):
                    figures = (0.0, 0.0, 0.0)
                else:
                    figures = measure(codec, of, folder, 1 if bench.quick else 7)
                for i, label in enumerate(labels):
                    bench.value(label, "MB/s" if i else "%", figures[i], first[i] if first else None)
                first = first or figures
    bench.close()


if __name__ == "__main__":
    main()
