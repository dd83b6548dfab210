#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A language model in ONNX continues a text on Samite's machines, character by character.

    tools/llm-train.py examples/llm/kjv.safetensors --onnx step.onnx     one step with its cache; needs torch
    examples/generate.py step.onnx "In the beginning"

The step takes a token, the cosines and sines of its position, the cache of keys and values, and a mask; it
gives logits and the new row of keys and values. With --machine system it runs on the system; --cycles adds the
cycles of a character. build/kernels/llm does the same with one tile program for the whole step, much faster.
"""
import argparse
import json
import pathlib
import struct
import sys

import numpy as np

import samite

BASE = 10000.0  # of rotary positions


def read_charset(path: pathlib.Path) -> str:
    """The characters of the tokens, from the metadata of the weights."""
    with path.open("rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    return header["__metadata__"]["charset"]


class Model:
    """The step with its cache."""

    def __init__(self, path: str, **options) -> None:
        self.network = samite.Network(path, **options)
        inputs = self.network.inputs
        self.keys, self.values = (np.zeros(inputs[name][1], np.float32) for name in ("keys", "values"))
        self.context = self.keys.shape[2]
        self.mask = np.full(self.context + 1, -np.inf, np.float32)
        self.mask[self.context] = 0
        half = inputs["cosines"][1][1]
        self.rates = BASE ** (-np.arange(half) / half)
        self.position, self.cycles = 0, 0

    def step(self, token: int) -> np.ndarray:
        """The logits of the character after `token`. The cache is a ring."""
        turns = (self.position * self.rates)[None]
        result = self.network.run(token=np.array([token]), cosines=np.cos(turns).astype(np.float32),
                                  sines=np.sin(turns).astype(np.float32), keys=self.keys, values=self.values,
                                  mask=self.mask)
        at = self.position % self.context
        self.keys[:, :, at] = result.outputs["new_keys"][:, :, 0]
        self.values[:, :, at] = result.outputs["new_values"][:, :, 0]
        self.mask[at] = 0
        self.position += 1
        self.cycles += result.figures.get("cycles", 0)
        return result.outputs["logits"][0]


def choose(logits: np.ndarray, temperature: float, random: np.random.Generator) -> int:
    """The likeliest token, or one drawn at random."""
    if temperature == 0:
        return int(logits.argmax())
    weights = np.exp((logits - logits.max()) / temperature)
    return int(random.choice(len(logits), p=weights / weights.sum()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", help="the ONNX model of a step")
    parser.add_argument("text", help="what comes before")
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--temperature", type=float, default=0.0, help="0: the likeliest character")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--machine", choices=["host", "system"], default="host")
    parser.add_argument("--cycles", action="store_true")
    parser.add_argument("--weights", choices=["raw", "huffman", "window"], default="raw", help="in DRAM")
    parser.add_argument("--charset", type=pathlib.Path, metavar="SAFETENSORS",
                        default=pathlib.Path(__file__).parent / "llm" / "kjv.safetensors")
    asked = parser.parse_args()
    charset = read_charset(asked.charset)
    unknown = [c for c in asked.text if c not in charset]
    if unknown or not asked.text:
        sys.exit(f"{unknown[0]!r} is no character of the model" if unknown else "the text is empty")
    model = Model(asked.step, machine="system" if asked.cycles else asked.machine, cycles=asked.cycles,
                  weights=asked.weights)
    random = np.random.default_rng(asked.seed)
    for character in asked.text:
        logits = model.step(charset.index(character))
    print(asked.text, end="")
    for _ in range(asked.tokens):
        token = choose(logits[: len(charset)], asked.temperature, random)
        print(charset[token], end="", flush=True)
        logits = model.step(token)
    print()
    if asked.cycles:
        print(f"{model.cycles / model.position:.0f} cycles per character, "
              f"{1e9 * model.position / model.cycles:.0f} characters per second at 1 GHz")


if __name__ == "__main__":
    main()
