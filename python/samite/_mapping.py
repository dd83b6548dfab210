# SPDX-License-Identifier: Apache-2.0
"""Weight files in memory: mapped, with their tensors as the library lists them."""
from __future__ import annotations

import ctypes
import mmap
import os
import stat
import sys
from ctypes import byref, c_int, c_size_t, c_void_p, memmove, string_at
from typing import Any, NamedTuple

import numpy as np

from . import _abi as abi
from . import _dtypes
from ._library import check, lib, options, path_bytes

_MAGIC = b"\x89SMW\r\n\x1a\n"
_MADV_POPULATE_READ = 22  # Linux 5.14
# That of the C library: mmap.madvise keeps other threads of Python from running.
_madvise = ctypes.CDLL(None).madvise if sys.platform.startswith("linux") else None
if _madvise is not None:
    _madvise.argtypes = (c_void_p, c_size_t, c_int)


class Tensor(NamedTuple):
    """A tensor of a file: its place in the list, its type, and its shape in elements."""

    number: int
    name: str
    element: _dtypes.Element
    shape: tuple[int, ...]
    offset: int  # in the unpacked file
    size: int  # in bytes

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape of its array."""
        return self.element.stored_shape(self.shape, self.size)


class Bytes:
    """The bytes of a file: mapped if it is a regular file, otherwise read."""

    def __init__(self, path: Any) -> None:
        self.path = os.fspath(path)
        path_bytes(self.path)
        with open(self.path, "rb") as file:
            status = os.fstat(file.fileno())
            self._mapped = stat.S_ISREG(status.st_mode) and status.st_size > 0
            if self._mapped:
                self.array = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
            else:
                self.array = np.frombuffer(file.read(), np.uint8)
        self.size = self.array.size
        self.address = self.array.ctypes.data
        self.prefix = f"{self.path}: "

    def populate(self) -> None:
        """Map all pages at once, which takes a third of the time of a fault for every few of them. Where
        the kernel cannot do that, nothing happens."""
        if self._mapped and _madvise is not None:
            _madvise(self.address, self.size, _MADV_POPULATE_READ)

    @property
    def is_packed(self) -> bool:
        return self.array[:8].tobytes() == _MAGIC


def tensors_of(weights: abi.sam_weights) -> list[Tensor]:
    """The tensors, without the gaps between them, which a packed file has as unnamed pieces."""
    rows = []
    for i in range(weights.count):
        w: abi.sam_weight = weights.tensors[i]
        if w.name or w.type != abi.sam_dtype.SAM_OPAQUE:
            rows.append(Tensor(i, w.name.decode("utf-8", "replace"), _dtypes.of_number(w.type),
                               tuple(w.shape[: w.rank]), w.offset, w.size))
    return rows


def parse_layout(data: Bytes, kind: int) -> abi.sam_weights:
    """The layout of an unpacked file; freed with sam_weights_free."""
    weights, need = abi.sam_weights(), c_size_t()
    name = path_bytes(data.path)
    check(lib.sam_weights_parse, kind, data.address, data.size, data.size, name, byref(weights), byref(need))
    if need.value > data.size:
        raise ValueError(f"{data.prefix}truncated: its header needs {need.value} bytes")
    return weights


def kind_of(data: Bytes) -> int:
    return lib.sam_weights_kind_of(data.address, data.size, path_bytes(data.path))


class Plain:
    """An unpacked file."""

    is_packed = False

    def __init__(self, data: Bytes) -> None:
        self.data = data
        kind = kind_of(data)
        if kind == abi.SAM_WEIGHTS_RAW:
            what = "empty" if not data.size else "neither packed weights nor safetensors, gguf or npy"
            raise ValueError(f"{data.prefix}{what}")
        weights = parse_layout(data, kind)
        try:
            self.tensors = tensors_of(weights)
            self.header_size: int = weights.header_size
            if weights.out_of_order:
                raise ValueError(f"{data.prefix}in Fortran order or big-endian: read it with numpy.load")
        finally:
            lib.sam_weights_free(byref(weights))
        self.kind = kind

    def header(self) -> bytes:
        return self.data.array[: self.header_size].tobytes()

    def read(self, tensor: Tensor, first: int, size: int, address: int) -> None:
        memmove(address, self.data.address + tensor.offset + first, size)


class Packed:
    """A packed file. It stays open as long as somebody reads."""

    is_packed = True

    def __init__(self, data: Bytes) -> None:
        self.data = data
        self._packed = c_void_p()
        codec = options(abi.sam_codec_options, threads=1)
        check(lib.sam_packed_open, data.address, data.size, byref(codec), byref(self._packed), prefix=data.prefix)
        weights = lib.sam_packed_weights(self._packed).contents
        self.tensors = tensors_of(weights)
        self.header_size: int = weights.header_size
        self.file_size: int = weights.file_size
        self.kind: int = weights.kind

    def header(self) -> bytes:
        return string_at(lib.sam_packed_header(self._packed), self.header_size)

    def read(self, tensor: Tensor, first: int, size: int, address: int) -> None:
        check(lib.sam_packed_read, self._packed, tensor.number, first, size, address, prefix=self.data.prefix)

    def stat(self, tensor: Tensor) -> abi.sam_packed_stat:
        row = abi.sam_packed_stat()
        check(lib.sam_packed_stat, self._packed, tensor.number, byref(row), prefix=self.data.prefix)
        return row

    def __del__(self) -> None:
        if self._packed:
            lib.sam_packed_close(self._packed)
            self._packed = c_void_p()


def open_source(path: Any) -> Any:
    """Packed or Plain."""
    data = Bytes(path)
    return Packed(data) if data.is_packed else Plain(data)
