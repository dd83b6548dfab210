# SPDX-License-Identifier: Apache-2.0
"""save_file, pack, unpack and verify: what they write, what they refuse, and that nothing is half-written."""
import json
import os
import signal
import struct

import numpy as np
import pytest

import samite
from conftest import bf16, normal, samite_command


@pytest.fixture
def raw(model, tmp_path):
    path = tmp_path / "m.safetensors"
    samite.save_file(model[0], path, dtypes=model[1])
    return path


def names(folder):
    return sorted(os.listdir(folder))


def test_saved_safetensors_are_as_specified(model, raw):
    """Read with nothing but the format's description: length, JSON, data."""
    data = raw.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8: 8 + size])
    assert size % 8 == 0 and set(header) == set(model[0])
    end = 0
    for name, array in sorted(model[0].items(), key=lambda item: header[item[0]]["data_offsets"]):
        begin, stop = header[name]["data_offsets"]
        assert begin == end and header[name]["shape"] == list(array.shape)
        assert data[8 + size + begin: 8 + size + stop] == array.tobytes()
        assert begin % array.itemsize == 0
        end = stop
    assert len(data) == 8 + size + end
    assert header["embed"]["dtype"] == "BF16" and header["fp8"]["dtype"] == "F8_E4M3"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mode", [{}, {"dense": True}, {"bit_planes": True}, {"window": True}])
def test_pack_and_unpack(raw, tmp_path, threads, mode):
    calls = []
    report = samite.pack(raw, threads=threads, progress=lambda done, total: calls.append((done, total)), **mode)
    assert report.path == f"{raw}.smw" and report.size == raw.stat().st_size
    assert report.packed == os.path.getsize(report.path) < report.size and 0 < report.ratio < 1
    assert calls[0] == (0, report.size) and calls[-1] == (report.size, report.size)
    by_name = {t.name: t for t in report.tensors}
    assert by_name["embed"].dtype == "bf16" and by_name["embed"].coded >= 1 and by_name["embed"].ratio < 0.8
    samite.verify(report.path, threads=threads)
    assert samite.unpack(report.path, tmp_path / "back", threads=threads) == str(tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == raw.read_bytes()
    with samite.open(report.path) as f:
        assert f.stat("embed") == by_name["embed"]


def test_the_same_bytes_as_the_command(raw, tmp_path):
    samite_command("pack", raw, "-q", "-o", tmp_path / "c.smw")
    samite.pack(raw, tmp_path / "p.smw")
    assert (tmp_path / "c.smw").read_bytes() == (tmp_path / "p.smw").read_bytes()


def test_saving_packed_is_saving_and_packing(model, raw, tmp_path):
    samite.pack(raw, tmp_path / "a.smw")
    samite.save_file(model[0], tmp_path / "b.smw", dtypes=model[1])
    assert (tmp_path / "a.smw").read_bytes() == (tmp_path / "b.smw").read_bytes()


def test_raw_bytes_with_type_and_shape(tmp_path):
    array = bf16((90, 50))
    (tmp_path / "w.bin").write_bytes(array.tobytes())
    report = samite.pack(tmp_path / "w.bin", dtype="bf16", shape=(90, 50))
    assert report.tensors[0].shape == (90, 50) and report.tensors[0].dtype == "bf16"
    assert samite.pack(tmp_path / "w.bin", dtype="bf16").tensors[0].shape == (4500,)
    np.save(tmp_path / "w.npy", array)
    assert samite.pack(tmp_path / "w.npy", dtype="bf16").tensors[0].shape == (90, 50)
    for keywords, error in (({"dtype": "bf16", "shape": (90, 51)}, "has 9180"),
                            ({"shape": (9000,)}, "requires a dtype"),
                            ({"dtype": "f31"}, "unknown element type"),
                            ({"dtype": "bf16", "shape": (-1, 5)}, "invalid shape"),
                            ({"dtype": "f64", "shape": (1,) * 17}, "invalid shape")):
        with pytest.raises(ValueError, match=error):
            samite.pack(tmp_path / "w.bin", tmp_path / "x.smw", **keywords)
    assert "x.smw" not in names(tmp_path)


def test_refused_inputs_leave_nothing(raw, tmp_path):
    samite.pack(raw)
    before = names(tmp_path)
    data = raw.read_bytes()
    (tmp_path / "cut.safetensors").write_bytes(data[: len(data) // 2])
    for call, error, kind in (
            (lambda: samite.pack(tmp_path / "cut.safetensors"), "cut.safetensors: ", ValueError),
            (lambda: samite.pack(f"{raw}.smw"), "packed already", ValueError),
            (lambda: samite.pack(raw, raw), "the output is the input", ValueError),
            (lambda: samite.pack(raw, dtype="bf16"), "says what its tensors are", ValueError),
            (lambda: samite.unpack(raw, tmp_path / "y"), "m.safetensors: ", ValueError),
            (lambda: samite.unpack(raw), "no name for the output", ValueError),
            (lambda: samite.verify(raw), "m.safetensors: ", ValueError),
            (lambda: samite.pack(tmp_path / "none"), "No such file", FileNotFoundError),
            (lambda: samite.pack(raw, tmp_path / "no" / "x.smw"), "No such file", OSError),
            (lambda: samite.pack("a\0b"), "null byte", ValueError)):
        with pytest.raises(kind, match=error):
            call()
    assert names(tmp_path) == sorted([*before, "cut.safetensors"])


def test_damage_leaves_the_old_output(raw, tmp_path):
    packed = tmp_path / "m.smw"
    samite.pack(raw, packed)
    data = bytearray(packed.read_bytes())
    data[len(data) // 2] ^= 1
    packed.write_bytes(data)
    (tmp_path / "old").write_text("old")
    with pytest.raises(ValueError, match="m.smw: damaged"):
        samite.unpack(packed, tmp_path / "old")
    with pytest.raises(ValueError, match="m.smw: damaged"):
        samite.verify(packed)
    packed.write_bytes(data[:-100])
    with pytest.raises(ValueError, match="m.smw: "):
        samite.verify(packed)
    assert (tmp_path / "old").read_text() == "old"
    assert names(tmp_path) == ["m.safetensors", "m.smw", "old"]


@pytest.mark.parametrize("exception", [KeyboardInterrupt, RuntimeError])
def test_an_exception_in_progress_leaves_nothing(raw, tmp_path, exception):
    def progress(done, total):
        if done:
            raise exception("enough")

    samite.pack(raw, tmp_path / "m.smw")
    before = names(tmp_path)
    for call in (lambda: samite.pack(raw, tmp_path / "x", progress=progress),
                 lambda: samite.unpack(tmp_path / "m.smw", tmp_path / "x", progress=progress),
                 lambda: samite.save_file({"a": normal(99)}, tmp_path / "x", progress=progress),
                 lambda: samite.verify(tmp_path / "m.smw", progress=progress)):
        with pytest.raises(exception, match="enough"):
            call()
    assert names(tmp_path) == before


@pytest.mark.parametrize("exception", [KeyboardInterrupt, LookupError])
def test_signals_leave_nothing(raw, tmp_path, exception):
    """Ctrl-C, and a handler that raises; afterwards both are as before."""
    def handler(*_):
        raise exception

    before = signal.signal(signal.SIGINT, handler)
    try:
        for target in ("x.smw", "x.safetensors"):
            with pytest.raises(exception):
                samite.save_file({"a": normal(99)}, tmp_path / target,
                                 progress=lambda done, total: signal.raise_signal(signal.SIGINT))
        with pytest.raises(exception):
            samite.pack(raw, progress=lambda done, total: signal.raise_signal(signal.SIGINT))
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert names(tmp_path) == ["m.safetensors"]


@pytest.mark.parametrize("value, error", [
    (normal((4, 6)).T, r"tensor 't' is not contiguous \(strides"),
    (normal(9)[::2], "not contiguous"),
    (np.ma.masked_less(normal(9), 0), "masked: use numpy.ma.filled"),
    (normal(9).astype(">f4"), "big-endian"),
    (np.array(["a"]), "dtype <U1"),
    (np.array([1j]), "complex"),
    (np.array([None]), "object"),
    ([1, 2], "a list: expected a NumPy array"),
    (1.5, "a float"),
    (np.zeros((1,) * 17), "tensor 't' has 17 dimensions: expected at most 16"),
])
@pytest.mark.parametrize("name", ["x.smw", "x.safetensors"])
def test_arrays_that_cannot_be_stored(tmp_path, value, error, name):
    with pytest.raises(ValueError, match=error):
        samite.save_file({"good": normal(5), "t": value}, tmp_path / name)
    assert names(tmp_path) == []


@pytest.mark.parametrize("arguments, error", [
    (({"__metadata__": normal(2)},), "cannot be the name"),
    (({1: normal(2)},), "cannot be the name"),
    (({"a\0b": normal(2)},), "cannot be the name"),
    (({"a": normal(2)}, {"k": 1}), "metadata"),
])
def test_names_that_cannot_be(tmp_path, arguments, error):
    with pytest.raises(ValueError, match=error):
        samite.save_file(arguments[0], tmp_path / "x", *arguments[1:])
    assert names(tmp_path) == []


@pytest.mark.parametrize("dtypes, error", [({"b": "bf16"}, "names 'b'"), ({"a": "bf16"}, "32 bits: bf16 has 16"),
                                           ({"a": "tf32"}, "no type for tf32"), ({"a": "?"}, "unknown element type")])
def test_dtypes_that_cannot_be(tmp_path, dtypes, error):
    with pytest.raises(ValueError, match=error):
        samite.save_file({"a": normal(2)}, tmp_path / "x", dtypes=dtypes)


def test_no_tensors(tmp_path):
    samite.save_file({}, tmp_path / "m.smw")
    assert samite.load_file(tmp_path / "m.smw") == {}


def test_full_disk(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with pytest.raises(OSError, match="No space left|cannot write"):
        samite.save_file({"a": normal((300, 300))}, "/dev/full")
