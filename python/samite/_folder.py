# SPDX-License-Identifier: Apache-2.0
"""Models in several files: a folder of shards, packed or not, with the index that names them."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Optional

import numpy as np

from ._weights import Names, TensorSlice, WeightFile

_SUFFIXES = (".smw", ".safetensors")


def _read_index(path: Path) -> dict[str, str]:
    """The weight_map of an index: tensor -> file."""
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: not JSON: {error}") from None
    names = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(names, dict):
        raise ValueError(f"{path}: no weight_map")
    for shard in names.values():
        if not isinstance(shard, str) or not shard or shard[0] == "." or "/" in shard or "\\" in shard or "\0" in shard:
            raise ValueError(f"{path}: weight_map names a shard outside the folder: {shard!r}")
    return names


def _find_index(path: Path) -> Optional[Path]:
    if not path.is_dir():
        return path
    found = sorted(path.glob("*.index.json"))
    if len(found) > 1:
        raise ValueError(f"{path}: {len(found)} indices: expected one of {', '.join(p.name for p in found)}")
    return found[0] if found else None


def _shard(folder: Path, name: str) -> Path:
    """The file of a shard: packed where that exists."""
    for candidate in (folder / f"{name}.smw", folder / name):
        if candidate.exists():
            return candidate
    raise FileNotFoundError(f"{folder / name}: a shard that the index names is missing, packed and unpacked")


class WeightFolder(Names):
    """A sharded model that is open for reading, with the methods of one file. Made by samite.open_folder."""

    def __init__(self, path: Any, framework: str = "np", threads: Optional[int] = None) -> None:
        path = Path(os.fspath(path))
        index = _find_index(path)
        self.path = str(path)
        self._files: dict[str, WeightFile] = {}
        self._where: dict[str, WeightFile] = {}
        self._closed = False
        try:
            if index:
                self._open_index(index, framework, threads)
            else:
                self._open_all(path, framework, threads)
        except BaseException:
            self.close()
            raise

    def _open_index(self, index: Path, framework: str, threads: Optional[int]) -> None:
        for name, shard in _read_index(index).items():
            if shard not in self._files:
                self._files[shard] = WeightFile(_shard(index.parent, shard), framework, threads)
            file = self._files[shard]
            if name not in file:
                raise ValueError(f"{file.path}: no tensor {name!r}, which {index.name} says is there")
            self._where[name] = file

    def _open_all(self, folder: Path, framework: str, threads: Optional[int]) -> None:
        paths = [p for p in sorted(folder.iterdir()) if p.suffix in _SUFFIXES and p.is_file()]
        if not paths:
            raise FileNotFoundError(f"{folder}: no index, and no file called *.smw or *.safetensors")
        names = {p.name for p in paths}
        for path in paths:
            if f"{path.name}.smw" in names:
                continue  # the same file, unpacked
            file = self._files[path.name] = WeightFile(path, framework, threads)
            for name in file:
                if name in self._where:
                    raise ValueError(f"{path}: tensor {name!r} is in {self._where[name].path}, too")
                self._where[name] = file

    def __enter__(self) -> "WeightFolder":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close all files; arrays that were read stay valid."""
        self._closed = True
        for file in self._files.values():
            file.close()

    def _file(self, name: str) -> WeightFile:
        self.keys()
        try:
            return self._where[name]
        except KeyError:
            raise KeyError(f"{self.path}: no tensor {name!r}") from None

    def keys(self) -> list[str]:
        """The names of all tensors."""
        if self._closed:
            raise ValueError(f"{self.path}: the folder is closed")
        return list(self._where)

    def files(self) -> list[str]:
        """The paths of the shards."""
        return [file.path for file in self._files.values()]

    def shape(self, name: str) -> tuple[int, ...]:
        """As WeightFile.shape."""
        return self._file(name).shape(name)

    def dtype(self, name: str) -> str:
        """As WeightFile.dtype."""
        return self._file(name).dtype(name)

    def get_tensor(self, name: str, out: Optional[np.ndarray] = None) -> Any:
        """As WeightFile.get_tensor."""
        return self._file(name).get_tensor(name, out)

    def get_slice(self, name: str) -> TensorSlice:
        """As WeightFile.get_slice."""
        return self._file(name).get_slice(name)

    def load(self) -> dict[str, Any]:
        """All tensors, by name: a state dict."""
        names = self.keys()
        loaded: dict[str, Any] = {}
        for file in self._files.values():
            arrays = file.load()
            loaded.update((name, arrays[name]) for name in arrays if self._where.get(name) is file)
        return {name: loaded[name] for name in names}


def open_folder(path: Any, framework: str = "np", threads: Optional[int] = None) -> WeightFolder:
    """Open a sharded model: a folder, or its index (model.safetensors.index.json).

    A shard is taken packed (NAME.smw) where that exists, otherwise as the index names it. A folder without
    an index gives the tensors of all its .smw and .safetensors files.

    OSError: a file is missing or cannot be read; ValueError: a damaged file, an index that is none, names
    files outside the folder or tensors that are not there, or two files with one tensor.
    """
    return WeightFolder(path, framework, threads)


def load_folder(path: Any, framework: str = "np", threads: Optional[int] = None) -> dict[str, Any]:
    """All tensors of a sharded model, by name: a state dict. Arguments and errors are those of open_folder."""
    with WeightFolder(path, framework, threads) as folder:
        return folder.load()
