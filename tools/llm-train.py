#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""llm-train.py [options] FILE.safetensors: train the character model of examples/llm on the text that Debian's
packages bible-kjv and bible-kjv-text print, with torch (python3-torch), and write its weights as fp16.

    --steps N        steps of 16 sequences of 256 characters (1730)
    --seed N         of weights and order of the text (1)
    --state FILE     save the state every 100 steps, and go on from it if it is there
    --evaluate       train nothing: print bits per character of FILE, on every sixth held-out piece, also with its
                     matrices rounded to other types
    --onnx MODEL     train nothing: write one step of FILE with its cache as ONNX (opset 13)
    --text TEXT      train nothing: TEXT is what build/kernels/llm wrote; its last 200 characters must be those that
                     the same step in torch finds likeliest

The same seed and steps give the same bytes with the same versions of torch and of its BLAS (libopenblas0-pthread: with
the reference BLAS steps take twenty times as long)."""
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
import numpy  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

WIDTH, LAYERS, HEADS, HIDDEN, CONTEXT, ROOM = 128, 4, 4, 384, 256, 64
SIZE = WIDTH // HEADS
BATCH, PIECE, HELD_OUT, WARMUP = 16, 8192, 20, 100
# The rate of learning falls along lines: where each would be 0, and the steps that it takes from 1 to 0.
FALLS = ((2170, 868), (1730, 186))
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


# Bits of the mantissa and least exponent of types whose matrices are evaluated.
TYPES = {"f16": (10, -14), "bf16": (7, -126), "e4m3": (3, -6), "e5m2": (2, -14)}


def rounded(tensor, mantissa, least):
    """To nearest, ties to even."""
    exponent = torch.frexp(tensor)[1].clamp(min=least + 1) - 1 - mantissa
    return torch.ldexp(torch.round(torch.ldexp(tensor, -exponent)), exponent)


def evaluate_types(model, held, characters):
    for name, (mantissa, least) in TYPES.items():
        model_of = {k: t if k == "embed" else rounded(t, mantissa, least) for k, t in model.items()}
        print(f"{name}: {evaluate(model_of, held, characters):.6f} bits per held-out character", flush=True)


class Step(torch.nn.Module):
    """One character with a cache of CONTEXT positions: [LAYERS][HEADS][CONTEXT][SIZE] keys and values, and a mask that
    is 0 for positions with data and -infinity elsewhere; the last of them is that of this character. Outputs: logits,
    and the rows of keys and values to put into the cache, [LAYERS][HEADS][1][SIZE]."""

    def __init__(self, model):
        super().__init__()
        self.names = list(model)
        for name in self.names:
            self.register_buffer(name.replace(".", "_"), model[name])

    def forward(self, token, cosines, sines, keys, values, mask):
        model = {name: getattr(self, name.replace(".", "_")) for name in self.names}
        x, new_keys, new_values = model["embed"][token], [], []
        for layer in range(LAYERS):
            weight = {name: model[f"layers.{layer}.{name}"] for name in SHAPES}
            wide = (norm(x) @ weight["qkv"]).view(3 * HEADS, 1, SIZE)
            q, k = rotate(wide[:HEADS], cosines, sines), rotate(wide[HEADS:2 * HEADS], cosines, sines)
            v = wide[2 * HEADS:]
            scores = torch.cat([q @ keys[layer].transpose(-1, -2), q @ k.transpose(-1, -2)], -1) * SIZE ** -0.5 + mask
            shares = F.softmax(scores, -1)
            seen = shares[..., :CONTEXT] @ values[layer] + shares[..., CONTEXT:] @ v
            x = x + seen.reshape(1, WIDTH) @ weight["out"]
            gate, up = (norm(x) @ weight["gate_up"]).split(HIDDEN, -1)
            x = x + (gate * torch.sigmoid(gate) * up) @ weight["down"]
            new_keys.append(k)
            new_values.append(v)
        return norm(x) @ model["head"], torch.stack(new_keys), torch.stack(new_values)


def step_inputs():
    cache = torch.zeros(LAYERS, HEADS, CONTEXT, SIZE)
    mask = torch.full((CONTEXT + 1,), -math.inf)
    mask[CONTEXT] = 0
    return cache, cache.clone(), mask


def export(model, path):
    keys, values, mask = step_inputs()
    torch.onnx.export(Step(model), (torch.tensor([0]), *angles(0, 1), keys, values, mask), path, opset_version=13,
                      input_names=["token", "cosines", "sines", "keys", "values", "mask"],
                      output_names=["logits", "new_keys", "new_values"])
    print(f"{path}: one step, opset 13, {os.path.getsize(path)} bytes")


def compare(model, charset, text):
    """Feed the text of build/kernels/llm to the step, and compare the likeliest characters with what follows. It has
    the prompt first: characters that differ there do not count."""
    step, tokens = Step(model), [charset.index(c) for c in text]
    keys, values, mask = step_inputs()
    same = 0
    for position, token in enumerate(tokens[:-1][:CONTEXT]):
        with torch.no_grad():
            logits, new_keys, new_values = step(torch.tensor([token]), *angles(position, 1), keys, values, mask)
        keys[:, :, position], values[:, :, position], mask[position] = new_keys[:, :, 0], new_values[:, :, 0], 0
        same = same + 1 if logits[0, :len(charset)].argmax() == tokens[position + 1] else 0
    print(f"the last {same} characters are those of torch")
    return same


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
            fused = {"qkv": WIDTH, "gate_up": HIDDEN}.get(name.split(".")[-1], turn.shape[1])
            parts = turn.split(fused, 1)
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
    first = 0
    if options.state and os.path.exists(options.state):
        first, model, state = torch.load(options.state)[:3]
    for step in range(first, options.steps):
        rate = min(1, (step + 1) / WARMUP, *((end - step) / length for end, length in FALLS))
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
            torch.save((step + 1, model, state), options.state + ".new")
            os.replace(options.state + ".new", options.state)
        if step % 500 == 499:
            print(f"step {step + 1}: {evaluate(model, held[::4], characters):.4f} held out", flush=True)
    return model


def write(path, model, metadata):
    """The model as safetensors of fp16, the tensors in the order of their use."""
    header, data = {"__metadata__": metadata}, b""
    for name, tensor in model.items():
        stored = tensor.numpy().astype("<f2").tobytes()
        place = [len(data), len(data) + len(stored)]
        header[name] = {"dtype": "F16", "shape": list(tensor.shape), "data_offsets": place}
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
    parser.add_argument("--steps", type=int, default=FALLS[-1][0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state")
    parser.add_argument("--evaluate", action="store_true")
    parser.add_argument("--onnx")
    parser.add_argument("--text")
    options = parser.parse_args()
    torch.set_num_threads(THREADS)
    torch.use_deterministic_algorithms(True)
    if options.onnx or options.text:
        model, metadata = read(options.file)
        if options.onnx:
            export(model, options.onnx)
        sys.exit(0 if not options.text or compare(model, metadata["charset"], options.text) >= 200 else 1)
    text, charset = read_text()
    training, held = split(text, charset)
    if options.evaluate:
        evaluate_types(read(options.file)[0], held[::6], len(charset))
        return
    model = train(options, training, held, len(charset))
    bits = evaluate({name: t.half().float() for name, t in model.items()}, held, len(charset))
    write(options.file, model, {"charset": charset, "heads": str(HEADS), "context": str(CONTEXT),
                                "seed": str(options.seed), "steps": str(options.steps),
                                "bits_per_character": f"{bits:.4f}"})
    print(f"{options.file}: {bits:.4f} bits per held-out character")


if __name__ == "__main__":
    main()
