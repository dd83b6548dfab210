#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints whose pickles and archives Python's own modules write, as torch.save does: what
samite reads of them, under every protocol. The names of PyTorch are stood in for."""
import argparse
import collections
import datetime
import enum
import io
import pickle
import struct
import sys
import types
import zipfile

from cases import run, samite

torch = types.ModuleType("torch")
utils = types.ModuleType("torch._utils")
torch._utils = utils
sys.modules.update({"torch": torch, "torch._utils": utils})


def stand_in(module, name):
    def function(*arguments):
        raise AssertionError(f"{name} was called")

    function.__module__, function.__qualname__ = module.__name__, name
    setattr(module, name, function)
    return function


rebuild_tensor = stand_in(utils, "_rebuild_tensor_v2")
rebuild_parameter = stand_in(utils, "_rebuild_parameter")
torch.FloatStorage = type("FloatStorage", (), {"__module__": "torch"})


class Storage:
    def __init__(self, key, count):
        self.id = ("storage", torch.FloatStorage, key, "cpu", count)


class Tensor:
    def __init__(self, storage, size, stride):
        self.arguments = (storage, 0, size, stride, False, collections.OrderedDict())

    def __reduce_ex__(self, protocol):
        return rebuild_tensor, self.arguments


class Parameter:
    def __init__(self, tensor):
        self.tensor = tensor

    def __reduce_ex__(self, protocol):
        return rebuild_parameter, (self.tensor, True, collections.OrderedDict())


class Calls:
    def __reduce__(self):
        return exec, ("raise SystemExit(9)",)


class Stage(enum.Enum):
    FIT = 1


class Layers(list):
    pass


class Settings(dict):
    pass


class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        return value.id if isinstance(value, Storage) else None


def save(path, value, protocol, method=zipfile.ZIP_STORED):
    text = io.BytesIO()
    Pickler(text, protocol=protocol).dump(value)
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("archive/data.pkl", text.getvalue())
        archive.writestr("archive/byteorder", "little")
        with archive.open(zipfile.ZipInfo("archive/data/0"), "w", force_zip64=True) as entry:
            entry.write(struct.pack("<6f", *range(6)))
        archive.writestr("archive/version", "3\n")


def reads(protocol):
    storage = Storage("0", 6)
    state = collections.OrderedDict()
    state["w"] = Tensor(storage, (2, 3), (3, 1))
    state["t"] = Parameter(Tensor(storage, (3, 2), (1, 3)))
    state._metadata = collections.OrderedDict([("", {"version": 1})])
    # Enough beside the tensors for every width of the memo and of numbers.
    save("m.pt", {"epoch": 70000, "rate": 0.1, "least": -5, "large": 2**40, "name": "x" * 300,
                  "model": state, "flags": [True, None, (1, 2, 3, 4), ()],
                  "many": {i: {f"k{i}": float(i)} for i in range(3000)}}, protocol)
    done = samite("convert", "-f", "m.pt", "-o", "m.safetensors")
    assert done.returncode == 0, done.stderr
    with open("m.safetensors", "rb") as file:
        data = file.read()
    assert b'"model.w"' in data and b'"model.t"' in data
    assert struct.unpack("<12f", data[-48:]) == (0, 1, 2, 3, 4, 5, 0, 3, 1, 4, 2, 5)


def passes_over(protocol):
    settings = Settings(rate=0.1, layers=Layers([1, 2]), stage=Stage.FIT)
    settings.frozen = True
    save("m.pt", {"arguments": argparse.Namespace(a=1, b=[None]), "settings": settings,
                  "callbacks": {Layers: {"best": Tensor(Storage("0", 6), (3,), (2,))}},
                  "time": datetime.datetime(2026, 1, 2), "random": 2**127, "least": -2**2000,
                  "bytes": b"\0\xff", "array": bytearray(300), "sets": [{1, 2}, frozenset("a")],
                  "keys": {(1, 2): "a", None: {0.5: [True]}, "x" * 5000: 1, "a\0b": {}},
                  "count": collections.Counter("aab"), "complex": 1j, "calls": Calls()}, protocol)
    done = samite("info", "m.pt")
    assert done.returncode == 0, done.stderr
    assert [line.split()[:3] for line in done.stdout.splitlines()[2:]] == [
        ["callbacks.Layers.best", "f32", "3"]], done.stdout


def refuses(value, words, **how):
    save("bad.pt", value, how.pop("protocol", 2), **how)
    done = samite("info", "bad.pt")
    assert done.returncode == 2 and words in done.stderr, done.stderr


def main():
    cases = [(f"protocol {p}", lambda p=p: reads(p)) for p in (2, 3, 4, 5)]
    cases += [(f"objects, protocol {p}", lambda p=p: passes_over(p)) for p in (2, 3, 4, 5)]
    cases += [(f"a call, protocol {p}", lambda p=p: refuses(
        {"x": Calls()}, "no tensors, but an object made by 'exec'", protocol=p)) for p in (2, 5)]
    inside = {"w": Tensor(Storage("0", 6), (6,), (1,))}
    for value, maker in ((Settings(inside), "Settings"), (argparse.Namespace(**inside), "Namespace"),
                         ([Stage.FIT, {"x": Settings(inside)}], "Settings"),
                         ({"w": Tensor(Storage("1", 6), (6,), (1,))}, None)):
        words = (f"a tensor inside an object made by '{maker}'" if maker
                 else "its storage is not in the archive")
        cases.append((words, lambda value=value, words=words: refuses(value, words)))
    # tensors that leave their storage, or are larger than it
    for size, stride, words in (((7,), (1,), "past the end of its storage"),
                                ((2, 3), (2**62, 1), "past the end of its storage"),
                                ((2**20, 2**20), (0, 0), "repeats its elements"),
                                ((2**62, 2**62), (1, 1), "a shape that is too large")):
        cases.append((f"a tensor of {size} by {stride}",
                      lambda size=size, stride=stride, words=words: refuses(
                          {"x": Tensor(Storage("0", 6), size, stride)}, words)))
    cases.append(("a storage past its entry", lambda: refuses(
        {"x": Tensor(Storage("0", 2**61), (6,), (1,))}, "has another size in the archive")))
    for key in ((1, 2), None, 0.5):
        cases.append((f"a tensor of the key {key}", lambda key=key: refuses(
            {"x": {key: [Tensor(Storage("0", 6), (6,), (1,))]}},
            "tensor 'x': a key below it is neither text nor a number")))
    cases.append(("compressed", lambda: refuses({}, "is compressed (deflate)",
                                                method=zipfile.ZIP_DEFLATED)))
    cases.append(("protocol 0", lambda: refuses({"a": 1}, "which is not read", protocol=0)))
    run(cases)


main()
