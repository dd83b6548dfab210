# SPDX-License-Identifier: Apache-2.0
"""Tensor operators on TensorLoad: reshape, transpose, im2col, compress, concat, pad."""
from __future__ import annotations

import math
import operator
from ctypes import POINTER, byref, c_int, c_uint, c_uint8, c_uint64, c_void_p, pointer
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _abi as abi
from . import _dtypes
from ._gpu import Config, config_text
from ._hart import engines_of
from ._library import check, lib, options, take_text
from ._run import Run

Numbers = Union[int, Sequence[int]]


@dataclass(frozen=True)
class OpCycles:
    """The TensorLoad engines in time: as HartCycles without the matrix unit."""

    cycles: int
    instructions: int
    issue: dict[str, int]
    engines: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class OpResult:
    """An operator that ran.

    output     the new array
    figures    regions, blocks, instructions by kind, bytes_loaded and bytes_stored, and the fewest bytes that
               could do, bound_loaded and bound_stored
    plan       the blocking as text; program: the program in assembly
    cycles     None without cycles=True
    """

    output: np.ndarray
    figures: dict[str, int]
    plan: str
    program: str
    cycles: Optional[OpCycles]


class _Packed:
    """4-bit elements, two per byte, as the planners look at an array."""

    itemsize = 0x80  # what plans take for half a byte (ops.h)

    def __init__(self, array: np.ndarray, shape: Optional[Sequence[int]], element: Any) -> None:
        if array.dtype != np.uint8:
            raise ValueError(f"4-bit elements are two per byte of a uint8 array, not of {array.dtype}")
        if shape is None:
            if not array.ndim:
                raise ValueError("in_shape: an array without dimensions needs one")
            shape = (*array.shape[:-1], 2 * array.shape[-1])
        self.shape = tuple(_numbers(shape, "in_shape"))
        self.ndim, self.size, self.dtype, self.element = len(self.shape), math.prod(self.shape), array.dtype, element
        if (self.size + 1) // 2 != array.size:
            raise ValueError(f"in_shape={self.shape} has {(self.size + 1) // 2} bytes: the array has {array.size}")

    def value(self, text: str) -> np.ndarray:
        """One element, in the low half of a byte."""
        byte = np.zeros((), np.uint8)
        if not lib.sam_dtype_parse_value(self.element, text.encode(), byte.ctypes.data):
            raise ValueError(f"value={text}: not an element of 4 bits of this type")
        return byte


def _pack_inputs(inputs: list[np.ndarray], dtype: str, in_shape: Any) -> list[_Packed]:
    number = c_int()
    if not isinstance(dtype, str) or not lib.sam_dtype_parse(dtype.encode(), byref(number)) or \
            lib.sam_dtype_bits(number) != 4:
        raise ValueError(f"dtype={dtype!r}: expected a type of 4 bits, such as \"i4\" or \"e2m1\"")
    shapes = [in_shape] if len(inputs) == 1 or in_shape is None else list(in_shape)
    shapes *= len(inputs) if in_shape is None else 1
    if len(shapes) != len(inputs):
        raise ValueError(f"in_shape has {len(shapes)} shapes: expected {len(inputs)}")
    return [_Packed(array, shape, number) for array, shape in zip(inputs, shapes)]


def _output_for(plan: c_void_p, first: Any) -> np.ndarray:
    shape: abi.sam_shape = lib.sam_plan_shape(plan).contents
    dims = tuple(shape.dim[: shape.rank])
    if isinstance(first, _Packed):  # rows of whole bytes keep their dimensions
        even = bool(dims) and dims[-1] % 2 == 0
        dims = (*dims[:-1], dims[-1] // 2) if even else ((math.prod(dims) + 1) // 2,)
    return np.empty(dims, first.dtype)


def _numbers(value: Any, what: str, count: Optional[int] = None, low: int = 0) -> list[int]:
    try:
        numbers = [operator.index(n) for n in ([value] if isinstance(value, (int, np.integer)) else value)]
    except TypeError:
        raise ValueError(f"{what}={value!r}: expected integers") from None
    if count is not None and len(numbers) != count:
        raise ValueError(f"{what} has {len(numbers)} numbers: expected {count}")
    if any(n < low or n >= 1 << 63 for n in numbers):
        raise ValueError(f"{what}={value!r}: out of range")
    return numbers


def _shape(dims: Sequence[int]) -> abi.sam_shape:
    if len(dims) > abi.SAM_MAX_RANK:
        raise ValueError(f"{len(dims)} dimensions: at most {abi.SAM_MAX_RANK}")
    shape = abi.sam_shape(rank=len(dims))
    for i, n in enumerate(dims):
        shape.dim[i] = n
    return shape


def _axis(axis: int, rank: int) -> int:
    if not isinstance(axis, (int, np.integer)) or not -rank <= axis < rank:
        raise ValueError(f"axis {axis!r}: the array has {rank} dimensions")
    return int(axis) % rank


def _full(values: Sequence[int]) -> Any:
    return (c_uint64 * abi.SAM_MAX_RANK)(*values)


def _transpose(a: list[Any], plan: Any, *, perm: Optional[Sequence[int]] = None) -> None:
    rank = a[0].ndim
    order = _numbers(range(rank)[::-1] if perm is None else perm, "perm", rank)
    check(lib.sam_plan_transpose, byref(_shape(a[0].shape)), a[0].itemsize, (c_uint * abi.SAM_MAX_RANK)(*order),
          byref(plan))


def _reshape(a: list[Any], plan: Any, *, shape: Numbers) -> None:
    dims = _numbers(shape, "shape", low=-1)
    if -1 in dims:
        at, known = dims.index(-1), 1
        for i, n in enumerate(dims):
            known *= n if i != at else 1
        if dims.count(-1) > 1 or known == 0 or a[0].size % known:
            raise ValueError(f"shape={tuple(dims)}: {a[0].size} elements do not fit")
        dims[at] = a[0].size // known
    check(lib.sam_plan_reshape, byref(_shape(a[0].shape)), a[0].itemsize, byref(_shape(dims)), byref(plan))


def _concat(a: list[Any], plan: Any, *, axis: int = 0) -> None:
    if len({array.ndim for array in a}) > 1:
        raise ValueError("concat: the arrays have different numbers of dimensions")
    rows = (abi.sam_shape * len(a))(*(_shape(array.shape) for array in a))
    check(lib.sam_plan_concat, rows, len(a), a[0].itemsize, _axis(axis, a[0].ndim), byref(plan))


def _compress(a: list[Any], plan: Any, *, mask: Any, axis: int = 0) -> None:
    at = _axis(axis, a[0].ndim)
    keep = np.ascontiguousarray(np.asarray(mask) != 0, "u1")
    if keep.shape != (a[0].shape[at],):
        raise ValueError(f"mask has shape {keep.shape}: axis {at} has {a[0].shape[at]} indices")
    check(lib.sam_plan_compress, byref(_shape(a[0].shape)), a[0].itemsize, at,
          keep.ctypes.data_as(POINTER(c_uint8)), byref(plan))


def _pad(a: list[Any], plan: Any, *, before: Sequence[int], after: Optional[Sequence[int]] = None,
         value: Any = 0) -> None:
    rank = a[0].ndim
    front = _numbers(before, "before", rank)
    back = front if after is None else _numbers(after, "after", rank)
    element = np.array(value)
    element = a[0].value(str(value)) if isinstance(a[0], _Packed) else element.astype(a[0].dtype)
    if element.ndim:
        raise ValueError("value: expected one element")
    check(lib.sam_plan_pad, byref(_shape(a[0].shape)), a[0].itemsize, _full(front), _full(back), element.ctypes.data,
          byref(plan))


def _pair(value: Numbers, what: str) -> list[int]:
    numbers = _numbers(value, what)
    if len(numbers) not in (1, 2):
        raise ValueError(f"{what} has {len(numbers)} numbers: expected one or two")
    return numbers * 2 if len(numbers) == 1 else numbers


def _im2col(a: list[Any], plan: Any, *, kernel: Numbers, stride: Numbers = 1, dilation: Numbers = 1,
            pad: Numbers = 0, layout: str = "nhwc") -> None:
    if layout not in ("nhwc", "nchw"):
        raise ValueError(f"layout={layout!r}: expected \"nhwc\" or \"nchw\"")
    edges = _numbers(pad, "pad")
    if len(edges) not in (1, 2, 4):
        raise ValueError(f"pad has {len(edges)} numbers: expected one, two or four")
    if len(edges) < 4:  # H and W
        top, left = edges[0], edges[-1]
        edges = [top, top, left, left]
    settings = abi.sam_im2col(kernel=tuple(_pair(kernel, "kernel")), stride=tuple(_pair(stride, "stride")),
                              dilation=tuple(_pair(dilation, "dilation")), pad=tuple(edges), nchw=layout == "nchw")
    check(lib.sam_plan_im2col, byref(_shape(a[0].shape)), a[0].itemsize, byref(settings), byref(plan))


_PLANNERS: dict[str, Any] = {"reshape": _reshape, "transpose": _transpose, "im2col": _im2col, "compress": _compress,
             "concat": _concat, "pad": _pad}


def op(name: str, *arrays: np.ndarray, cycles: Config = None, dtype: Optional[str] = None, in_shape: Any = None,
       **parameters: Any) -> OpResult:
    """Run a tensor operator on the TensorLoad unit.

    name        "reshape" (shape), "transpose" (perm), "concat" (axis), "compress" (mask, axis),
                "pad" (before, after, value), "im2col" (kernel, stride, dilation, pad, layout)
    arrays      one, of concat up to 64: contiguous, elements of 1, 2, 4 or 8 bytes, at most 8 dimensions
    cycles      run the engines in time: True, or their parameters as "load_bytes=32" or a dict
    dtype       "i4", "e2m1", "e1m2" or "e3m0": the elements are two per byte of uint8 arrays, the first in the low
                half, and so are those of the output, which has one dimension where its rows end within a byte
    in_shape    with dtype: the shape in elements where rows end within a byte; of several arrays, one for each

    ValueError: no such operator, parameters that do not fit, or arrays of a wrong type or layout.
    """
    if name not in _PLANNERS:
        raise ValueError(f"no operator {name!r}: there are {', '.join(_PLANNERS)}")
    inputs = [_dtypes.check_array(array, f"array {number}") for number, array in enumerate(arrays)]
    if not inputs or (name != "concat" and len(inputs) > 1):
        raise ValueError(f"{name}: {len(inputs)} arrays: expected {'at least one' if name == 'concat' else 'one'}")
    if any(array.dtype != inputs[0].dtype for array in inputs):
        raise ValueError("the arrays have different dtypes")
    if dtype is None and in_shape is not None:
        raise ValueError("in_shape requires dtype")
    planned: Sequence[Any] = inputs
    if dtype is not None:
        planned = _pack_inputs(inputs, dtype, in_shape)
    plan = c_void_p()
    try:
        try:
            _PLANNERS[name](planned, plan, **parameters)
        except TypeError as error:
            if "argument" not in str(error):
                raise
            raise ValueError(f"{name}: {str(error).partition(' ')[2]}") from None
        return _run(plan, inputs, _output_for(plan, planned[0]), cycles)
    finally:
        lib.sam_plan_free(plan)


def _run(plan: c_void_p, inputs: list[np.ndarray], output: np.ndarray, cycles: Config) -> OpResult:
    run, report = Run(), abi.sam_engines_report()
    settings = options(abi.sam_plan_options, stop=run.stop)
    if cycles is not None and cycles is not False:
        config = abi.sam_engines_config()
        lib.sam_engines_defaults(byref(config))
        if config_text(cycles):
            check(lib.sam_engines_parse, config_text(cycles).encode(), byref(config))
        settings.engines, settings.report = pointer(config), pointer(report)
    addresses = (c_void_p * len(inputs))(*(array.ctypes.data for array in inputs))
    run.check(lib.sam_plan_run, plan, addresses, output.ctypes.data, byref(settings))
    figures = abi.sam_plan_figures()
    lib.sam_plan_count(plan, byref(figures))
    text = c_void_p()
    check(lib.sam_plan_describe, plan, byref(text))
    timed = None
    if settings.engines:
        issue, engines = engines_of(report)
        timed = OpCycles(report.cycles, report.instructions, issue, engines)
    return OpResult(output, {name: getattr(figures, name) for name, _ in figures._fields_}, take_text(text),
                    _program(plan, len(inputs)), timed)


def _program(plan: c_void_p, inputs: int) -> str:
    """The program that has run."""
    places, output, text = (c_uint64 * inputs)(), c_uint64(), c_void_p()
    lib.sam_plan_addresses(plan, places, byref(output))
    check(lib.sam_plan_program, plan, places, output, byref(text))
    return take_text(text)


__all__ = ["OpCycles", "OpResult", "op"]
