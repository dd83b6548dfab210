# SPDX-License-Identifier: Apache-2.0
"""What machines have in common: memory at addresses."""
from __future__ import annotations

from ctypes import byref, c_uint64
from typing import Any, Mapping

import numpy as np

from . import _dtypes
from ._arguments import Memory
from ._library import Owner, check


class Addressed(Owner):
    """A machine whose memory is read and written at addresses. `_calls` has the library's functions by what they
    do, `_kind` the name of the attribute with its object."""
    _kind: str
    _calls: Mapping[str, Any]

    def _memory(self, what: str, *arguments: Any) -> None:
        check(self._calls[what], getattr(self, self._kind), *arguments)

    def write(self, address: int, array: np.ndarray) -> None:
        """Copy a contiguous array to an address."""
        array = _dtypes.check_array(array, "array")
        self._memory("write", address, array.ctypes.data, array.nbytes)

    def read(self, address: int, array: np.ndarray) -> np.ndarray:
        """Fill a contiguous, writable array from an address."""
        array = _dtypes.check_array(array, "array", writable=True)
        self._memory("read", address, array.ctypes.data, array.nbytes)
        return array


class Mapped(Addressed):
    """A machine whose memory is mapped piece by piece, in 64-bit addresses."""

    def alloc(self, size: int) -> Memory:
        """`size` bytes of new memory, zeros."""
        if not 0 <= size < 1 << 63:
            raise ValueError(f"memory of {size} bytes")
        address = c_uint64()
        self._memory("alloc", size, byref(address))
        return Memory(self, address.value, size)

    def buffer(self, array: np.ndarray) -> Memory:
        """New memory with the bytes of a contiguous array."""
        memory = self.alloc(_dtypes.check_array(array, "array").nbytes)
        self.write(memory.address, array)
        return memory

    def map(self, address: int, size: int) -> Memory:
        """Memory at a given address."""
        self._memory("map", address, size)
        return Memory(self, address, size)
