# SPDX-License-Identifier: Apache-2.0
"""Slices of stored tensors: which runs of elements they are, read where they belong."""
from __future__ import annotations

import operator
from typing import Any, Callable, NamedTuple

import numpy as np

_PANEL = 8 << 20  # bytes that are read at a time where a slice is not one run


class Axis(NamedTuple):
    """The indices start, start + step, ... of a dimension of `size`."""

    start: int
    length: int
    step: int
    size: int


def parse(index: Any, shape: tuple[int, ...]) -> tuple[list[Axis], tuple[int, ...]]:
    """An index as NumPy takes it (integers, slices, ...): its axes, and the shape of the result."""
    items = list(index) if isinstance(index, tuple) else [index]
    dots = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index has at most one ellipsis")
    missing = len(shape) - (len(items) - len(dots))
    if missing < 0:
        raise IndexError(f"{len(items) - len(dots)} indices: the tensor has {len(shape)} dimensions")
    at = dots[0] if dots else len(items)
    items[at: at + 1] = [slice(None)] * missing
    axes, result = [], []
    for number, (item, size) in enumerate(zip(items, shape)):
        if isinstance(item, slice):
            start, stop, step = item.indices(size)
            count = len(range(start, stop, step))
            axes.append(Axis(start, count, step, size))
            result.append(count)
            continue
        if isinstance(item, (bool, np.bool_)):  # a mask in NumPy, not the integers 0 and 1
            raise IndexError(f"index of type {type(item).__name__}: expected integers, slices and ...")
        try:
            i = operator.index(item)
        except TypeError:
            raise IndexError(f"index of type {type(item).__name__}: expected integers, slices and ...") from None
        if not -size <= i < size:
            raise IndexError(f"index {i} of dimension {number}: its size is {size}")
        axes.append(Axis(i % size, 1, 1, size))
    return axes, tuple(result)


def _is_run(axes: list[Axis]) -> bool:
    """Whether the elements follow one another: single indices, a range, then whole dimensions."""
    ranged = next((k for k, axis in enumerate(axes) if axis.length != 1), len(axes))
    rest = axes[ranged + 1:]
    return (ranged == len(axes) or axes[ranged].step == 1) and all(a.step == 1 and a.length == a.size for a in rest)


def fill(read: Callable[[int, np.ndarray], None], out: np.ndarray, axes: list[Axis], at: int = 0) -> None:
    """Fill `out`, which is contiguous and has one dimension per axis. read(first, array) reads the
    elements from `first` on into a contiguous array."""
    if out.size == 0:
        return
    if _is_run(axes):
        scale = 1
        for axis in reversed(axes):
            at += axis.start * scale
            scale *= axis.size
        read(at, out)
        return
    axis, rest = axes[0], axes[1:]
    inner = 1
    for other in rest:
        inner *= other.size
    stride = abs(axis.step) * inner
    rows = max(1, _PANEL // out.itemsize // max(stride, 1))
    if axis.length == 1 or rows == 1:
        for j in range(axis.length):
            fill(read, out[j], rest, at + (axis.start + j * axis.step) * inner)
        return
    others = tuple(_as_slice(other) for other in rest)
    for j in range(0, axis.length, rows):
        count = min(rows, axis.length - j)
        ends = axis.start + j * axis.step, axis.start + (j + count - 1) * axis.step
        low, high = min(ends), max(ends) + 1
        panel = np.empty((high - low, *(other.size for other in rest)), out.dtype)
        read(at + low * inner, panel)
        picked = panel[:: abs(axis.step)]
        out[j: j + count] = (picked if axis.step > 0 else picked[::-1])[(slice(None), *others)]


def _as_slice(axis: Axis) -> slice:
    end = axis.start + axis.length * axis.step
    return slice(axis.start, None if end < 0 else end, axis.step)
