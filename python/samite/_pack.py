# SPDX-License-Identifier: Apache-2.0
"""Writing weights: arrays into a file, files packed, unpacked and verified."""
from __future__ import annotations

import ctypes
import json
import math
import os
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

import numpy as np

from . import _abi as abi
from . import _dtypes
from ._library import check, lib, options, path_bytes, type_of
from ._mapping import Bytes, kind_of, parse_layout, tensors_of
from ._signals import held_signals
from ._weights import TensorStat, thread_count

_PIECE = 16 << 20  # bytes between two calls of a progress function

Progress = Callable[[int, int], Any]


@dataclass(frozen=True)
class PackReport:
    """A file that was packed: sizes in bytes, and how each tensor is stored."""

    path: str
    size: int
    packed: int
    tensors: tuple[TensorStat, ...]

    @property
    def ratio(self) -> float:
        return self.packed / self.size if self.size else 1.0


class _Output:
    """A file that appears under its name when it is complete."""

    def __init__(self, path: Any, like: Any = None) -> None:
        self.path = os.fspath(path)
        self.handle = c_void_p()
        if like is None:
            check(lib.sam_output_open, path_bytes(path), byref(self.handle))
        else:
            check(lib.sam_output_open_like, path_bytes(path), path_bytes(like), byref(self.handle))

    def sink(self) -> abi.sam_sink:
        write = ctypes.cast(lib.sam_output_write, type_of(abi.sam_sink, "write"))
        return abi.sam_sink(write, self.handle)

    def write(self, address: int, size: int) -> None:
        if not lib.sam_output_write(self.handle, address, size):
            self.commit()  # which says why

    def __enter__(self) -> "_Output":
        return self

    def commit(self) -> None:
        handle, self.handle = self.handle, c_void_p()
        check(lib.sam_output_commit, handle)

    def __exit__(self, kind: Any, error: Any, _: Any) -> None:
        if kind is None:
            self.commit()
        elif self.handle and lib.sam_output_failed(self.handle) and issubclass(kind, OSError):
            self.commit()  # the reason, instead of the codec's "cannot write"
        elif self.handle:
            lib.sam_output_abort(self.handle)


class _Pieces:
    """Bytes that are written piece by piece: between two of them `progress` is called, and signals are
    raised that were held back, so that they never leave a file behind."""

    def __init__(self, held: held_signals, progress: Optional[Progress]) -> None:
        self._held, self._progress = held, progress

    def of(self, parts: Iterable[tuple[int, int]], total: int) -> Iterable[tuple[int, int]]:
        """(address, size) of consecutive pieces of the parts."""
        done = 0
        self._tell(0, total)
        for address, size in parts:
            for at in range(0, size, _PIECE):
                count = min(_PIECE, size - at)
                yield address + at, count
                done += count
                self._tell(done, total)

    def _tell(self, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(done, total)
        if self._held.error is not None:
            raise self._held.error


def _codec(dense: bool, bit_planes: bool, window: bool, threads: Optional[int]) -> abi.sam_codec_options:
    return options(abi.sam_codec_options, dense=dense, bit_planes=bit_planes, window=window,
                   threads=thread_count(threads))


def _pack(weights: abi.sam_weights, parts: Sequence[tuple[int, int]], codec: abi.sam_codec_options, output: _Output,
          pieces: _Pieces, prefix: str) -> tuple[TensorStat, ...]:
    """Pack the bytes of `parts`, which make up the file that `weights` describes."""
    packer = c_void_p()
    try:
        check(lib.sam_packer_open, byref(weights), byref(codec), output.sink(), byref(packer), prefix=prefix)
        for address, size in pieces.of(parts, weights.file_size):
            check(lib.sam_packer_write, packer, address, size, prefix=prefix)
        check(lib.sam_packer_finish, packer, prefix=prefix)
        return tuple(_stats(packer, weights))
    finally:
        lib.sam_packer_close(packer)


def _stats(packer: c_void_p, weights: abi.sam_weights) -> Iterable[TensorStat]:
    """Of the tensors that `weights` has, without the gaps between them."""
    wanted = {(t.offset, t.size, t.name) for t in tensors_of(weights)}
    for tensor in tensors_of(lib.sam_packer_weights(packer).contents):
        if (tensor.offset, tensor.size, tensor.name) in wanted:
            row = abi.sam_packed_stat()
            check(lib.sam_packer_stat, packer, tensor.number, byref(row))
            yield TensorStat(tensor.name, tensor.element.name, tensor.shape, tensor.size, row.packed,
                             row.layout.decode() if row.layout else "", row.planes, row.coded)


# --- files


def _describe(weights: abi.sam_weights, element: _dtypes.Element, shape: Optional[Sequence[int]], prefix: str) -> None:
    """Give the one tensor of a raw or npy file a type, and a shape."""
    if weights.kind not in (abi.SAM_WEIGHTS_RAW, abi.SAM_WEIGHTS_NPY) or weights.count != 1:
        raise ValueError(f"{prefix}dtype and shape are for raw and npy files: this one says what its tensors are")
    tensor = weights.tensors[0]
    if shape is None:
        if tensor.size * 8 % element.bits:
            raise ValueError(f"{prefix}{tensor.size} bytes are no whole number of {element.name} elements")
        raw = weights.kind == abi.SAM_WEIGHTS_RAW
        shape = [tensor.size * 8 // element.bits] if raw else tensor.shape[: tensor.rank]
    shape = [int(n) for n in shape]
    if len(shape) > abi.SAM_WEIGHT_RANK or any(not 0 <= n < 1 << 63 for n in shape):
        raise ValueError(f"{prefix}invalid shape {tuple(shape)}")
    if math.prod(shape) * element.bits != tensor.size * 8:
        raise ValueError(f"{prefix}{tensor.size} bytes: shape {tuple(shape)} of {element.name} has "
                         f"{math.prod(shape) * element.bits / 8:g}")
    tensor.type, tensor.rank = element.number, len(shape)
    for i, n in enumerate(shape):
        tensor.shape[i] = n


def pack(path: Any, output: Any = None, *, dtype: Optional[str] = None, shape: Optional[Sequence[int]] = None,
         dense: bool = False, bit_planes: bool = False, window: bool = False, threads: Optional[int] = None,
         progress: Optional[Progress] = None) -> PackReport:
    """Pack a file of weights: safetensors, gguf, npy or raw bytes.

    output      the packed file, `path`.smw by default; an existing one is replaced when the new one is complete
    dtype       element type of a raw or npy file: "bf16", ...; shape: of a raw file
    dense       code more of fp16 and fp8: smaller, slower; bit_planes: one plane per bit
    window      windows instead of codes: larger, loads twice as fast; excludes bit_planes
    threads     None: as many as the process may use
    progress    called with bytes done and bytes in all; an exception in it ends the packing

    OSError: a file cannot be read or written; ValueError: it is damaged, or not as described. Nothing is
    then left behind.
    """
    output = f"{os.fspath(path)}.smw" if output is None else output
    codec = _codec(dense, bit_planes, window, threads)
    element = None if dtype is None else _dtypes.of_name(dtype)
    if shape is not None and element is None:
        raise ValueError("shape requires a dtype")
    data = Bytes(path)
    if data.is_packed:
        raise ValueError(f"{data.prefix}packed already")
    _check_output(path, output)
    weights = parse_layout(data, kind_of(data))
    try:
        if element is not None:
            _describe(weights, element, shape, data.prefix)
        with held_signals() as held, _Output(output, path) as out:
            tensors = _pack(weights, [(data.address, data.size)], codec, out, _Pieces(held, progress), data.prefix)
        return PackReport(os.fspath(output), data.size, os.stat(output).st_size, tensors)
    finally:
        lib.sam_weights_free(byref(weights))


def _check_output(path: Any, output: Any) -> None:
    if os.path.exists(output) and os.path.samefile(path, output):
        raise ValueError(f"{os.fspath(output)}: the output is the input")


def _unpack(data: Bytes, sink: abi.sam_sink, threads: Optional[int], pieces: _Pieces) -> None:
    unpacker = c_void_p()
    codec = options(abi.sam_codec_options, threads=thread_count(threads))
    try:
        check(lib.sam_unpacker_open, byref(codec), sink, byref(unpacker))
        for address, size in pieces.of([(data.address, data.size)], data.size):
            check(lib.sam_unpacker_write, unpacker, address, size, prefix=data.prefix)
        check(lib.sam_unpacker_finish, unpacker, prefix=data.prefix)
    finally:
        lib.sam_unpacker_close(unpacker)


def unpack(path: Any, output: Any = None, *, threads: Optional[int] = None,
           progress: Optional[Progress] = None) -> str:
    """Restore the file that was packed, byte for byte; returns its path.

    output    `path` without ".smw" by default; an existing file is replaced when the new one is complete
    progress  called with packed bytes read and packed bytes in all

    OSError and ValueError as for samite.pack.
    """
    path = os.fspath(path)
    if output is None:
        if not path.endswith(".smw") or len(path) <= 4:
            raise ValueError(f"{path}: no name for the output: expected a file called *.smw, or an output")
        output = path[:-4]
    data = Bytes(path)
    _check_output(path, output)
    with held_signals() as held, _Output(output, path) as out:
        _unpack(data, out.sink(), threads, _Pieces(held, progress))
    return os.fspath(output)


def verify(path: Any, *, threads: Optional[int] = None, progress: Optional[Progress] = None) -> None:
    """Check every checksum of a packed file. ValueError names the first damage; OSError: it cannot be read."""
    data = Bytes(path)
    with held_signals() as held:
        _unpack(data, abi.sam_sink(), threads, _Pieces(held, progress))


# --- arrays


def _source_of(name: str, value: Any, dtypes: Mapping[str, str]) -> tuple[_dtypes.Element, tuple[int, ...], np.ndarray]:
    """Element type, shape and bytes of an array or a torch tensor."""
    what = f"tensor {name!r}"
    element = None
    if _dtypes.is_torch(value):
        import torch

        element = _dtypes.of_torch(value.dtype, what)
        value = value.detach()
        if value.device.type != "cpu":
            raise ValueError(f"{what} is on {value.device}: expected a tensor on the cpu")
        if not value.is_contiguous():
            raise ValueError(f"{what} is not contiguous: use tensor.contiguous()")
        signed = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[value.element_size()]
        value = value.view(signed).numpy()
    array = _dtypes.check_array(value, what)
    element = element or _dtypes.of_numpy(array.dtype, what)
    if name in dtypes:
        asked = _dtypes.of_name(dtypes[name])
        if asked.bits != element.bits:
            raise ValueError(f"{what} has elements of {element.bits} bits: {asked.name} has {asked.bits}")
        element = asked
    if element.safetensors is None:
        raise ValueError(f"{what}: safetensors files have no type for {element.name}")
    return element, array.shape, _dtypes.bits_of(array)


def save_file(tensors: Mapping[str, Any], path: Any, metadata: Optional[Mapping[str, str]] = None, *,
              dtypes: Optional[Mapping[str, str]] = None, dense: bool = False, window: bool = False,
              threads: Optional[int] = None, progress: Optional[Progress] = None) -> tuple[TensorStat, ...]:
    """Write arrays or torch tensors as a packed safetensors file, or, if `path` ends in ".safetensors", as that.

    tensors   contiguous little-endian arrays by name
    metadata  texts by name, stored with them
    dtypes    element types by tensor, for arrays that hold the bits of another type of their width:
              {"w": "bf16"} for an array of uint16
    dense, window, threads, progress: as for samite.pack

    Returns how each tensor was packed, () for an unpacked file. The file appears when it is complete.
    ValueError: an array of a type or layout that cannot be stored; OSError: the file cannot be written.
    """
    dtypes = dict(dtypes or {})
    for name in dtypes:
        if name not in tensors:
            raise ValueError(f"dtypes names {name!r}: there is no such tensor")
    header: dict[str, Any] = {}
    if metadata:
        if not all(isinstance(k, str) and isinstance(v, str) for k, v in metadata.items()):
            raise ValueError("metadata: expected texts by name")
        header["__metadata__"] = dict(metadata)
    sources = []
    for name, value in tensors.items():
        if not isinstance(name, str) or name == "__metadata__" or "\0" in name:
            raise ValueError(f"{name!r} cannot be the name of a tensor")
        sources.append((name, *_source_of(name, value, dtypes)))
    # Wide elements first, so that each begins at a multiple of its size.
    sources.sort(key=lambda source: (-source[1].bits, source[0]))
    offset = 0
    for name, element, shape, data in sources:
        if len(shape) > 16:  # it would be read back as bytes without a type
            raise ValueError(f"tensor {name!r} has {len(shape)} dimensions: expected at most 16")
        begin, offset = offset, offset + data.size
        header[name] = {"dtype": element.safetensors, "shape": list(shape), "data_offsets": [begin, offset]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    front = np.frombuffer(len(text).to_bytes(8, "little") + text, np.uint8)
    parts = [(front.ctypes.data, front.size), *((data.ctypes.data, data.size) for _, _, _, data in sources)]
    if os.fspath(path).endswith(".safetensors"):
        with held_signals() as held, _Output(path) as out:
            for address, size in _Pieces(held, progress).of(parts, front.size + offset):
                out.write(address, size)
        return ()
    return _save_packed(front, parts, front.size + offset, path, _codec(dense, False, window, threads), progress)


def _save_packed(front: np.ndarray, parts: Sequence[tuple[int, int]], size: int, path: Any,
                 codec: abi.sam_codec_options, progress: Optional[Progress]) -> tuple[TensorStat, ...]:
    weights, need = abi.sam_weights(), ctypes.c_size_t()
    check(lib.sam_weights_parse, abi.SAM_WEIGHTS_SAFETENSORS, front.ctypes.data, front.size, size, path_bytes(path),
          byref(weights), byref(need))
    try:
        with held_signals() as held, _Output(path) as out:
            return _pack(weights, parts, codec, out, _Pieces(held, progress), f"{os.fspath(path)}: ")
    finally:
        lib.sam_weights_free(byref(weights))
