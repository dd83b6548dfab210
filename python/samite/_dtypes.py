# SPDX-License-Identifier: Apache-2.0
"""Element types: the library's, NumPy's, those of ml_dtypes and of torch where they are installed."""
from __future__ import annotations

import functools
import math
import sys
from ctypes import byref, c_int
from typing import Any, Optional

import numpy as np

from ._library import lib

_NUMPY = {
    "f16": "<f2", "f32": "<f4", "f64": "<f8", "bool": "?", "opaque": "<u1",
    **{f"{sign}{bits}": f"<{sign}{bits // 8}" for sign in "ui" for bits in (8, 16, 32, 64)},
}
_ML_DTYPES = {
    "bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e8m0": "float8_e8m0fnu", "e3m4": "float8_e3m4",
}
_TORCH = {
    "bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e8m0": "float8_e8m0fnu",
    "f16": "float16", "f32": "float32", "f64": "float64", "bool": "bool", "opaque": "uint8",
    **{f"{sign}{bits}": f"{'u' if sign == 'u' else ''}int{bits}" for sign in "ui" for bits in (8, 16, 32, 64)},
}


class Element:
    """An element type of the library.

    name    "bf16", "f32", "e2m1", ...
    number  in enum sam_dtype
    bits    of an element: 4, 8, 16, 32 or 64
    raw     the unsigned NumPy type of its width; 4-bit elements come two per byte
    numpy   the NumPy type of its arrays: of ml_dtypes where that is installed, else `raw`
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.name: str = lib.sam_dtype_name(number).decode()
        self.bits: int = lib.sam_dtype_bits(number)
        self.raw = np.dtype(f"<u{max(self.bits // 8, 1)}")
        self.numpy: np.dtype = np.dtype(_NUMPY[self.name]) if self.name in _NUMPY else self._foreign()

    def _foreign(self) -> np.dtype:
        try:
            import ml_dtypes  # type: ignore[import]
        except ImportError:
            return self.raw
        kind = getattr(ml_dtypes, _ML_DTYPES.get(self.name, ""), None)
        return self.raw if kind is None else np.dtype(kind)

    def __repr__(self) -> str:
        return f"Element({self.name})"

    @property
    def safetensors(self) -> Optional[str]:
        """ "BF16", or None where safetensors files have no such type."""
        name = lib.sam_dtype_safetensors(self.number)
        return name.decode() if name else None

    def stored_shape(self, shape: tuple[int, ...], size: int) -> tuple[int, ...]:
        """The shape of the array of a tensor of `size` bytes. Of 4-bit and opaque elements (the blocks of a
        quantized tensor) the last dimension is in bytes, or, where these do not divide into rows, the only one."""
        if self.bits >= 8 and self.name != "opaque":
            return shape
        rows = math.prod(shape[:-1])
        return (*shape[:-1], size // rows) if shape and rows and size % rows == 0 else (size,)

    def torch(self) -> Any:
        """The torch type of its tensors."""
        import torch

        kind = getattr(torch, _TORCH.get(self.name, ""), None)
        if kind is None and self.bits == 4:
            kind = torch.uint8
        if kind is None:
            raise ValueError(f"torch {torch.__version__} has no type for {self.name}: use framework=\"np\"")
        return kind

    def to_torch(self, array: np.ndarray) -> Any:
        """A tensor on the memory of the array."""
        import torch

        kind = self.torch()
        signed = array.view(np.uint8 if array.dtype.itemsize == 1 else f"<i{array.dtype.itemsize}")
        return torch.from_numpy(signed).view(kind)


@functools.lru_cache(maxsize=None)
def of_number(number: int) -> Element:
    return Element(number)


def of_name(name: str) -> Element:
    number = c_int()
    if not isinstance(name, str) or not lib.sam_dtype_parse(name.encode(), byref(number)):
        raise ValueError(f"unknown element type {name!r}: expected f32, bf16, e4m3, u8, ...")
    return of_number(number.value)


def of_numpy(dtype: np.dtype, what: str) -> Element:
    """The element type of an array; `what` is named in the error."""
    dtype = np.dtype(dtype)
    if dtype.byteorder == (">" if sys.byteorder == "little" else "="):
        raise ValueError(f"{what} is big-endian ({dtype.str}): expected little-endian: "
                         f"array.astype(array.dtype.newbyteorder('<'))")
    for name, text in _NUMPY.items():
        if name != "opaque" and dtype == np.dtype(text):
            return of_name(name)
    for name, text in _ML_DTYPES.items():
        if dtype.name == text:
            return of_name(name)
    raise ValueError(f"{what} has dtype {dtype}: expected a real number, an integer or bool")


def of_torch(dtype: Any, what: str) -> Element:
    text = str(dtype).rpartition(".")[2]
    for name, torch_name in _TORCH.items():
        if name != "opaque" and torch_name == text:
            return of_name(name)
    raise ValueError(f"{what} has dtype {dtype}: Samite has no such type")


def is_torch(value: Any) -> bool:
    """Whether it is a torch tensor, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def check_framework(framework: str) -> None:
    if framework not in ("np", "numpy", "pt", "torch"):
        raise ValueError(f"framework {framework!r}: expected \"np\" or \"pt\"")
    if framework in ("pt", "torch"):
        try:
            import torch  # noqa: F401
        except ImportError:
            raise ValueError("framework \"pt\": torch is not installed") from None


def check_array(array: Any, what: str, *, writable: bool = False) -> np.ndarray:
    """A C-contiguous little-endian array, or a ValueError that says what it is instead."""
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{what} is a {type(array).__name__}: expected a NumPy array")
    if isinstance(array, np.ma.MaskedArray):
        raise ValueError(f"{what} is masked: use numpy.ma.filled")
    of_numpy(array.dtype, what)
    if not array.flags.c_contiguous:
        raise ValueError(f"{what} is not contiguous (strides {array.strides}): use numpy.ascontiguousarray")
    if writable and not array.flags.writeable:
        raise ValueError(f"{what} is read-only: expected an array to write to")
    return array


def bits_of(array: np.ndarray) -> np.ndarray:
    """The bytes of a contiguous array, on its memory."""
    return array.reshape(-1).view(np.uint8)
