#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""llm-train.py [options] FILE.safetensors: train the character model of examples/llm on the text that Debian's
packages bible-kjv and bible-kjv-text print, with torch (python3-torch), and write its weights as fp16.

    --steps N        steps of 16 sequences of 256 characters (4000)
    --seed N         of weights and order of the text (1)
    --state FILE     save the state every 100 steps, and go on from it if it is there
    --evaluate       train nothing: print bits per character of FILE as it is, and rounded to each type

The same steps and seed give the same bytes with the same versions of torch and of its BLAS (libopenblas0-pthread: with
the reference BLAS steps take twenty times as long). The learning rate is constant up to 60 % of
the steps, then falls to 0; so a state of the constant part serves any larger number of steps."""
import argparse
import json
import math
import os
import re
import struct
import subprocess
import sys

THREADS = 2  # sums of another number of threads are rounded otherwise
os.environ["OPENBLAS_NUM_THREADS"] = str(THREADS)
import numpy
import torch
import torch.nn.functional as F

WIDTH, LAYERS, HEADS, HIDDEN, CONTEXT, ROOM = 128, 4, 4, 384, 256, 64
SIZE = WIDTH // HEADS
BATCH, PIECE, HELD_OUT, WARMUP, CONSTANT = 16, 8192, 20, 100, 0.6
EPS, BASE = 1e-5, 10000.0
SHAPES = {"qkv": (WIDTH, 3 * WIDTH), "out": (WIDTH, WIDTH), "gate_up": (WIDTH, 2 * HIDDEN), "down": (HIDDEN, WIDTH)}


def read_text():
    """The text, a verse per line, without the references before verses; its characters in order."""
    done = subprocess.run(["bible", "-f", "gen1:1-rev22:21"], stdout=subprocess.PIPE, check=True)
    text = re.sub(r"^\S+ ", "", done.stdout.decode("ascii"), flags=re.MULTILINE)
    return text, "".join(sorted(set(text)))


def split(text, charset):
    """Numbers of the characters: to train on, and held out: one piece of PIECE characters in HELD_OUT."""
    numbers = torch.tensor([charset.index(c) for c in text], dtype=torch.long)
    pieces = [numbers[i:i + PIECE] for i in range(0, len(numbers), PIECE)]
    held = [p for i, p in enumerate(pieces) if i % HELD_OUT == HELD_OUT - 1]
    return torch.cat([p for i, p in enumerate(pieces) if i % HELD_OUT != HELD_OUT - 1]), held


def make(seed):
    """Tensors by name, [in][out]. Norms have no factors: they would only multiply rows of what follows."""
    generator = torch.Generator().manual_seed(seed)
    model = {"embed": torch.randn(ROOM, WIDTH, generator=generator)}
    for layer in range(LAYERS):
        for name, (rows, columns) in SHAPES.items():
            scale = 0 if name in ("out", "down") else rows ** -0.5
            model[f"layers.{layer}.{name}"] = torch.randn(rows, columns, generator=generator) * scale
    model["head"] = torch.randn(WIDTH, ROOM, generator=generator) * 0.02
    return model


def norm(x):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + EPS)


def angles(first, count):
    """Cosines and sines of rotary positions, [count][SIZE / 2] each."""
    rates = BASE ** (-numpy.arange(SIZE // 2, dtype=numpy.float64) / (SIZE // 2))
    turns = numpy.arange(first, first + count, dtype=numpy.float64)[:, None] * rates
    return torch.tensor(numpy.cos(turns), dtype=torch.float32), torch.tensor(numpy.sin(turns), dtype=torch.float32)


def rotate(x, cosines, sines):
    """Element i of a head and element i + SIZE / 2 are one point of a plane."""
    a, b = x[..., :SIZE // 2], x[..., SIZE // 2:]
    return torch.cat([a * cosines - b * sines, b * cosines + a * sines], -1)


def forward(model, tokens):
    """Logits, [sequences][characters][ROOM]."""
    sequences, count = tokens.shape
    cosines, sines = angles(0, count)
    hidden = torch.full((count, count), -math.inf).triu(1)
    x = model["embed"][tokens]
    for layer in range(LAYERS):
        weight = {name: model[f"layers.{layer}.{name}"] for name in SHAPES}
        wide = (norm(x) @ weight["qkv"]).view(sequences, count, 3 * HEADS, SIZE).transpose(1, 2)
        q, k = rotate(wide[:, :HEADS], cosines, sines), rotate(wide[:, HEADS:2 * HEADS], cosines, sines)
        seen = F.softmax(q @ k.transpose(-1, -2) * SIZE ** -0.5 + hidden, -1) @ wide[:, 2 * HEADS:]
        x = x + seen.transpose(1, 2).reshape(sequences, count, WIDTH) @ weight["out"]
        gate, up = (norm(x) @ weight["gate_up"]).split(HIDDEN, -1)
        x = x + (gate * torch.sigmoid(gate) * up) @ weight["down"]
    return norm(x) @ model["head"]


def evaluate(model, held, characters):
    """Bits per held-out character, each with at least half a context before it but at the start of a piece."""
    total = count = 0
    with torch.no_grad():
        for piece in held:
            rows = [piece[i:i + CONTEXT + 1] for i in range(0, len(piece) - CONTEXT, CONTEXT // 2)]
            rows = torch.stack(rows)
            logits = forward(model, rows[:, :-1])[..., :characters]
            bits = F.cross_entropy(logits.reshape(-1, characters), rows[:, 1:].reshape(-1), reduction="none")
            bits = bits.view(len(rows), CONTEXT) / math.log(2)
            kept = torch.cat([bits[:1].reshape(-1), bits[1:, CONTEXT // 2:].reshape(-1)])
            total, count = total + kept.sum().item(), count + kept.numel()
    return total / count


def orthogonal(step):
    """The step with singular values of about 1: five iterations of Newton and Schulz."""
    x = step.t() if step.shape[0] > step.shape[1] else step
    x = x / (x.norm() + 1e-7)
    for _ in range(5):
        square = x @ x.t()
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x.t() if step.shape[0] > step.shape[1] else x


def update(model, gradients, state, step, rate):
    """Orthogonal steps for the matrices of the layers, those of Adam for the embedding and the head."""
    for name, gradient in gradients.items():
        weight, first = model[name], state[name]
        if name.startswith("layers."):
            first.mul_(0.95).add_(gradient, alpha=0.05)
            turn = gradient * 0.05 + first * 0.95
            parts = turn.split(WIDTH if name.endswith("qkv") else HIDDEN if name.endswith("gate_up") else turn.shape[1], 1)
            turn = torch.cat([orthogonal(p) * max(1, p.shape[1] / p.shape[0]) ** 0.5 for p in parts], 1)
            weight.mul_(1 - 0.1 * 0.02 * rate).add_(turn, alpha=-0.02 * rate)
        else:
            second = state[name + ".square"]
            first.lerp_(gradient, 0.1)
            second.lerp_(gradient * gradient, 0.02)
            turn = first / (1 - 0.9 ** step) / (torch.sqrt(second / (1 - 0.98 ** step)) + 1e-9)
            weight.add_(turn, alpha=-0.004 * rate)


def train(options, text, held, characters):
    model = make(options.seed)
    state = {name: torch.zeros_like(t) for name, t in model.items()}
    state.update({name + ".square": torch.zeros_like(model[name]) for name in ("embed", "head")})
    first, flat, steps = 0, int(CONSTANT * options.steps), options.steps
    if options.state and os.path.exists(options.state):
        first, model, state, steps = torch.load(options.state)
    if first > min(flat, int(CONSTANT * steps)) and steps != options.steps:
        sys.exit(f"llm-train.py: the state is of step {first} of {steps}: it is none of --steps {options.steps}")
    for step in range(first, options.steps):
        rate = min(1, (step + 1) / WARMUP, (options.steps - step) / (options.steps - flat))
        generator = torch.Generator().manual_seed(options.seed << 32 | step)
        starts = torch.randint(len(text) - CONTEXT, (BATCH,), generator=generator)
        rows = torch.stack([text[i:i + CONTEXT + 1] for i in starts.tolist()])
        leaves = {name: t.requires_grad_() for name, t in model.items()}
        logits = forward(leaves, rows[:, :-1])[..., :characters]
        loss = F.cross_entropy(logits.reshape(-1, characters), rows[:, 1:].reshape(-1))
        gradients = dict(zip(leaves, torch.autograd.grad(loss, list(leaves.values()))))
        model = {name: t.detach() for name, t in model.items()}
        update(model, gradients, state, step + 1, rate)
        if step % 50 == 49:
            print(f"step {step + 1}: {loss.item() / math.log(2):.4f} bits per character", flush=True)
        if options.state and step % 100 == 99:
            torch.save((step + 1, model, state, options.steps), options.state + ".new")
            os.replace(options.state + ".new", options.state)
        if step % 500 == 499:
            print(f"step {step + 1}: {evaluate(model, held[::4], characters):.4f} held out", flush=True)
    return model


def write(path, model, metadata):
    """The model as safetensors of fp16, the tensors in the order of their use."""
    header, data = {"__metadata__": metadata}, b""
    for name, tensor in model.items():
        stored = tensor.numpy().astype("<f2").tobytes()
        header[name] = {"dtype": "F16", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(stored)]}
        data += stored
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    """Tensors and metadata of such a file."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    metadata = header.pop("__metadata__")
    return {name: torch.tensor(numpy.frombuffer(data[slice(*t["data_offsets"])], "<f2").astype(numpy.float32)
                               .reshape(t["shape"])) for name, t in header.items()}, metadata


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("file")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state")
    options = parser.parse_args()
    torch.set_num_threads(THREADS)
    torch.use_deterministic_algorithms(True)
    text, charset = read_text()
    training, held = split(text, charset)
    model = train(options, training, held, len(charset))
    rounded = {name: t.half().float() for name, t in model.items()}
    bits = evaluate(rounded, held, len(charset))
    write(options.file, model, {"charset": charset, "heads": str(HEADS), "context": str(CONTEXT), "seed": str(options.seed),
                                "steps": str(options.steps), "bits_per_character": f"{bits:.4f}"})
    print(f"{options.file}: {bits:.4f} bits per held-out character")


if __name__ == "__main__":
    main()
