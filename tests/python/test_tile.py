# SPDX-License-Identifier: Apache-2.0
"""samite.tile: tile programs on arrays against NumPy."""
import numpy as np
import pytest

import samite
from conftest import KERNELS, normal

TILE = KERNELS / "tile"


def test_column_minimum():
    a = normal((16, 16))
    result = samite.tile(TILE / "tcolmin-flat.pto", {"src": a, "dst": samite.Out((1, 16))})
    assert np.array_equal(result.outputs["dst"][0], a.min(0))
    assert result.stats.by_op["tcolmin"] == (1, 256) and result.stats.tile_ops == 1 and result.warnings == ""
    assert set(result.stats.highest) == {"vec", "mat", "left", "right", "acc"}


def test_softmax_of_pointers():
    """Pointer arguments are read and written in place."""
    x, y = normal((16, 64), 1, 1), np.zeros((16, 64), "<f4")
    names = {"in": x, "out": samite.InOut(y)}
    result = samite.tile(TILE / "softmax.pto", names)
    e = np.exp(x.astype("f8") - x.max(1, keepdims=True))
    assert np.allclose(y, e / e.sum(1, keepdims=True), atol=1e-6)
    assert result.outputs["out"] is y and result.stats.loaded == x.nbytes and result.stats.stored == y.nbytes


def test_modes_of_nan():
    a = normal((16, 16))
    a[3, 5] = np.nan
    for nan, expected in (("number", np.nanmin(a[:, 5])), ("propagate", np.nan)):
        result = samite.tile(TILE / "tcolmin-flat.pto", src=a, dst=samite.Out((1, 16)), nan=nan)
        assert np.array_equal(result.outputs["dst"][0, 5], expected, equal_nan=True)


def test_order_of_sums():
    """Sums of reals depend on the order; those of small integers do not."""
    x, whole = normal((16, 64), 1, 1), (np.arange(16 * 64).reshape(16, 64) % 7).astype("<f4")
    program = ("%s = pto.trowsum %x : !pto.tile_buf<vec, 16x64xf32> -> "
               "!pto.tile_buf<vec, 16x8xf32, valid=16x1>\n")
    sums = {}
    for order in ("rising", "system"):
        done = samite.tile(program, text=True, x=x, s=samite.Out((16, 1)), sum_order=order)
        sums[order] = done.outputs["s"]
        done = samite.tile(program, text=True, x=whole, s=samite.Out((16, 1)), sum_order=order)
        assert np.array_equal(done.outputs["s"][:, 0], whole.sum(1))
    assert not np.array_equal(sums["rising"], sums["system"])


def test_text_with_an_error():
    with pytest.raises(samite.SourceError) as caught:
        samite.tile("%d = tcolmin %s : !pto.tile<vec, 16x16xf32>", text=True)
    assert "1:" in str(caught.value) and "^" in caught.value.messages
    with pytest.raises(samite.SourceError, match="without waiting"):
        samite.tile(TILE / "errors" / "missing_wait.pto")


def test_failure_at_run_time():
    with pytest.raises(samite.Trap, match=r"tcolmin reads src\[0,0\] before it is written") as caught:
        samite.tile(TILE / "tcolmin-dps.pto", dst=samite.Out((1, 16)))
    assert caught.value.machine == "tile" and caught.value.pc is None
    with pytest.raises(samite.Trap):
        samite.tile(TILE / "tcolmin-flat.pto", src=normal((16, 16)), max_ops=1)


@pytest.mark.parametrize("keywords, error", [
    ({"src": normal((16, 16)), "other": 1}, "unknown argument %other"),
    ({"src": normal((16, 15))}, "src|240|256"),
    ({"src": normal((16, 16)).T}, "not contiguous"),
    ({"src": normal((16, 16)).astype("<f8")}, "src|f64"),
    ({"src": "text"}, "is a str"),
    ({"profile": "a9"}, "profile"),
    ({"nan": "x"}, "nan='x': expected number, propagate, first"),
    ({"outside": "x"}, "outside"),
    ({"sum_order": "x"}, "sum_order"),
    ({"function": "f"}, "no function 'f'"),
])
def test_what_cannot_be(keywords, error):
    with pytest.raises(ValueError, match=error):
        samite.tile(TILE / "tcolmin-flat.pto", **keywords)


def test_unknown_argument_of_a_function():
    with pytest.raises(ValueError, match="no argument 'other': there are in, out"):
        samite.tile(TILE / "softmax.pto", other=1)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        samite.tile(tmp_path / "none.pto")
