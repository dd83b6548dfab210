# SPDX-License-Identifier: Apache-2.0
"""One program under many configurations of its machine in time."""
from __future__ import annotations

import itertools
import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from ._arguments import InOut, Out
from ._gpu import Gpu
from ._hart import Hart
from ._library import Stopped, Trap
from ._programs import Source
from ._run import stop_threads
from ._signals import held_signals
from ._system import System


@dataclass(frozen=True)
class SweepRow:
    """A run. `config`: the values of its parameters; `cycles`: None of a run that failed; `result`: what the
    run gave (LaunchResult, HartResult, SystemResult, or the function's); `error`: why it failed, or None."""

    config: dict[str, Any]
    cycles: Optional[int]
    result: Any
    error: Optional[str]


Config = dict  # values by parameter


def _copies(arguments: Sequence[Any]) -> list[Any]:
    """Runs do not share the arrays that they write to."""
    fresh: list[Any] = []
    for argument in arguments:
        if isinstance(argument, Out):
            fresh.append(Out(argument.array.shape, argument.array.dtype))
        elif isinstance(argument, InOut):
            fresh.append(InOut(np.array(argument.array, order="C")))
        else:
            fresh.append(argument)
    return fresh


def _cycles_of(result: Any) -> Optional[int]:
    cycles = getattr(result, "cycles", result)
    cycles = getattr(cycles, "cycles", cycles)
    return int(cycles) if isinstance(cycles, (int, np.integer)) and not isinstance(cycles, bool) else None


def _runner(program: Source, arguments: Sequence[Any], machine: str, kernel: Optional[str], launch: Mapping[str, Any],
            gpu_code: Sequence[Source], weights: Any, settings: Mapping[str, Any]) -> Callable[[Config], Any]:
    def ventus(config: Config) -> Any:
        gpu = Gpu(cycles=config or True, **settings)
        gpu.load(program)
        return gpu.launch(str(kernel), *_copies(arguments), **launch)

    def tensor(config: Config) -> Any:
        hart = Hart(cycles=config or True, **settings)
        hart.load(program)
        return hart.run(*_copies(arguments))

    def system(config: Config) -> Any:
        whole = System(cycles=config or True, **settings)
        for code in gpu_code:
            whole.load_gpu(code)
        whole.load(program)
        if weights is not None:
            whole.load_weights(weights)
        return whole.run(*_copies(arguments))

    runners = {"ventus": ventus, "tensor": tensor, "system": system}
    if machine not in runners:
        raise ValueError(f"machine={machine!r}: expected {', '.join(runners)}")
    if (machine == "ventus") != (kernel is not None):
        raise ValueError("kernel is for machine \"ventus\", which needs one")
    return runners[machine]


def sweep(program: Union[Source, Callable[[Config], Any]], config: Mapping[str, Sequence[Any]], *arguments: Any,
          machine: str = "tensor", kernel: Optional[str] = None, launch: Optional[Mapping[str, Any]] = None,
          gpu_code: Sequence[Source] = (), weights: Any = None, jobs: int = 1,
          progress: Optional[Callable[[int, int], Any]] = None, **settings: Any) -> list[SweepRow]:
    """Run a program under every combination of parameters, and count its cycles.

    program    the path of assembly or of an ELF file, or a Program; or a function that takes a dict of
               parameters and returns cycles, or an object with `cycles`
    config     values by parameter: {"mpara": [2, 4], "slots": [4, 8]}; those of the GPU have no prefix with
               machine "ventus"
    arguments  of the kernel or program; each run has its own Out and InOut arrays, in row.result.outputs
    machine    "tensor", "ventus" (with kernel, and in `launch` the keywords of Gpu.launch), or "system"
               (with gpu_code and weights)
    jobs       runs at a time
    progress   called with runs done and runs in all
    settings   further keywords of Hart, Gpu or System

    The rows have the order of itertools.product. A run that fails, or a configuration that cannot be, has its
    reason in row.error; OSError and errors of a program's text are raised.
    """
    names = list(config)
    values = [list(rows) if not isinstance(rows, (str, bytes)) else [rows] for rows in config.values()]
    combinations = [dict(zip(names, row)) for row in itertools.product(*values)]
    if callable(program):
        if arguments or settings or kernel or launch or gpu_code or weights is not None:
            raise ValueError("a function is run with its parameters alone")
        run: Callable[[Config], Any] = program
    else:
        run = _runner(program, arguments, machine, kernel, launch or {}, gpu_code, weights, settings)
    if not isinstance(jobs, int) or jobs < 1:
        raise ValueError(f"jobs={jobs!r}: expected a number of at least 1")

    threads: set[int] = set()  # that have begun a run

    def row(parameters: Config) -> SweepRow:
        threads.add(threading.get_ident())
        try:
            result = run(dict(parameters))
            return SweepRow(parameters, _cycles_of(result), result, None)
        except (Trap, Stopped) as error:
            return SweepRow(parameters, None, getattr(error, "result", None), str(error))
        except ValueError as error:
            if hasattr(error, "messages"):
                raise
            return SweepRow(parameters, None, None, str(error))

    rows: list[SweepRow] = []
    # Signals are held: an exception at any point, such as that of a second Ctrl-C, could leave runs behind.
    with held_signals() as held, ThreadPoolExecutor(jobs, "sweep") as pool:
        futures: list[Future[SweepRow]] = [pool.submit(row, parameters) for parameters in combinations]
        try:
            for future in futures:
                while held.error is None and wait([future], timeout=0.05).not_done:
                    pass
                if held.error is not None:
                    break
                rows.append(future.result())
                if progress:
                    progress(len(rows), len(futures))
        finally:
            for future in futures:
                future.cancel()
            while wait(futures, timeout=0.05).not_done:
                stop_threads(list(threads))  # again and again: a run, or a thread, may be about to begin
    return rows
