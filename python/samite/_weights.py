# SPDX-License-Identifier: Apache-2.0
"""Weights as arrays: packed files and safetensors, one tensor or a slice of it at a time."""
from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Iterator, Optional

import numpy as np

from . import _dtypes, _slices
from ._mapping import Tensor, open_source
from ._signals import held_signals

# Elements that are decoded together: parts of a tensor that begin at multiples of it are decoded once.
_GRAIN = 1 << 20
# Bytes that a thread reads per task: small tensors, which take less time than a task, are read together.
_BATCH = 1 << 18


def thread_count(threads: Optional[int], name: str = "threads") -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise ValueError(f"{name}={threads!r}: expected a number of at least 1, or None")
    return threads


@dataclass(frozen=True)
class TensorStat:
    """How a tensor is stored: `size` and `packed` in bytes, `bits` per element as packed; `planes` of its
    layout, of which `coded` are entropy coded."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    size: int
    packed: int
    layout: str
    planes: int
    coded: int

    @property
    def ratio(self) -> float:
        return self.packed / self.size if self.size else 1.0


class TensorSlice:
    """A tensor that is read by slices: `s[2:5, ::2]` gives an array, or a torch tensor."""

    def __init__(self, file: "WeightFile", tensor: Tensor) -> None:
        self._file, self._tensor = file, tensor
        self._shape = tensor.stored_shape

    def get_shape(self) -> list[int]:
        """The shape of the array: of 4-bit and opaque elements, in bytes."""
        return list(self._shape)

    def get_dtype(self) -> str:
        """The element type as in safetensors files ("BF16"), or Samite's name where these have none."""
        return self._tensor.element.safetensors or self._tensor.element.name

    def __getitem__(self, index: Any) -> Any:
        return self.read(index)

    def read(self, index: Any, out: Optional[np.ndarray] = None) -> Any:
        """The slice `index` (integers, slices and `...`, as in NumPy), decoded into `out` or into a new array.

        A range of the first dimensions is decoded in place, without a copy; of other slices a few MiB are
        decoded at a time. `out` is a contiguous writable array of the slice's shape and of the tensor's
        dtype, or of the unsigned integers of its width; IndexError and ValueError say what is wrong.
        """
        axes, shape = _slices.parse(index, self._shape)
        return self._file._fill(self._tensor, axes, shape, out)


def _batches(parts: list[tuple[Tensor, int, int, int]]) -> list[list[tuple[Tensor, int, int, int]]]:
    batches: list[list[tuple[Tensor, int, int, int]]] = []
    room = 0
    for part in parts:
        if room <= 0:
            batches.append([])
            room = _BATCH
        batches[-1].append(part)
        room -= part[2]
    return batches


class Names:
    """Iteration over the names in keys()."""

    def keys(self) -> list[str]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()


class WeightFile(Names):
    """A file of weights that is open for reading: packed (.smw), safetensors, gguf or npy.

    Made by samite.open. Threads may share it. The file is mapped: it must not shrink while it is open.
    """

    def __init__(self, path: Any, framework: str = "np", threads: Optional[int] = None) -> None:
        _dtypes.check_framework(framework)
        self._torch = framework in ("pt", "torch")
        self._threads = thread_count(threads)
        self._pool: Optional[ThreadPoolExecutor] = None
        self._lock = threading.Lock()  # of the pool
        self.path: str = os.fspath(path)
        self._source = open_source(path)
        self._tensors = {tensor.name: tensor for tensor in self._source.tensors}

    def __enter__(self) -> "WeightFile":
        self._open()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; arrays that were read stay valid. Reads that other threads have begun end well."""
        with self._lock:
            self._source = None
            pool, self._pool = self._pool, None
        if pool:
            pool.shutdown(wait=True)

    def _open(self) -> Any:
        source = self._source
        if source is None:
            raise ValueError(f"{self.path}: the file is closed")
        return source

    def _find(self, name: str) -> Tensor:
        self._open()
        try:
            return self._tensors[name]
        except KeyError:
            raise KeyError(f"{self.path}: no tensor {name!r}") from None

    # --- what there is

    def keys(self) -> list[str]:
        """The names of the tensors, in the order of the file."""
        self._open()
        return list(self._tensors)

    @property
    def packed(self) -> bool:
        """Whether the file is packed."""
        return self._open().is_packed

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a tensor, in elements."""
        return self._find(name).shape

    def dtype(self, name: str) -> str:
        """The element type of a tensor: "bf16", "f32", "e4m3", ..."""
        return self._find(name).element.name

    def metadata(self) -> dict[str, str]:
        """The `__metadata__` of a safetensors file, packed or not; {} of other files."""
        source = self._open()
        header = source.header()
        if len(header) < 10 or header[8:9] != b"{":
            return {}
        try:
            found = json.loads(header[8: 8 + int.from_bytes(header[:8], "little")]).get("__metadata__", {})
        except ValueError:
            return {}
        return dict(found) if isinstance(found, dict) else {}

    def stat(self, name: str) -> TensorStat:
        """How a tensor is packed. ValueError if the file is not."""
        tensor = self._find(name)
        source = self._open()
        if not source.is_packed:
            raise ValueError(f"{self.path}: not a packed file")
        row = source.stat(tensor)
        return TensorStat(tensor.name, tensor.element.name, tensor.shape, tensor.size, row.packed,
                          row.layout.decode() if row.layout else "", row.planes, row.coded)

    # --- reading

    def get_tensor(self, name: str, out: Optional[np.ndarray] = None) -> Any:
        """A tensor, decoded into `out` or into a new array.

        Its dtype is NumPy's, or that of ml_dtypes for bf16 and fp8 where it is installed, otherwise the
        unsigned integer of its width; 4-bit elements come two per byte, the first in the low half, and
        opaque ones (the blocks of a quantized gguf tensor) as their bytes. With framework="pt" it is a torch
        tensor. `out` is as for TensorSlice.read.
        KeyError: no such tensor; ValueError: damaged data, or an `out` of another shape, dtype or layout.
        """
        tensor = self._find(name)
        shape = tensor.stored_shape
        axes, _ = _slices.parse(..., shape)
        return self._fill(tensor, axes, shape, out)

    def get_slice(self, name: str) -> TensorSlice:
        """A tensor to be sliced: f.get_slice("w")[10:20]."""
        return TensorSlice(self, self._find(name))

    def load(self) -> dict[str, Any]:
        """All tensors, by name."""
        source = self._open()
        arrays = {t.name: np.empty(t.stored_shape, t.element.raw) for t in self._tensors.values()}
        parts = [(t, first, size, arrays[t.name].ctypes.data + first)
                 for t in self._tensors.values() for first, size in self._parts(t, 0, t.size)]
        if self._threads == 1:
            source.data.populate()
        self._run(source, parts, populate=True)
        return {t.name: self._give(t, arrays[t.name]) for t in self._tensors.values()}

    def _give(self, tensor: Tensor, raw: np.ndarray) -> Any:
        return tensor.element.to_torch(raw) if self._torch else raw.view(tensor.element.numpy)

    def _fill(self, tensor: Tensor, axes: list[_slices.Axis], shape: tuple[int, ...],
              out: Optional[np.ndarray]) -> Any:
        source = self._open()
        if out is None:
            raw = np.empty(shape, tensor.element.raw)
        else:
            raw = self._check_out(tensor, out, shape)
        width = raw.itemsize

        def read(first: int, array: np.ndarray) -> None:
            address = array.ctypes.data
            parts = [(tensor, at, size, address + at - first * width)
                     for at, size in self._parts(tensor, first * width, array.nbytes)]
            self._run(source, parts)

        _slices.fill(read, raw.reshape([axis.length for axis in axes]), axes)
        return self._give(tensor, raw) if out is None else out

    @staticmethod
    def _check_out(tensor: Tensor, out: Any, shape: tuple[int, ...]) -> np.ndarray:
        if not isinstance(out, np.ndarray):
            raise ValueError(f"out is a {type(out).__name__}: expected a NumPy array")
        element = tensor.element
        if out.dtype not in (element.numpy, element.raw):
            raise ValueError(f"out has dtype {out.dtype.str if out.dtype.isbuiltin == 1 else out.dtype}: "
                             f"tensor {tensor.name!r} is {element.name}, expected {element.numpy} or {element.raw}")
        if out.shape != shape:
            raise ValueError(f"out has shape {out.shape}: expected {shape}")
        if not out.flags.c_contiguous:
            raise ValueError(f"out is not contiguous (strides {out.strides}): expected C order")
        if not out.flags.writeable:
            raise ValueError("out is read-only: expected an array to write to")
        return out.view(element.raw)

    def _parts(self, tensor: Tensor, first: int, size: int) -> Iterator[tuple[int, int]]:
        """Bytes `first` .. first + size - 1 of a tensor as (first, size) of what one thread reads at a time."""
        grain = _GRAIN * max(tensor.element.bits // 8, 1)
        end = first + size
        if self._threads == 1:
            grain = max(size, 1)
            first_end = end
        else:
            first_end = min(end, (first // grain + 1) * grain)
        while first < end:
            yield first, first_end - first
            first, first_end = first_end, min(end, first_end + grain)

    def _run(self, source: Any, parts: list[tuple[Tensor, int, int, int]], populate: bool = False) -> None:
        """Read the parts: (tensor, first byte, bytes, address). `populate`: they are all of the file."""
        if self._threads == 1 or len(parts) < 2:
            for part in parts:
                source.read(*part)
            return
        with held_signals() as held:
            failed: list[BaseException] = []

            def read(batch: list[tuple[Tensor, int, int, int]]) -> None:
                try:
                    for part in batch:
                        if failed or held.error:
                            return
                        source.read(*part)
                except BaseException as error:
                    failed.append(error)

            with self._lock:
                self._open()
                if self._pool is None:
                    self._pool = ThreadPoolExecutor(self._threads, "samite")
                futures = [self._pool.submit(source.data.populate)] if populate else []
                futures += [self._pool.submit(read, batch) for batch in _batches(parts)]
            wait(futures)  # all of them: they write to memory that the caller may free
        if failed:
            raise failed[0]


def open(path: Any, framework: str = "np", threads: Optional[int] = None) -> WeightFile:
    """Open a file of weights: packed (.smw), safetensors, gguf or npy, told by its first bytes.

    framework  "np" gives NumPy arrays, "pt" torch tensors
    threads    that decode at a time; None: as many as the process may use

    OSError: the file cannot be read; ValueError: it is damaged, or of another kind.
    """
    return WeightFile(path, framework, threads)


def load_file(path: Any, framework: str = "np", threads: Optional[int] = None) -> dict[str, Any]:
    """All tensors of a file, by name. Arguments and errors are those of samite.open."""
    with WeightFile(path, framework, threads) as file:
        return file.load()
