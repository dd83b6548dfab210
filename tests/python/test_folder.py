# SPDX-License-Identifier: Apache-2.0
"""Sharded models: with an index and without, packed by the command and by the package."""
import json

import numpy as np
import pytest

import samite
from conftest import bf16, normal, samite_command


@pytest.fixture
def shards(tmp_path):
    """Two shards with an index; what they hold."""
    tensors = {"a.weight": bf16((60, 40)), "a.bias": normal(40), "b.weight": bf16((40, 30), 2)}
    folder = tmp_path / "model"
    folder.mkdir()
    first, second = (f"model-{n:05}-of-00002.safetensors" for n in (1, 2))
    parts = {first: ["a.weight", "a.bias"], second: ["b.weight"]}
    for name, members in parts.items():
        dtypes = {m: "bf16" for m in members if m.endswith("weight")}
        samite.save_file({m: tensors[m] for m in members}, folder / name, dtypes=dtypes)
    index = {"metadata": {}, "weight_map": {m: name for name, members in parts.items() for m in members}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "config.json").write_text("{}")
    return folder, tensors


def same(loaded, tensors):
    return set(loaded) == set(tensors) and all(loaded[n].tobytes() == tensors[n].tobytes() for n in tensors)


def test_index_of_unpacked_shards(shards):
    folder, tensors = shards
    loaded = samite.load_folder(folder)
    assert same(loaded, tensors) and list(loaded) == ["a.weight", "a.bias", "b.weight"]
    assert same(samite.load_folder(folder / "model.safetensors.index.json"), tensors)


def test_folder_packed_by_the_command(shards, tmp_path):
    folder, tensors = shards
    samite_command("pack", folder, "-q", "-o", tmp_path / "packed")
    assert same(samite.load_folder(tmp_path / "packed"), tensors)
    with samite.open_folder(tmp_path / "packed") as f:
        assert all(path.endswith(".smw") for path in f.files()) and len(f) == 3 and "a.bias" in f
        assert f.shape("b.weight") == (40, 30) and f.dtype("b.weight") == "bf16"
        assert f.get_slice("b.weight")[3:5].tobytes() == tensors["b.weight"][3:5].tobytes()
        out = np.empty(40, "<f4")
        assert f.get_tensor("a.bias", out=out) is out and np.array_equal(out, tensors["a.bias"])
    with pytest.raises(ValueError, match="closed"):
        f.keys()


def test_folder_without_index(shards):
    folder, tensors = shards
    (folder / "model.safetensors.index.json").unlink()
    samite.pack(folder / "model-00001-of-00002.safetensors")  # beside the unpacked one: taken once
    assert same(samite.load_folder(folder), tensors)
    samite.save_file({"a.bias": normal(3)}, folder / "other.smw")
    with pytest.raises(ValueError, match="'a.bias' is in .*, too"):
        samite.load_folder(folder)


def test_missing_shard_and_tensor(shards):
    folder, _ = shards
    (folder / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match="model-00002-of-00002.safetensors: a shard"):
        samite.load_folder(folder)
    samite.save_file({"c": normal(2)}, folder / "model-00002-of-00002.safetensors")
    with pytest.raises(ValueError, match="no tensor 'b.weight', which model.safetensors.index.json says"):
        samite.load_folder(folder)


@pytest.mark.parametrize("text, error", [
    ("{", "not JSON"), ("[]", "no weight_map"), ('{"weight_map": []}', "no weight_map"),
    ('{"weight_map": {"a": "../x"}}', "outside the folder"), ('{"weight_map": {"a": "/etc/x"}}', "outside"),
    ('{"weight_map": {"a": 3}}', "outside"), ('{"weight_map": {"a": ""}}', "outside"),
    ('{"weight_map": {"a": ".x"}}', "outside"),
])
def test_hostile_index(tmp_path, text, error):
    (tmp_path / "m.index.json").write_text(text)
    with pytest.raises(ValueError, match=error):
        samite.load_folder(tmp_path)


def test_folders_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError, match="no index"):
        samite.load_folder(tmp_path)
    with pytest.raises(OSError):
        samite.load_folder(tmp_path / "none")
    for name in ("a.index.json", "b.index.json"):
        (tmp_path / name).write_text('{"weight_map": {}}')
    with pytest.raises(ValueError, match="2 indices"):
        samite.load_folder(tmp_path)


def test_torch_state_dict(shards):
    torch = pytest.importorskip("torch")
    state = samite.load_folder(shards[0], framework="pt")
    assert state["a.weight"].dtype == torch.bfloat16
    layer = torch.nn.Linear(40, 60).to(torch.bfloat16)
    layer.load_state_dict({"weight": state["a.weight"], "bias": torch.zeros(60, dtype=torch.bfloat16)})
