# SPDX-License-Identifier: Apache-2.0
"""Arguments of kernels and programs: arrays in and out, scalars, local memory, buffers."""
from __future__ import annotations

import struct
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _dtypes


class Out:
    """A new array that the program fills: zeros of `shape` and `dtype` (NumPy's)."""

    def __init__(self, shape: Union[int, Sequence[int]], dtype: Any = "f4") -> None:
        self.array = np.zeros(shape, np.dtype(dtype))
        _dtypes.check_array(self.array, "Out")


class InOut:
    """An array that the program changes in place: contiguous and writable."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = _dtypes.check_array(array, "InOut", writable=True)


class Local:
    """`size` bytes of local memory for each workgroup, of which a kernel gets the address."""

    def __init__(self, size: int) -> None:
        if not isinstance(size, int) or not 0 < size <= 1 << 28:
            raise ValueError(f"Local({size!r}): expected a number of bytes, up to 2^28")
        self.size = size


class Memory:
    """Bytes in a machine's memory. Made by alloc and buffer of Gpu, Hart and System."""

    def __init__(self, machine: Any, address: int, size: int) -> None:
        self._machine = machine
        self.address, self.size = address, size

    def __repr__(self) -> str:
        return f"<samite.Memory {self.address:#x}, {self.size} bytes>"

    def write(self, array: np.ndarray, offset: int = 0) -> None:
        """Copy a contiguous array to `offset` bytes from the start."""
        array = _dtypes.check_array(array, "array")
        self._check(offset, array.nbytes)
        self._machine.write(self.address + offset, array)

    def read(self, shape: Optional[Union[int, Sequence[int]]] = None, dtype: Any = "u1", offset: int = 0) -> np.ndarray:
        """A new array of what is at `offset` bytes; without a shape, of everything from there on."""
        kind = np.dtype(dtype)
        if shape is None:
            if (self.size - offset) % kind.itemsize:
                raise ValueError(f"{self.size - offset} bytes are no whole number of {kind}")
            shape = (self.size - offset) // kind.itemsize
        array = np.empty(shape, kind)
        self._check(offset, array.nbytes)
        return self._machine.read(self.address + offset, array)

    def _check(self, offset: int, size: int) -> None:
        if offset < 0 or offset + size > self.size:
            raise ValueError(f"bytes {offset} to {offset + size} of a buffer of {self.size}")


Argument = Union[np.ndarray, np.generic, int, float, bool, Out, InOut, Local, Memory]


def array_of(argument: Any, number: int) -> Optional[np.ndarray]:
    """The array that is copied to the machine; None of other arguments."""
    if isinstance(argument, (Out, InOut)):
        return argument.array
    if isinstance(argument, np.ndarray):
        return _dtypes.check_array(argument, f"argument {number}")
    return None


def address_of(memory: Memory, machine: Any, number: int) -> int:
    """The address of memory that is an argument of a program on `machine`."""
    if memory._machine is not machine:
        raise ValueError(f"argument {number} is memory of another machine")
    return memory.address


def scalar_bytes(argument: Any, number: int) -> bytes:
    """A scalar in little-endian: Python's int as i32 or u32, float as f32; those of NumPy have their own width,
    at least 4 bytes."""
    what = f"argument {number}"
    if isinstance(argument, (bool, np.bool_)):
        return struct.pack("<I", bool(argument))
    if isinstance(argument, np.generic):
        if argument.dtype.kind not in "iuf" or argument.dtype == np.float16:
            raise ValueError(f"{what} is a {argument.dtype} scalar: expected an integer, float32 or float64")
        if argument.dtype.itemsize >= 4:
            return argument.astype(argument.dtype.newbyteorder("<")).tobytes()
        argument = int(argument.item())
    if isinstance(argument, int):
        if not -(1 << 31) <= argument < 1 << 32:
            raise ValueError(f"{what} is {argument}: expected 32 bits, or a NumPy scalar such as numpy.uint64")
        return struct.pack("<I", argument & 0xFFFFFFFF)
    if isinstance(argument, float):
        try:
            return struct.pack("<f", argument)
        except OverflowError:
            raise ValueError(f"{what} is {argument}: too large for f32, expected a numpy.float64") from None
    raise ValueError(f"{what} is a {type(argument).__name__}: expected an array, a number, Out, InOut, Local or Memory")


def value_bytes(argument: Any, number: int, size: int, kind: str) -> bytes:
    """A value of `size` bytes that a kernel takes as a `kind` of OpenCL C: int and float as that type, NumPy's scalars
    and arrays (vectors, structs) with the bytes that they have."""
    if isinstance(argument, (bool, np.bool_)):
        argument = int(argument)
    integer = kind.lstrip("u") in ("char", "short", "int", "long") or kind.startswith("enum ")
    if isinstance(argument, int) and kind == "float":
        argument = float(argument)
    if isinstance(argument, int) and integer:
        if -(1 << 8 * size - 1) <= argument < 1 << 8 * size:
            return (argument & (1 << 8 * size) - 1).to_bytes(size, "little")
        raise ValueError(f"argument {number} is {argument}, which is no {kind} of {size} byte{'s' * (size > 1)}")
    if isinstance(argument, float) and kind == "float":
        value = scalar_bytes(argument, number)
    elif isinstance(argument, (np.ndarray, np.generic)) and not (
            argument.dtype.kind == "f" if integer else kind == "float" and argument.dtype.kind in "iu"):
        value = argument.tobytes()
    else:
        raise ValueError(f"argument {number} is a {type(argument).__name__}: expected a {kind}")
    if len(value) != size:
        raise ValueError(f"argument {number} has {len(value)} bytes: expected the {size} of a {kind}")
    return value


def outputs_of(arguments: Sequence[Any]) -> tuple[np.ndarray, ...]:
    return tuple(a.array for a in arguments if isinstance(a, (Out, InOut)))


def three(value: Union[int, Sequence[int]], what: str, missing: int = 1) -> tuple[int, int, int]:
    """One to three sizes; what the missing ones are."""
    sizes: list[Any] = [value]
    if not isinstance(value, (int, np.integer)):
        try:
            sizes = list(value)
        except TypeError:
            pass
    whole = all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in sizes)
    if not 1 <= len(sizes) <= 3 or not whole or not all(0 <= n < 1 << 32 for n in sizes):
        raise ValueError(f"{what}={value!r}: expected one to three sizes")
    padded = [int(n) for n in sizes] + [missing] * 2
    return padded[0], padded[1], padded[2]
