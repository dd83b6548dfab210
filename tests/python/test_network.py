# SPDX-License-Identifier: Apache-2.0
"""Networks: an ONNX model of two layers, written by hand."""
import numpy as np
import pytest

import samite

WEIGHTS = np.array([[1, -2], [3, 4], [-5, 6]], np.float32)
X = np.array([[1, 2, 3], [-1, 0, 2]], np.float32)
HIDDEN = np.maximum(X @ WEIGHTS, 0)


def field(number, value):
    """A field of a protocol buffer: an integer, or bytes."""
    def varint(n):
        return bytes([n & 127 | 128]) + varint(n >> 7) if n > 127 else bytes([n])
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value if isinstance(value, bytes) else value.encode()
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(kind, inputs, output):
    return field(1, b"".join(field(1, name) for name in inputs) + field(2, output) + field(3, f"node_{output}")
                 + field(4, kind))


def value(name, dims):
    shape = b"".join(field(1, field(1, d) if isinstance(d, int) else field(2, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def write_model(path):
    """relu(x @ WEIGHTS) + past, for any number of rows."""
    weights = field(1, 3) + field(1, 2) + field(2, 1) + field(8, "w") + field(9, WEIGHTS.tobytes())
    graph = (node("MatMul", ["x", "w"], "h") + node("Relu", ["h"], "r") + node("Add", ["r", "past"], "now")
             + field(5, weights) + field(11, value("x", ["rows", 3])) + field(11, value("past", ["rows", 2]))
             + field(12, value("now", ["rows", 2])))
    path.write_bytes(field(1, 7) + field(7, graph) + field(8, field(1, "") + field(2, 13)))
    return path


@pytest.fixture
def model(tmp_path):
    return write_model(tmp_path / "model.onnx")


def test_call(model):
    network = samite.Network(model)
    past = np.ones((2, 2), np.float32)
    assert np.array_equal(network(X, past), HIDDEN + 1)
    assert np.array_equal(network(X, past=past), HIDDEN + 1)
    assert np.array_equal(network(past=past[:1], x=X[:1]), HIDDEN[:1] + 1)  # another plan


def test_shapes(model):
    network = samite.Network(model, dims={"rows": 4})
    assert network.inputs == {"x": (np.float32, (4, 3)), "past": (np.float32, (4, 2))}
    assert network.outputs == {"now": (np.float32, (4, 2))}
    with pytest.raises(ValueError, match="rows=1"):
        samite.Network(model).inputs
    with pytest.raises(ValueError, match="no dimension 'lines'"):
        samite.Network(model, dims={"lines": 4}).inputs


def test_state(model):
    network = samite.Network(model, state={"past": "now"})
    for turn in range(1, 4):
        assert np.array_equal(network(X), turn * HIDDEN)


def test_values_and_cycles(model):
    past = np.zeros((2, 2), np.float32)
    host = samite.Network(model, keep=["r"], fused=False).run(X, past)
    assert list(host.outputs) == ["now", "r"]
    assert np.array_equal(host.outputs["r"], HIDDEN)
    system = samite.Network(model, machine="system", cycles="mem.dram_bytes=8", weights="window").run(X, past)
    assert np.array_equal(system.outputs["now"], HIDDEN)
    assert system.figures["cycles"] == sum(step["cycles"] for step in system.figures["steps"]) > 0
    assert "inferences per second" in system.report


def test_plan(model):
    assert "node_h + node_r + node_now" in samite.Network(model).plan(X, past=np.zeros((2, 2), np.float32))


def test_scalar(tmp_path):
    graph = (node("Neg", ["x"], "y") + field(11, value("x", [])) + field(12, value("y", [])))
    path = tmp_path / "scalar.onnx"
    path.write_bytes(field(1, 7) + field(7, graph) + field(8, field(1, "") + field(2, 13)))
    negative = samite.Network(path)(np.array(3, np.float32))
    assert negative.shape == () and negative == -3


def test_refusals(model, tmp_path):
    network = samite.Network(model)
    with pytest.raises(ValueError, match="expected 3"):
        network(X[:, :2], np.zeros((2, 2), np.float32))
    with pytest.raises(ValueError, match="'past' has no array"):
        network(X)
    with pytest.raises(ValueError, match="at most one for each input"):
        network(X, X, X)
    with pytest.raises(ValueError, match="no value 'z'"):
        samite.Network(model, keep=["z"])(X, X[:, :2])
    with pytest.raises(ValueError, match="machine="):
        samite.Network(model, machine="gpu")
    with pytest.raises(ValueError, match="weights="):
        samite.Network(model, weights="zip")
    with pytest.raises(ValueError, match="cycles"):
        samite.Network(model, cycles=True)
    with pytest.raises(OSError):
        samite.Network(tmp_path / "none.onnx")
