# SPDX-License-Identifier: Apache-2.0
"""samite.open, load_file and slices, against NumPy's own indexing of the arrays that were saved."""
import itertools
import struct
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import samite
from conftest import bf16, normal, samite_command


@pytest.fixture
def file(model, tmp_path):
    path = tmp_path / "m.smw"
    samite.save_file(model[0], path, {"format": "pt"}, dtypes=model[1])
    return path


def bits(array):
    """The bytes of the elements in order, and the shape, whatever the type."""
    return np.asarray(array).tobytes(), np.asarray(array).shape


@pytest.mark.parametrize("threads", [1, 3, None])
def test_every_tensor_comes_back(model, file, threads):
    tensors, dtypes = model
    with samite.open(file, threads=threads) as f:
        assert sorted(f.keys()) == sorted(tensors) == sorted(f)
        assert f.packed and len(f) == len(tensors) and "embed" in f and "other" not in f
        assert f.metadata() == {"format": "pt"}
        for name, array in tensors.items():
            assert f.shape(name) == array.shape
            assert bits(f.get_tensor(name)) == bits(array), name
        assert (f.dtype("embed"), f.dtype("fp8"), f.dtype("half")) == ("bf16", "e4m3", "f16")
        loaded = f.load()
    assert {name: bits(array) for name, array in loaded.items()} == {n: bits(a) for n, a in tensors.items()}
    assert loaded["norm"].dtype == np.float32 and loaded["flags"].dtype == np.bool_
    assert loaded["norm"].flags.writeable


def test_an_unpacked_file_gives_the_same(model, tmp_path):
    tensors, dtypes = model
    raw = tmp_path / "m.safetensors"
    assert samite.save_file(tensors, raw, {"k": "v"}, dtypes=dtypes) == ()
    with samite.open(raw) as f:
        assert not f.packed and f.metadata() == {"k": "v"}
        assert {n: bits(f.get_tensor(n)) for n in f} == {n: bits(a) for n, a in tensors.items()}
        assert bits(f.get_slice("half")[1:3, ::-2, 5]) == bits(tensors["half"][1:3, ::-2, 5])
        with pytest.raises(ValueError, match="not a packed file"):
            f.stat("norm")


def test_npy_files_open(tmp_path):
    array = normal((3, 5))
    np.save(tmp_path / "a.npy", array)
    (name, loaded), = samite.load_file(tmp_path / "a.npy").items()
    assert bits(loaded) == bits(array)
    np.save(tmp_path / "f.npy", np.asfortranarray(array))
    with pytest.raises(ValueError, match="Fortran order"):
        samite.open(tmp_path / "f.npy")


INDICES = [0, -1, slice(None), slice(2, 4), slice(None, None, 2), slice(None, None, -1), slice(4, 0, -3), slice(3, 3)]


@pytest.mark.parametrize("first, second", itertools.product(INDICES, INDICES))
def test_slices_are_numpys(model, file, first, second):
    array = model[0]["half"]
    with samite.open(file, threads=1) as f:
        stored = f.get_slice("half")
        assert stored.get_shape() == [5, 40, 70] and stored.get_dtype() == "F16"
        for index in ((first,), (first, second), (first, second, slice(3, 50, 7)), (Ellipsis, second), (first, ..., 9)):
            assert bits(stored[index]) == bits(array[index]), index


@pytest.mark.parametrize("index", [np.s_[10:1400], np.s_[1499], np.s_[3:1499:400, 5:9], np.s_[:, 650],
                                   np.s_[::-1, 1:3], np.s_[1490:, ::-50], np.s_[-3:]])
@pytest.mark.parametrize("threads", [1, 2])
def test_slices_across_chunks(model, file, index, threads):
    with samite.open(file, threads=threads) as f:
        assert bits(f.get_slice("embed")[index]) == bits(model[0]["embed"][index])


def test_slices_of_large_rows(tmp_path):
    """A row is larger than what is read at a time."""
    array = bf16((3, 5 << 20))
    samite.save_file({"w": array}, tmp_path / "m.smw", dtypes={"w": "bf16"})
    with samite.open(tmp_path / "m.smw") as f:
        s = f.get_slice("w")
        assert bits(s[:, 100:200]) == bits(array[:, 100:200])
        assert bits(s[::-2, 5_000_000::3]) == bits(array[::-2, 5_000_000::3])


@pytest.mark.parametrize("index, error", [(np.s_[5], "index 5"), (np.s_[0, 0, 0, 0], "4 indices"),
                                          (np.s_[[1, 2]], "list"), (np.s_[..., ...], "ellipsis"),
                                          (np.s_[1.5], "float"), (np.s_[None], "NoneType"), (True, "bool"),
                                          (np.s_[0, np.True_, ...], "bool")])
def test_bad_indices(file, index, error):
    with samite.open(file) as f, pytest.raises(IndexError, match=error):
        f.get_slice("half")[index]


def test_decoding_into_memory_of_the_caller(model, file):
    embed = model[0]["embed"]
    with samite.open(file) as f:
        room = np.zeros((4, *embed.shape), "<u2")
        assert f.get_tensor("embed", out=room[2]) is not None
        assert bits(room[2]) == bits(embed) and not room[1].any() and not room[3].any()
        rows = np.zeros((5, 700), "<u2")
        assert f.get_slice("embed").read(np.s_[100:105], out=rows) is rows
        assert bits(rows) == bits(embed[100:105])


def unwritable(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("out, error", [
    (np.zeros((64, 33), "<u2"), "dtype <u2: tensor 'fp8' is e4m3"),
    (np.zeros((33, 64), "u1"), r"shape \(33, 64\): expected \(64, 33\)"),
    (np.zeros((64, 66), "u1")[:, ::2], "not contiguous"),
    (np.zeros((33, 64), "u1").T, "not contiguous"),
    (unwritable(np.zeros((64, 33), "u1")), "read-only"),
    ([[0] * 33] * 64, "list: expected a NumPy array"),
])
def test_outputs_that_cannot_be(file, out, error):
    with samite.open(file) as f, pytest.raises(ValueError, match=error):
        f.get_tensor("fp8", out=out)


def test_big_endian_output(file):
    with samite.open(file) as f, pytest.raises(ValueError, match="dtype >f4"):
        f.get_tensor("norm", out=np.zeros(700, ">f4"))


def test_closed_file(file):
    f = samite.open(file)
    part = f.get_slice("norm")
    array = f.get_tensor("norm")
    f.close()
    f.close()
    for call in (f.keys, f.load, lambda: f.get_tensor("norm"), lambda: part[0], lambda: f.shape("norm"), f.metadata,
                 f.__enter__, lambda: f.packed):
        with pytest.raises(ValueError, match="closed"):
            call()
    assert array.sum() == array.sum()


def test_missing_tensor_and_file(file, tmp_path):
    with samite.open(file) as f, pytest.raises(KeyError, match="no tensor 'x'"):
        f.get_tensor("x")
    with pytest.raises(FileNotFoundError):
        samite.open(tmp_path / "none.smw")
    with pytest.raises(OSError):
        samite.open(tmp_path)
    for content, error in ((b"", "empty"), (b"plain text, no weights", "neither packed")):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(ValueError, match=error):
            samite.open(tmp_path / "bad")


@pytest.mark.parametrize("keyword, value", [("threads", 0), ("threads", -1), ("threads", 1.5), ("threads", True),
                                            ("framework", "jax")])
def test_bad_options(file, keyword, value):
    with pytest.raises(ValueError, match=keyword):
        samite.open(file, **{keyword: value})


def test_damage_is_reported_with_the_library_s_line(file, tmp_path):
    data = bytearray(file.read_bytes())
    for at in (20, 100, len(data) // 2, len(data) - 30):
        damaged = bytearray(data)
        damaged[at] ^= 0x40
        (tmp_path / "d.smw").write_bytes(damaged)
        with pytest.raises(ValueError, match="d.smw: .*(damaged|header|file|sum)"):
            samite.load_file(tmp_path / "d.smw", threads=2)
    for size in (5, 40, 200, len(data) - 1):
        (tmp_path / "d.smw").write_bytes(data[:size])
        with pytest.raises(ValueError, match="d.smw: "):
            samite.load_file(tmp_path / "d.smw")


def test_threads_share_a_file(model, file):
    wrong = []
    with samite.open(file, threads=2) as f:

        def work(seed):
            random = np.random.default_rng(seed)
            for _ in range(20):
                a, b = sorted(random.integers(0, 1501, 2))
                if bits(f.get_slice("embed")[a:b]) != bits(model[0]["embed"][a:b]):
                    wrong.append((a, b))

        workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert not wrong


def test_packed_by_the_command(tmp_path):
    array = normal((70, 30))
    np.save(tmp_path / "w.npy", array)
    samite_command("convert", "w.npy", "-o", "m.safetensors", cwd=tmp_path)
    samite_command("pack", "m.safetensors", "-q", cwd=tmp_path)
    assert bits(samite.load_file(tmp_path / "m.safetensors.smw")["w"]) == bits(array)


def test_four_bit_elements(tmp_path):
    """Two per byte: the last dimension counts bytes, or all of it where rows do not end with a byte."""
    even, odd = np.arange(24, dtype="u1"), np.arange(6, dtype="u1")
    for name, data, shape, stored in (("even", even, (6, 8), (6, 4)), ("odd", odd, (4, 3), (6,))):
        (tmp_path / name).write_bytes(data.tobytes())
        samite.pack(tmp_path / name, dtype="e2m1", shape=shape)
        with samite.open(tmp_path / f"{name}.smw") as f:
            (tensor,) = f.keys()
            assert f.shape(tensor) == shape and f.dtype(tensor) == "e2m1"
            assert bits(f.get_tensor(tensor)) == (data.tobytes(), stored)
            assert bits(f.get_slice(tensor)[1:3]) == bits(data.reshape(stored)[1:3])


def test_small_tensors_share_tasks(tmp_path, monkeypatch):
    """One task per tensor would take longer than the reading: 2000 tensors of 1 KiB, in a few tasks."""
    tensors = {f"t{i}": normal((256,), i) for i in range(2000)}
    samite.save_file(tensors, tmp_path / "m.smw")
    tasks, submit = [], ThreadPoolExecutor.submit
    monkeypatch.setattr(ThreadPoolExecutor, "submit", lambda *a: tasks.append(a) or submit(*a))
    loaded = samite.load_file(tmp_path / "m.smw", threads=3)
    assert 3 < len(tasks) < 50
    assert all(bits(loaded[name]) == bits(array) for name, array in tensors.items())


def test_quantized_gguf_tensors(tmp_path):
    """Bytes, row by row: more (Q8_0) or fewer (Q4_K) than elements."""
    rng = np.random.default_rng(4)
    kinds = {"q8_0": (8, (6, 64), (6, 68)), "q4_k": (12, (3, 512), (3, 288)), "odd": (8, (4, 8), (34,))}
    data = {name: rng.integers(0, 256, stored, "u1") for name, (_, _, stored) in kinds.items()}
    header, body = struct.pack("<4sIQQ", b"GGUF", 3, len(kinds), 0), b""
    for name, (kind, shape, _) in kinds.items():
        header += struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I2Q", 2, *shape[::-1])
        header += struct.pack("<IQ", kind, len(body))
        body += data[name].tobytes()
        body += bytes(-len(body) % 32)
    (tmp_path / "m.gguf").write_bytes(header + bytes(-len(header) % 32) + body)
    samite.pack(tmp_path / "m.gguf")
    for path, threads in itertools.product((tmp_path / "m.gguf", tmp_path / "m.gguf.smw"), (1, 3)):
        with samite.open(path, threads=threads) as f:
            loaded = f.load()
            assert f.keys() == list(loaded) == list(kinds)  # without the padding between them
            for name, (_, shape, stored) in kinds.items():
                assert f.dtype(name) == "opaque" and f.shape(name) == shape
                assert f.get_slice(name).get_shape() == list(stored)
                assert bits(loaded[name]) == bits(f.get_tensor(name)) == bits(data[name])
                assert bits(f.get_slice(name)[1:3]) == bits(data[name][1:3])


# --- other frameworks


def test_torch(model, file):
    torch = pytest.importorskip("torch")
    tensors = model[0]
    with samite.open(file, framework="pt") as f:
        embed = f.get_tensor("embed")
        assert embed.dtype == torch.bfloat16 and tuple(embed.shape) == (1500, 700)
        wide = (tensors["embed"].astype("<u4") << 16).view("<f4")
        assert np.array_equal(embed.float().numpy(), wide)
        assert np.array_equal(f.get_slice("embed")[7:9, ::3].float().numpy(), wide[7:9, ::3])
        assert np.array_equal(f.get_tensor("half").numpy(), tensors["half"])
        assert f.get_tensor("flags").dtype == torch.bool and f.get_tensor("scalar").item() == 2.5
        if not hasattr(torch, "float8_e4m3fn"):
            with pytest.raises(ValueError, match="no type for e4m3"):
                f.get_tensor("fp8")


def test_saving_torch_tensors(tmp_path):
    torch = pytest.importorskip("torch")
    tensors = {"a": torch.randn(30, 20), "b": torch.randn(9, 4).to(torch.bfloat16), "c": torch.tensor([True, False])}
    samite.save_file(tensors, tmp_path / "m.smw")
    loaded = samite.load_file(tmp_path / "m.smw", framework="pt")
    for name, tensor in tensors.items():
        assert torch.equal(loaded[name], tensor) and loaded[name].dtype == tensor.dtype
    with pytest.raises(ValueError, match="'a' is not contiguous"):
        samite.save_file({"a": tensors["a"].T}, tmp_path / "n.smw")
    assert not (tmp_path / "n.smw").exists()


def test_ml_dtypes(model, file, tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    loaded = samite.load_file(file)
    assert loaded["embed"].dtype == ml_dtypes.bfloat16 and loaded["fp8"].dtype == ml_dtypes.float8_e4m3fn
    samite.save_file({name: loaded[name] for name in ("embed", "fp8")}, tmp_path / "n.smw")
    with samite.open(tmp_path / "n.smw") as f:
        assert (f.dtype("embed"), f.dtype("fp8")) == ("bf16", "e4m3")
        assert bits(f.get_tensor("embed")) == bits(model[0]["embed"])
