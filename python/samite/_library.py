# SPDX-License-Identifier: Apache-2.0
"""The shared library: finding it, its functions with their types, and its errors as exceptions."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator, Optional

from . import _abi as abi

VERSION = "0.2.0"
_SERIES = VERSION.rpartition(".")[0]  # the soname's
_NAMES = ([f"libsamite.{_SERIES}.dylib", "libsamite.dylib"] if sys.platform == "darwin" else
          [f"libsamite.so.{_SERIES}", "libsamite.so"])


def _candidates() -> Iterator[str]:
    """Where the library may be, the most specific place first."""
    here = Path(__file__).resolve().parent
    for folder in (here, Path(sys.prefix) / "lib"):
        yield from (str(folder / name) for name in _NAMES if (folder / name).exists())
    yield from _NAMES  # where the dynamic linker looks
    found = ctypes.util.find_library("samite")
    if found:
        yield found
    if shutil.which("pkg-config"):
        asked = subprocess.run(["pkg-config", "--variable=libdir", "samite"], capture_output=True, text=True)
        folder = Path(asked.stdout.strip())
        if asked.returncode == 0 and asked.stdout.strip():
            yield from (str(folder / name) for name in _NAMES if (folder / name).exists())


def _open() -> ctypes.CDLL:
    path = os.environ.get("SAMITE_LIBRARY")
    if path:
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            raise ImportError(f"SAMITE_LIBRARY={path}: {error}") from None
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            if os.path.isabs(path):  # there, but not to be loaded
                raise ImportError(f"{path}: {error}") from None
    raise ImportError(f"{_NAMES[0]} not found: install libsamite, or set SAMITE_LIBRARY to the path of the file")


class Library:
    """The functions of the library as attributes, with argument and result types."""

    def __init__(self) -> None:
        self._library = _open()
        for name, (result, arguments) in abi.FUNCTIONS.items():
            try:
                function = getattr(self._library, name)
            except AttributeError:
                raise ImportError(f"{self._library._name} lacks {name}: expected libsamite {VERSION}") from None
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        version = self.sam_version().decode()
        if version.split(".")[:2] != VERSION.split(".")[:2]:
            raise ImportError(f"{self._library._name} is version {version}: "
                              f"this package needs {'.'.join(VERSION.split('.')[:2])}")

    def __getattr__(self, name: str) -> Any:  # for type checkers: all attributes are set above
        raise AttributeError(name)


lib = Library()


class Trap(RuntimeError):
    """A program that failed: the text is the library's report, the attributes are its fields.

    machine    "gpu", "hart", "system" or "tile"
    kind       what happened: "store_fault", "deadlock", "budget", ...; of the hart how the run ended
    pc         address of the instruction, or None
    word       the instruction there, 0 if it cannot be fetched
    tval       the address (or word) that the trap is about
    symbol     "vecadd+0x68", or None
    workgroup, group, warp, lane, lanes
               of the GPU: linear number, (x, y, z), warp, failing lane (None: no single one), mask of
               active lanes
    cause      RISC-V cause, of the hart
    launch     of a system: the number of the launch that trapped, or None
    result     what was counted until then (LaunchResult, HartResult, SystemResult), or None
    """

    machine: str = ""
    kind: str = ""
    pc: Optional[int] = None
    word: int = 0
    tval: int = 0
    symbol: Optional[str] = None
    workgroup: Optional[int] = None
    group: Optional[tuple[int, int, int]] = None
    warp: Optional[int] = None
    lane: Optional[int] = None
    lanes: Optional[int] = None
    cause: Optional[int] = None
    launch: Optional[int] = None
    result: Any = None

    def __init__(self, text: str, **fields: Any) -> None:
        super().__init__(text)
        for name, value in fields.items():
            if not hasattr(type(self), name):
                raise TypeError(f"Trap has no field {name}")
            setattr(self, name, value)


class SourceError(ValueError):
    """A program text with errors. `messages` holds all errors and warnings, each with its line and a
    caret; the exception's own text is the first error."""

    def __init__(self, text: str, messages: str = "") -> None:
        super().__init__(text)
        self.messages = messages


class Stopped(RuntimeError):
    """A run that was stopped by its caller."""


_EXCEPTIONS = {
    abi.SAM_ERR_MEMORY: MemoryError,
    abi.SAM_ERR_IO: OSError,
    abi.SAM_ERR_USAGE: ValueError,
    abi.SAM_ERR_INPUT: ValueError,
    abi.SAM_ERR_TRAP: Trap,
    abi.SAM_ERR_STOPPED: Stopped,
}


def text_of(error: abi.sam_error) -> str:
    return error.text.decode("utf-8", "replace")


def failure(status: int, error: abi.sam_error, prefix: str = "") -> BaseException:
    """The exception for a status that is not SAM_OK, with the library's line."""
    return _EXCEPTIONS.get(status, RuntimeError)(prefix + text_of(error))


_INTEGERS = frozenset((ctypes.c_int, ctypes.c_uint, ctypes.c_long, ctypes.c_ulong, ctypes.c_longlong,
                       ctypes.c_ulonglong))


def check(function: Any, *arguments: Any, prefix: str = "") -> None:
    """Call a function whose last parameter is the error; raise what it reports."""
    error = abi.sam_error()
    for value, kind in zip(arguments, function.argtypes):  # ctypes drops the bits that do not fit
        if isinstance(value, int) and kind in _INTEGERS and kind(value).value != value:
            raise ValueError(f"{value} is out of range: {8 * ctypes.sizeof(kind)} bits")
    status = function(*arguments, ctypes.byref(error))
    if status != abi.SAM_OK:
        raise failure(status, error, prefix)


def options(kind: Any, **fields: Any) -> Any:
    """A struct of options with its `size` set."""
    return struct_of(kind, size=ctypes.sizeof(kind), **fields)


def struct_of(kind: Any, **fields: Any) -> Any:
    """A struct whose integers all fit their fields: ctypes would drop bits."""
    made = kind(**fields)
    for name, value in fields.items():
        if isinstance(value, int) and getattr(made, name) != value:
            raise ValueError(f"{name}={value} is out of range")
    return made


class Owner:
    """What frees an object of the library: a copy would free it a second time."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled")


def type_of(kind: Any, name: str) -> Any:
    """The type of a field, to make callbacks and pointers of it."""
    return dict(kind._fields_)[name]


def path_bytes(path: Any) -> bytes:
    """The path as the library takes it: bytes without NUL."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("embedded null byte in a path")
    return name


def name_bytes(name: str, what: str) -> bytes:
    """A text as the library takes it."""
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a str, not {type(name).__name__}")
    text = name.encode()
    if b"\0" in text:
        raise ValueError(f"{what} has a null character")
    return text


def take_text(address: ctypes.c_void_p) -> str:
    """The text that the library has allocated (sam_text_free), which is freed."""
    try:
        return ctypes.string_at(address.value).decode("utf-8", "replace") if address.value else ""
    finally:
        lib.sam_text_free(ctypes.cast(address, ctypes.c_char_p))


def take_messages(status: int, messages: ctypes.c_void_p, error: abi.sam_error) -> str:
    """The messages on a program text; raises what the status of the call says."""
    report = take_text(messages)
    if status == abi.SAM_ERR_INPUT:
        raise SourceError(text_of(error), report)
    if status != abi.SAM_OK:
        raise failure(status, error)
    return report


def version() -> str:
    """The version of the library, "major.minor.patch"."""
    return lib.sam_version().decode()
