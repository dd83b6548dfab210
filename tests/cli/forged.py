#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints whose headers are well-formed and lie: tensors that overlap, leave the file or are
larger than memory. Each verb refuses them by name and leaves nothing behind; those with bytes that
belong to no tensor are accepted, and come back as they were."""
import json
import os
import struct

from cases import run, samite


def safetensors(tensors, body):
    header = json.dumps({name: {"dtype": "F32", "shape": shape, "data_offsets": list(offsets)}
                         for name, shape, *offsets in tensors}).encode()
    return struct.pack("<Q", len(header)) + header + body


def npy(shape, body):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + body


def gguf(tensors, body, alignment=None):
    text = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), alignment is not None)
    if alignment is not None:
        text += struct.pack("<Q", 17) + b"general.alignment" + struct.pack("<II", 4, alignment)
    for name, shape, offset in tensors:
        text += struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", len(shape))
        text += b"".join(struct.pack("<Q", n) for n in shape) + struct.pack("<IQ", 0, offset)
    return text + b"\0" * (-len(text) % 32) + body


BYTES = bytes(range(1, 161))
REFUSED = [
    ("overlap.safetensors", safetensors([("a", [4], 0, 16), ("b", [4], 8, 24)], BYTES[:24]),
     "overlaps"),
    ("same.safetensors", safetensors([("a", [4], 0, 16), ("b", [4], 0, 16)], BYTES[:16]),
     "overlaps"),
    ("within.safetensors", safetensors([("a", [8], 0, 32), ("b", [1], 8, 12)], BYTES[:32]),
     "overlaps"),
    ("past.safetensors", safetensors([("a", [4], 0, 16)], BYTES[:8]), "past the end of the file"),
    ("far.safetensors", safetensors([("a", [4], 2**62, 2**62 + 16)], BYTES[:16]),
     "past the end of the file"),
    ("wrap.safetensors", safetensors([("a", [2**62, 4], 0, 16)], BYTES[:16]), "does not match"),
    ("backwards.safetensors", safetensors([("a", [4], 16, 0)], BYTES[:16]),
     "invalid data_offsets"),
    ("overlap.gguf", gguf([("a", [32], 0), ("b", [32], 32)], BYTES), "overlaps"),
    ("past.gguf", gguf([("a", [32], 96)], BYTES), "past the end of the file"),
    ("far.gguf", gguf([("a", [32], 2**62)], BYTES), "past the end of the file"),
    ("wrap.gguf", gguf([("a", [2**32, 2**32], 0)], BYTES), "a shape that is too large"),
    ("alignment.gguf", gguf([("a", [32], 0)], BYTES, 0), "not a power of two"),
    ("past.npy", npy("(5,)", BYTES[:16]), "past the end of the file"),
    ("large.npy", npy(f"({2**62},)", BYTES[:16]), "the shape is too large"),
    ("wrap.npy", npy(f"({2**62}, 4)", BYTES[:16]), "the shape is too large"),
]
ACCEPTED = [
    ("gap.safetensors", safetensors([("a", [4], 8, 24)], BYTES[:24])),
    ("tail.safetensors", safetensors([("a", [4], 0, 16)], BYTES[:24])),
    ("gap.gguf", gguf([("a", [8], 64)], BYTES[:96])),
    ("tail.npy", npy("(4,)", BYTES[:24])),
]


def refuses(name, data, words):
    with open(name, "wb") as file:
        file.write(data)
    for verb in (["info"], ["stat"], ["pack", "-o", "packed"]):
        done = samite(verb[0], name, *verb[1:])
        assert done.returncode == 2 and words in done.stderr, f"{verb[0]}: {done.stderr}"
    assert not os.path.exists("packed")


def keeps(name, data):
    with open(name, "wb") as file:
        file.write(data)
    for words in (["info", name], ["stat", name], ["pack", name, "-o", "p.smw"],
                  ["verify", "p.smw"], ["unpack", "p.smw", "-o", "again"]):
        done = samite(*words)
        assert done.returncode == 0, f"{words[0]}: {done.stderr}"
    with open("again", "rb") as file:
        assert file.read() == data
    for file in ("p.smw", "again"):
        os.remove(file)


def main():
    cases = [(f"refuses {c[0]}", lambda c=c: refuses(*c)) for c in REFUSED]
    cases += [(f"keeps {c[0]}", lambda c=c: keeps(*c)) for c in ACCEPTED]
    run(cases)


main()
