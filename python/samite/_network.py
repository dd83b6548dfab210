# SPDX-License-Identifier: Apache-2.0
"""Networks: ONNX models on arrays, with the cycles of the system."""
from __future__ import annotations

import json
import os
import weakref
from ctypes import POINTER, byref, c_char_p, c_void_p, memmove, pointer
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _abi as abi
from . import _dtypes
from ._gpu import Config, config_text
from ._library import check, lib, options, path_bytes, take_text
from ._run import Run

_WEIGHTS = {"raw": abi.SAM_NETWORK_RAW, "huffman": abi.SAM_NETWORK_HUFFMAN, "window": abi.SAM_NETWORK_WINDOW}


@dataclass(frozen=True)
class NetworkResult:
    """A run of a network.

    outputs    arrays by name: the outputs of the model, in its order, then the values that are kept
    figures    cycles, bound, busiest unit and bytes of DRAM, of the run and of each of its `steps`
    report     the same for people
    """

    outputs: dict[str, np.ndarray]
    figures: dict[str, Any]
    report: str


class _Plan:
    """The network for inputs of some shapes."""

    def __init__(self, path: bytes, made: Any) -> None:
        self.network = c_void_p()
        check(lib.sam_network_open, path, byref(made), byref(self.network))
        self._free = weakref.finalize(self, lib.sam_network_close, self.network)
        self.inputs = self._tensors(lib.sam_network_input)
        self.outputs = self._tensors(lib.sam_network_output)
        self.values = self._tensors(lib.sam_network_value)

    def _tensors(self, function: Any) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
        found: dict[str, tuple[np.dtype, tuple[int, ...]]] = {}
        tensor = abi.sam_network_tensor()
        while function(self.network, len(found), byref(tensor)):
            element = _dtypes.of_number(tensor.dtype)
            found[tensor.name.decode()] = (element.numpy, tuple(tensor.shape[: tensor.rank]))
        return found


class Network:
    """An ONNX model (docs/networks.md), called with its inputs in order or by name.

    path      of the model; external data is read from its folder
    dims      sizes of symbolic dimensions, by name; those of inputs come from the arrays of a call
    machine   "host", or "system": the hart, the matrix unit and the GPU
    cycles    on the system: True, or parameters as "mem.dram_bytes=32" or a dict; slower
    weights   in DRAM: "raw", or packed as "huffman" or "window" codes
    keep      names of values inside the network that a run returns
    fused     False: a step for each node
    state     inputs that a call takes from outputs of the call before, at first zeros: {input: output}
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, dims: Optional[Mapping[str, int]] = None,
                 machine: str = "host", cycles: Config = False, weights: str = "raw", keep: Sequence[str] = (),
                 fused: bool = True, state: Optional[Mapping[str, str]] = None) -> None:
        if machine not in ("host", "system"):
            raise ValueError(f"machine={machine!r}: expected host, system")
        if weights not in _WEIGHTS:
            raise ValueError(f"weights={weights!r}: expected {', '.join(_WEIGHTS)}")
        if cycles and machine != "system":
            raise ValueError("cycles: expected machine=\"system\"")
        self._path, self._dims, self._system = path_bytes(path), dict(dims or {}), machine == "system"
        with open(self._path, "rb"):  # OSError
            pass
        self._weights, self._keep, self._fused = _WEIGHTS[weights], [name.encode() for name in keep], fused
        self._state, self._cycles = dict(state or {}), bool(cycles)
        self._config = c_void_p()
        check(lib.sam_system_config_new, byref(self._config))
        self._free_config = weakref.finalize(self, lib.sam_system_config_free, self._config)
        text = config_text(cycles)
        if text:
            check(lib.sam_system_config_set, self._config, text.encode())
        self._plans: dict[Any, _Plan] = {}

    def _plan(self, shapes: Sequence[tuple[Optional[str], tuple[int, ...]]]) -> _Plan:
        key = tuple(shapes)
        if key not in self._plans:
            dims = (abi.sam_network_dim * max(len(self._dims), 1))()
            for row, (name, size) in zip(dims, self._dims.items()):
                row.name, row.size = name.encode(), size
            rows = (abi.sam_network_shape * max(len(shapes), 1))()
            for row, (input_name, shape) in zip(rows, shapes):
                if len(shape) > 8:
                    raise ValueError(f"an array of {len(shape)} dimensions: at most 8")
                row.input, row.rank = input_name.encode() if input_name is not None else None, len(shape)
                row.shape[: len(shape)] = shape
            keep = (c_char_p * max(len(self._keep), 1))(*self._keep)
            made = options(abi.sam_network_options, dims=dims, dim_count=len(self._dims), shapes=rows,
                           shape_count=len(shapes), keep=keep, keep_count=len(self._keep), weights=self._weights,
                           unfused=not self._fused)
            plan = _Plan(self._path, made)
            for name, output in self._state.items():
                check(lib.sam_network_keep_state, plan.network, name.encode(), output.encode())
            self._plans[key] = plan
        return self._plans[key]

    @property
    def inputs(self) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
        """Types and shapes by name, where `dims` and the model settle them."""
        return dict(self._plan(()).inputs)

    @property
    def outputs(self) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
        return dict(self._plan(()).outputs)

    def plan(self, *arrays: Any, **named: Any) -> str:
        """The steps for inputs of these shapes, a line for each."""
        plan = self._plan([(None, np.shape(a)) for a in arrays] + [(k, np.shape(a)) for k, a in named.items()])
        text = c_void_p()
        check(lib.sam_network_list, plan.network, byref(text))
        return take_text(text)

    def run(self, *arrays: Any, **named: Any) -> NetworkResult:
        """Run it once. ValueError: an array is missing or does not fit; Trap: a step failed."""
        given = [np.asarray(a, order="C") for a in arrays]
        by_name = {name: np.asarray(a, order="C") for name, a in named.items()}
        plan = self._plan([(None, a.shape) for a in given] + [(name, a.shape) for name, a in by_name.items()])
        free = [name for name in plan.inputs if name not in by_name]
        if len(given) > len(free):
            raise ValueError(f"{len(given)} arrays for {len(free)} inputs")
        by_name.update(zip(free, given))
        wanted = list(plan.outputs) + [name.decode() for name in self._keep]
        rows, made = self._arrays(by_name, wanted)
        run, figures = Run(), POINTER(abi.sam_network_figures)()
        settings = options(abi.sam_network_run_options, system=self._system, timing=self._cycles,
                           sum_order=abi.SAM_TILE_SUM_SYSTEM, config=self._config, stop=run.stop)
        run.check(lib.sam_network_run, plan.network, rows, len(by_name) + len(wanted), byref(settings),
                  byref(figures))
        try:
            report = self._report(figures, abi.SAM_NETWORK_TEXT)
            return NetworkResult({name: self._take(made[name]) for name in wanted},
                                 json.loads(self._report(figures, abi.SAM_NETWORK_JSON)), report)
        finally:
            lib.sam_network_figures_free(figures)

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        """The output of the model, or a tuple if there are several."""
        outputs = tuple(self.run(*arrays, **named).outputs.values())
        return outputs[0] if len(outputs) == 1 else outputs

    def _report(self, figures: Any, kind: int) -> str:
        text = c_void_p()
        check(lib.sam_network_report, figures, os.path.basename(self._path), kind, byref(text))
        return take_text(text)

    @staticmethod
    def _arrays(inputs: Mapping[str, np.ndarray], outputs: Sequence[str]) -> tuple[Any, dict[str, abi.sam_array]]:
        rows = (abi.sam_network_array * max(len(inputs) + len(outputs), 1))()
        made: dict[str, abi.sam_array] = {}
        for row, (name, array) in zip(rows, inputs.items()):
            element = _dtypes.of_numpy(array.dtype, name)
            made[name] = abi.sam_array(dtype=element.number, rank=array.ndim, count=array.size, size=array.nbytes,
                                       data=array.ctypes.data)
            made[name].shape[: array.ndim] = array.shape
            row.name, row.array = name.encode(), pointer(made[name])
        for index, name in enumerate(outputs, len(inputs)):
            made[name] = abi.sam_array()
            rows[index].name, rows[index].array = name.encode(), pointer(made[name])
        return rows, made

    @staticmethod
    def _take(array: abi.sam_array) -> np.ndarray:
        element = _dtypes.of_number(array.dtype)
        copy = np.empty(tuple(array.shape[: array.rank]), element.numpy)
        if array.size:
            memmove(copy.ctypes.data, array.data, array.size)
        lib.sam_array_free(byref(array))
        return copy


__all__ = ["Network", "NetworkResult"]
