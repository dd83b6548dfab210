# SPDX-License-Identifier: Apache-2.0
"""PTO tile programs on arrays."""
from __future__ import annotations

import os
from ctypes import byref, c_int, c_void_p, pointer
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Union

import numpy as np

from . import _abi as abi
from . import _dtypes
from ._arguments import InOut, Out, array_of, scalar_bytes
from ._library import Trap, failure, lib, name_bytes, options, take_messages, text_of
from ._run import Run

_NAN = {"number": abi.SAM_TILE_NAN_NUMBER, "propagate": abi.SAM_TILE_NAN_PROPAGATE, "first": abi.SAM_TILE_NAN_FIRST}
_SUM_ORDER = {"rising": abi.SAM_TILE_SUM_RISING, "system": abi.SAM_TILE_SUM_SYSTEM}
_DIALECT = {"page": abi.SAM_TILE_PAGE, "spec": abi.SAM_TILE_SPEC}
_OUTSIDE = {"keep": abi.SAM_TILE_PAD_KEEP, "pad": abi.SAM_TILE_PAD_VALUE}


@dataclass(frozen=True)
class TileStats:
    """Operations of every kind, and those on tiles, with their elements; bytes from and to global memory;
    the highest byte in use of each memory; (runs, elements) by operation and by pipe."""

    ops: int
    tile_ops: int
    elements: int
    loaded: int
    stored: int
    highest: dict[str, int]
    by_op: dict[str, tuple[int, int]]
    by_pipe: dict[str, tuple[int, int]]


@dataclass(frozen=True)
class TileResult:
    """A tile program that ran: its arrays by argument name, counts, and the checker's warnings."""

    outputs: dict[str, np.ndarray]
    stats: TileStats
    warnings: str


def _choice(table: Mapping[str, int], value: str, what: str) -> int:
    if value not in table:
        raise ValueError(f"{what}={value!r}: expected {', '.join(table)}")
    return table[value]


def _parse(name: str, text: bytes) -> tuple[c_void_p, str]:
    program, messages, error = c_void_p(), c_void_p(), abi.sam_error()
    status = lib.sam_tile_parse(name_bytes(name, "name"), text, len(text), byref(program), byref(messages),
                                byref(error))
    report = take_messages(status, messages, error)
    return program, report


def _check(program: c_void_p, profile: int) -> str:
    messages, error = c_void_p(), abi.sam_error()
    status = lib.sam_tile_check(program, profile, byref(messages), byref(error))
    return take_messages(status, messages, error)


class _Arguments:
    """The arguments of a function, in order, as the library takes them."""

    def __init__(self, names: list[str], given: Mapping[str, Any]) -> None:
        self.rows = (abi.sam_tile_argument * max(len(names), 1))()
        self.count = len(names)
        self.outputs: dict[str, np.ndarray] = {}
        self._arrays: list[Any] = []  # what the rows point to
        self._names = [name.encode() for name in names]
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(f"no argument {unknown[0]!r}: there are {', '.join(names) or 'none'}")
        for number, name in enumerate(names):
            row = self.rows[number]
            row.name = self._names[number]
            if name in given and given[name] is not None:
                self._fill(row, name, given[name])

    def _fill(self, row: abi.sam_tile_argument, name: str, value: Any) -> None:
        array = array_of(value, name)  # type: ignore[arg-type]
        if array is None:
            self._scalar(row, name, value)
            return
        element = _dtypes.of_numpy(array.dtype, name)
        number = element.number if element.numpy.kind in "uifb" else _dtypes.of_numpy(element.raw, name).number
        made = abi.sam_array(dtype=number, rank=array.ndim, count=array.size, size=array.nbytes, data=array.ctypes.data)
        if array.ndim > 8:
            raise ValueError(f"argument {name!r} has {array.ndim} dimensions: at most 8")
        for i, n in enumerate(array.shape):
            made.shape[i] = n
        self._arrays.append((made, array))
        row.array = pointer(made)
        row.output = isinstance(value, (Out, InOut))
        row.inout = isinstance(value, InOut)
        if row.output:
            self.outputs[name] = array

    @staticmethod
    def _scalar(row: abi.sam_tile_argument, name: str, value: Any) -> None:
        if isinstance(value, np.generic):
            element = _dtypes.of_numpy(value.dtype, name)
            bits = int.from_bytes(value.tobytes(), "little")
        else:
            bits = int.from_bytes(scalar_bytes(value, name), "little")  # type: ignore[arg-type]
            element = _dtypes.of_name("f32" if isinstance(value, float) else "i32")
        row.is_scalar, row.dtype, row.bits = True, element.number, bits


def tile(program: Union[str, "os.PathLike[str]"], arguments: Optional[Mapping[str, Any]] = None, *,
         function: Optional[str] = None, text: bool = False, profile: str = "a5", nan: str = "number",
         outside: str = "keep", sum_order: str = "rising", dialect: str = "page",
         max_ops: int = 0, **more: Any) -> TileResult:
    """Check and run a tile program.

    program    the path of a .pto file; with text=True, the text itself
    arguments  by name, without the percent sign, also as keywords: arrays (read; those of pointers are changed
               in place), Out, InOut, and scalars: NumPy's, int as i32, float as f32. A tile that is not given
               starts unwritten.
    function   its name; by default the only one of the program
    profile    "a5", "a2a3" or "host"
    nan        minimum and maximum with a NaN: "number", "propagate" or "first"
    outside    elements outside of the valid rectangle: "keep", or "pad" with the pad value
    sum_order  of floating-point sums: "rising", or that of the "system" (docs/tile-rulings.md)
    dialect    meanings of the published "page", or of the "spec" (docs/tile-rulings.md)
    max_ops    stop after so many operations; 0: no limit

    SourceError: the program has errors, which are all in its `messages`; Trap: it failed as it ran;
    ValueError: arguments that do not fit.
    """
    if text:
        name, source = "<text>", os.fspath(program).encode()
    else:
        name = os.fspath(program)
        source = Path(name).read_bytes()
    number = c_int()
    if not lib.sam_tile_profile_parse(name_bytes(profile, "profile"), byref(number)):
        raise ValueError(f"profile={profile!r}: expected a5, a2a3, host")
    run = Run()
    settings = options(abi.sam_tile_options, profile=number.value, nan=_choice(_NAN, nan, "nan"),
                       outside=_choice(_OUTSIDE, outside, "outside"), max_ops=max_ops, stop=run.stop,
                       sum_order=_choice(_SUM_ORDER, sum_order, "sum_order"),
                       dialect=_choice(_DIALECT, dialect, "dialect"))
    parsed, warnings = _parse(name, source)
    try:
        warnings += _check(parsed, number.value)
        index = _function(parsed, function)
        named = {**(arguments or {}), **more}
        if lib.sam_tile_function_name(parsed, index):
            names = [lib.sam_tile_argument_name(parsed, index, i).decode()
                     for i in range(lib.sam_tile_argument_count(parsed, index))]
        else:  # bare operations: any of their values, results too
            names = list(named)
        given = _Arguments(names, named)
        stats = abi.sam_tile_stats()
        status, error = run.call(lib.sam_tile_run, parsed, index, given.rows, given.count, byref(settings),
                                 byref(stats))
        if status == abi.SAM_ERR_TRAP:
            raise Trap(text_of(error), machine="tile", kind="failure",
                       result=TileResult(given.outputs, _stats(stats), warnings))
        if status != abi.SAM_OK:
            raise failure(status, error)
        return TileResult(given.outputs, _stats(stats), warnings)
    finally:
        lib.sam_tile_program_free(parsed)


def _function(program: c_void_p, name: Optional[str]) -> int:
    names = [lib.sam_tile_function_name(program, i).decode() for i in range(lib.sam_tile_function_count(program))]
    if name is None:
        if len(names) != 1:
            raise ValueError(f"{len(names)} functions: expected one of {', '.join(names)}")
        return 0
    if name not in names:
        raise ValueError(f"no function {name!r}: there are {', '.join(names)}")
    return names.index(name)


def _stats(s: abi.sam_tile_stats) -> TileStats:
    by_op = {}
    text = abi.sam_tile_op_text()
    for i, count in enumerate(s.by_op):
        row: abi.sam_tile_count = count
        if row.ops and lib.sam_tile_op_describe(i, byref(text)):
            by_op[text.name.decode()] = (row.ops, row.elements)
    return TileStats(s.ops, s.tile_ops, s.elements, s.loaded, s.stored,
                     {lib.sam_tile_loc_name(i).decode(): n for i, n in enumerate(s.highest)}, by_op,
                     {lib.sam_tile_pipe_name(i).decode(): (row.ops, row.elements) for i, row in enumerate(s.by_pipe)})


__all__ = ["TileResult", "TileStats", "tile"]
