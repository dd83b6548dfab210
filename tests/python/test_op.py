# SPDX-License-Identifier: Apache-2.0
"""samite.op against NumPy."""
import numpy as np
import pytest

import samite
from conftest import normal


@pytest.mark.parametrize("dtype", ["u1", "<f2", "<i4", "<f8"])
def test_operators_are_numpys(dtype):
    a = (np.arange(6 * 20 * 33) % 251).reshape(6, 20, 33).astype(dtype)
    assert np.array_equal(samite.op("transpose", a, perm=(2, 0, 1)).output, a.transpose(2, 0, 1))
    assert np.array_equal(samite.op("transpose", a).output, a.T)
    assert np.array_equal(samite.op("reshape", a, shape=(30, -1)).output, a.reshape(30, -1))
    assert np.array_equal(samite.op("concat", a, a[:2], axis=0).output, np.concatenate([a, a[:2]]))
    assert np.array_equal(samite.op("concat", a, a, axis=-1).output, np.concatenate([a, a], -1))
    keep = np.arange(20) % 3 == 0
    assert np.array_equal(samite.op("compress", a, mask=keep, axis=1).output, a[:, keep])
    padded = samite.op("pad", a, before=(1, 0, 2), after=(0, 3, 1), value=7).output
    assert np.array_equal(padded, np.pad(a, ((1, 0), (0, 3), (2, 1)), constant_values=7))
    assert padded.dtype == a.dtype


def test_im2col():
    a = normal((1, 8, 9, 4))
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(a[0], ((1, 1), (1, 1), (0, 0))), (3, 3), (0, 1))
    expected = windows.transpose(0, 1, 3, 4, 2).reshape(8 * 9, 36)
    assert np.array_equal(samite.op("im2col", a, kernel=3, pad=1).output, expected)
    nchw = samite.op("im2col", np.ascontiguousarray(a.transpose(0, 3, 1, 2)), kernel=(3, 3), pad=(1, 1, 1, 1),
                     layout="nchw").output
    assert np.array_equal(nchw[0], windows.transpose(2, 3, 4, 0, 1).reshape(36, 72))


def test_figures_plan_program_and_cycles():
    a = normal((56, 56, 64))
    result = samite.op("transpose", a, perm=(2, 0, 1), cycles=True)
    assert np.array_equal(result.output, a.transpose(2, 0, 1))
    assert result.figures["bytes_loaded"] >= result.figures["bound_loaded"] == a.nbytes
    assert "xpose" in result.program and result.plan
    cycles = result.cycles
    assert cycles.cycles == sum(cycles.issue.values()) and cycles.engines["load"]["bytes"] == a.nbytes
    slow = samite.op("transpose", a, perm=(2, 0, 1), cycles={"load_bytes": 4})
    assert slow.cycles.cycles > cycles.cycles and samite.op("transpose", a).cycles is None
    hart = samite.Hart()  # the program as it is given runs on a hart
    assert hart.load(samite.assemble(result.program, isa="tensor")).entry == 0x80000000


def packed(values):
    flat = np.append(values.reshape(-1), np.zeros(values.size % 2, "u1"))
    return flat[::2] | flat[1::2] << 4


@pytest.mark.parametrize("shape", [(6, 8), (5, 7), (4, 3)])
def test_elements_of_4_bits(shape):
    a = np.random.default_rng(3).integers(0, 16, shape, "u1")
    data = packed(a) if shape[-1] % 2 else packed(a).reshape(shape[0], -1)
    given = shape if shape[-1] % 2 else None
    for name, want, parameters in [("transpose", a.T, {}), ("reshape", a.reshape(-1), {"shape": a.size}),
                                   ("pad", np.pad(a, 1, constant_values=13), {"before": (1, 1), "value": -3})]:
        got = samite.op(name, data, dtype="i4", in_shape=given, **parameters).output
        assert got.dtype == np.uint8 and np.array_equal(got.reshape(-1), packed(want))
        assert got.shape == ((*want.shape[:-1], want.shape[-1] // 2) if want.shape[-1] % 2 == 0 else (got.size,))
    both = samite.op("concat", data, data, dtype="e2m1", in_shape=[shape, shape]).output
    assert np.array_equal(both.reshape(-1), packed(np.concatenate((a, a))))


@pytest.mark.parametrize("call, error", [
    (lambda a: samite.op("transpose", a, dtype="i4"), "uint8 array"),
    (lambda a: samite.op("transpose", a, dtype="i8"), "type of 4 bits"),
    (lambda a: samite.op("transpose", a, in_shape=(4, 6)), "requires dtype"),
    (lambda a: samite.op("transpose", a.view("u1"), dtype="i4", in_shape=(3, 3)), "has 5 bytes"),
    (lambda a: samite.op("pad", a.view("u1"), dtype="i4", before=(1, 1), value=8), "value=8"),
    (lambda a: samite.op("rotate", a), "no operator 'rotate'"),
    (lambda a: samite.op("transpose", a, perm=(0,)), "perm has 1 numbers: expected 2"),
    (lambda a: samite.op("transpose", a, perm=(0, 0)), "perm|twice|permutation"),
    (lambda a: samite.op("transpose", a, axes=(0, 1)), "axes"),
    (lambda a: samite.op("reshape", a), "shape"),
    (lambda a: samite.op("reshape", a, shape=(-1, -1)), "do not fit"),
    (lambda a: samite.op("reshape", a, shape=(5, 5)), "elements"),
    (lambda a: samite.op("concat"), "0 arrays"),
    (lambda a: samite.op("concat", a, a, axis=2), "axis 2"),
    (lambda a: samite.op("concat", a, a[0]), "different numbers of dimensions"),
    (lambda a: samite.op("concat", a, a.astype("f8")), "different dtypes"),
    (lambda a: samite.op("compress", a, mask=[1, 0]), "mask has shape"),
    (lambda a: samite.op("pad", a, before=(1, -1)), "out of range"),
    (lambda a: samite.op("pad", a, before=(1, 1), value=[1, 2]), "one element"),
    (lambda a: samite.op("im2col", a, kernel=(3, 3, 3)), "kernel has 3"),
    (lambda a: samite.op("im2col", a.reshape(1, 4, 6, 1), kernel=3, layout="x"), "layout"),
    (lambda a: samite.op("transpose", a.T), "not contiguous"),
    (lambda a: samite.op("transpose", a.astype(">f4")), "big-endian"),
    (lambda a: samite.op("transpose", [[1]]), "a list"),
    (lambda a: samite.op("transpose", a, a), "2 arrays: expected one"),
    (lambda a: samite.op("transpose", a, cycles="load_bites=3"), "load_bytes"),
])
def test_what_cannot_be(call, error):
    with pytest.raises(ValueError, match=error):
        call(normal((4, 6)))
