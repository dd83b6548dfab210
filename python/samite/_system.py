# SPDX-License-Identifier: Apache-2.0
"""The system: a tensor hart, a GPU and a weight unit on one memory."""
from __future__ import annotations

import json
from ctypes import POINTER, byref, c_void_p, cast, pointer, string_at
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from . import _abi as abi
from ._arguments import Argument, InOut, Out, outputs_of
from ._gpu import Config, GpuStats, config_text
from ._gpu import stats_of as gpu_stats_of
from ._hart import Console, Registers, end_name, hart_trap, pass_arguments
from ._library import check, failure, lib, options, take_text, text_of, type_of
from ._machine import Mapped
from ._mapping import Bytes
from ._programs import Program, Source, acc_regs_of, parse_isa, read_program
from ._run import Run, gpu_trap, trap_name
from ._weights import thread_count

DEFAULT_ISA = "rv64ima_zicsr_zfinx_xtensorload_xmatrix"


@dataclass(frozen=True)
class LaunchRow:
    """A launch that has ended. `trap`: "none", or what ended it."""

    number: int
    kernel: Optional[str]
    warp_insns: int
    trap: str


@dataclass(frozen=True)
class SystemCycles:
    """The cycles of a system: `figures` has everything, `report` is for people."""

    cycles: int
    instructions: int  # of the hart
    figures: dict[str, Any]
    report: str


@dataclass(frozen=True)
class SystemResult:
    """A run that ended well. `stats`: counts of the system by name; `gpu`: of its launches together;
    `races`: what was found, as text, with races=True."""

    end: str
    exit_code: int
    instructions: int
    output: str
    outputs: tuple[np.ndarray, ...]
    launches: tuple[LaunchRow, ...]
    stats: dict[str, int]
    gpu: GpuStats
    cycles: Optional[SystemCycles]
    races: str


class System(Mapped):
    """A system (docs/system.md). The hart's program is loaded with load, those of the GPU with load_gpu.

    isa          of the hart, "rv64ima_zicsr_zfinx_xtensorload_xmatrix" by default
    mlen         bits of a row of the matrix unit: 128, 256, 512
    acc_regs     matrix registers that may be md of a product, and then not its sources: "all", or as "0:4"
    jobs         worker threads of the GPU; None: as many as the process may use
    stats        count everything; slower
    cycles       count cycles: True, or parameters as "mem.dram_bytes=32,mx.mpara=8" or a dict; slower
    raw_weights  with cycles: charge packed weights as copies of their raw bytes
    max_insns    of the hart per run, kernel_max_insns of each warp per launch; 0: no limit
    heap_size, l1m_size, l0m_size  bytes, multiples of 4096; 0: the defaults
    gpu_traps    what a trap of a kernel does: "end" ends the run, "report" tells the program
    races        find races between the units; slower
    folder       the program may open files below it; arguments: its command line
    progress     called with instructions of the hart, their limit and the pc
    """
    _kind = "_system"
    _calls = {"alloc": lib.sam_system_alloc, "map": lib.sam_system_map,
              "write": lib.sam_system_write, "read": lib.sam_system_read}

    def __init__(self, isa: str = DEFAULT_ISA, *, mlen: int = 512, acc_regs: str = "all", jobs: Optional[int] = None,
                 stats: bool = False, cycles: Config = None, raw_weights: bool = False, max_insns: int = 0,
                 kernel_max_insns: int = 0, heap_size: int = 0, l1m_size: int = 0, l0m_size: int = 0,
                 gpu_traps: str = "end", races: bool = False, folder: Any = None, arguments: Sequence[str] = (),
                 progress: Optional[Callable[[int, int, int], Any]] = None) -> None:
        traps = {"end": abi.SAM_SYSTEM_TRAPS_END, "report": abi.SAM_SYSTEM_TRAPS_REPORT}
        if gpu_traps not in traps:
            raise ValueError(f"gpu_traps={gpu_traps!r}: expected \"end\" or \"report\"")
        self._system = c_void_p()
        self._run = Run()
        self._programs: list[Program] = []
        self._kernels: list[Program] = []
        self._launches: list[LaunchRow] = []
        self._console = Console(self._run, folder, arguments)
        self.isa = isa
        self._narrow = parse_isa(isa).xlen == 32
        self._races = races
        sink = abi.sam_sink(type_of(abi.sam_sink, "write")(self._run.guard(self._print, False)))
        self._hart_options = options(abi.sam_hart_options, isa=parse_isa(isa), mlen=mlen,
                                     acc_regs=acc_regs_of(acc_regs), collect_stats=stats, max_insns=max_insns,
                                     stop=self._run.stop, hostio=self._console.hostio)
        self._gpu_options = options(abi.sam_gpu_options, jobs=thread_count(jobs, "jobs"), collect_stats=stats,
                                    max_insns=kernel_max_insns, stop=self._run.stop, print=sink)
        if progress is not None:
            tell = progress

            def told(_: Any, p: Any) -> None:
                now: abi.sam_hart_progress = p.contents
                tell(now.instructions, now.limit, now.pc)

            self._hart_options.progress = type_of(abi.sam_hart_options, "progress")(self._run.guard(told))
        self._options = options(abi.sam_system_options, hart=pointer(self._hart_options),
                                gpu=pointer(self._gpu_options), heap_size=heap_size, l1m_size=l1m_size,
                                l0m_size=l0m_size, gpu_traps=traps[gpu_traps], check_races=races)
        self._options.launched = type_of(abi.sam_system_options, "launched")(self._run.guard(self._launched))
        self._counts_cycles = cycles is not None and cycles is not False
        if self._counts_cycles:
            self._new_timed(config_text(cycles), raw_weights)
        else:
            check(lib.sam_system_new, byref(self._options), byref(self._system))
        self.regs = Registers(lambda: lib.sam_system_hart(self._system))

    def _new_timed(self, text: str, raw_weights: bool) -> None:
        config = c_void_p()
        check(lib.sam_system_config_new, byref(config))
        try:
            check(lib.sam_system_config_set, config, text.encode())
            self._timing = options(abi.sam_system_timing, config=config, raw_weights=raw_weights)
            self._options.timing = pointer(self._timing)
            check(lib.sam_system_new, byref(self._options), byref(self._system))
        finally:
            lib.sam_system_config_free(config)  # the system has copied it

    def __del__(self) -> None:
        system = getattr(self, "_system", None)
        if system:
            lib.sam_system_free(system)

    def _print(self, _: Any, data: int, size: int) -> bool:
        self._console.text += string_at(data, size)
        return True

    def _launched(self, _: Any, launch: Any) -> None:
        row: abi.sam_system_launch = launch.contents
        result: abi.sam_gpu_result = row.result.contents
        self._launches.append(LaunchRow(row.number, row.kernel.decode() if row.kernel else None,
                                        result.stats.warp_insns, trap_name(result.trap.kind)))

    # --- programs, weights and memory

    def load(self, program: Source, *, defines: Optional[Mapping[str, Any]] = None,
             include_paths: Sequence[Any] = ()) -> Program:
        """Load the hart's program: the path of assembly or of an ELF file, or a Program."""
        loaded = read_program(program, isa=self.isa, base=abi.SAM_SYSTEM_CODE_BASE, defines=defines,
                              include_paths=include_paths)
        check(lib.sam_system_load, self._system, loaded.image)
        self._programs.append(loaded)
        return loaded

    def load_gpu(self, program: Source, *, base: Optional[int] = None, defines: Optional[Mapping[str, Any]] = None,
                 include_paths: Sequence[Any] = ()) -> Program:
        """Load a program of the GPU, by default after those before it."""
        ends = [kernels.end for kernels in self._kernels]
        base = base if base is not None else max([abi.SAM_CODE_BASE, *((end + 4095) & ~4095 for end in ends)])
        loaded = read_program(program, isa="ventus", base=base, defines=defines, include_paths=include_paths,
                              kernels=True)
        check(lib.sam_system_load_gpu, self._system, loaded.image)
        self._kernels.append(loaded)
        return loaded

    def load_weights(self, path: Any, address: int = 0) -> None:
        """Map a packed file for the program: at an address, or in the first free buffer."""
        data = Bytes(path)
        check(lib.sam_system_load_weights, self._system, data.address, data.size, address, prefix=data.prefix)

    # --- runs

    def run(self, *arguments: Argument) -> SystemResult:
        """Run the hart's program until it ends, or a kernel traps. Arguments as for Hart.run; without arguments
        the registers stay as they are (a1: the directory of the weights).

        Trap: the program or a kernel failed.
        """
        self._run.expect_idle()
        addresses = {}
        if arguments:
            addresses = pass_arguments(self, self.regs, self._narrow, arguments)
        self._console.text.clear()
        self._launches.clear()
        result = abi.sam_system_result()
        status, error = self._run.call(lib.sam_system_run, self._system, byref(result))
        for number, argument in enumerate(arguments):
            if isinstance(argument, (Out, InOut)):
                self.read(addresses[number], argument.array)
        done = self._result(result, outputs_of(arguments))
        if status == abi.SAM_ERR_TRAP:
            raise self._trap(result, text_of(error), done)
        if status != abi.SAM_OK:
            raise failure(status, error)
        return done

    def _trap(self, result: abi.sam_system_result, text: str, done: SystemResult) -> BaseException:
        trap: abi.sam_trap = result.trap
        if result.end == abi.SAM_SYSTEM_END_TRAP:
            symbol = next((p.describe(trap.pc) for p in self._kernels if trap.pc < p.end), None)
            return gpu_trap(trap, text, symbol, machine="system", launch=result.trapped_launch, result=done)
        program = self._programs[-1] if self._programs else None
        return hart_trap(result.hart, text, program, machine="system", result=done)

    def _result(self, result: abi.sam_system_result, outputs: tuple[np.ndarray, ...]) -> SystemResult:
        counts = cast(lib.sam_system_stats(self._system), POINTER(abi.sam_system_stats)).contents
        gpu = cast(lib.sam_system_gpu_stats(self._system), POINTER(abi.sam_gpu_stats)).contents
        return SystemResult(
            end="kernel trap" if result.end == abi.SAM_SYSTEM_END_TRAP else end_name(result.hart.end),
            exit_code=result.hart.exit_code, instructions=result.hart.instructions,
            output=self._console.text.decode("utf-8", "replace"), outputs=outputs, launches=tuple(self._launches),
            stats={name: getattr(counts, name) for name, _ in counts._fields_}, gpu=gpu_stats_of(gpu),
            cycles=self.cycles(), races=self._race_text())

    def _race_text(self) -> str:
        if not self._races:
            return ""
        text = c_void_p()
        check(lib.sam_system_print_races, self._system, 0, byref(text))
        return take_text(text)

    def cycles(self) -> Optional[SystemCycles]:
        """Cycles so far, as if the program ended here; None without cycles=True."""
        if not self._counts_cycles:
            return None
        figures = POINTER(abi.sam_system_figures)()
        check(lib.sam_system_measure, self._system, byref(figures))
        try:
            texts: list[str] = []
            for form in (abi.SAM_SYSTEM_JSON, abi.SAM_SYSTEM_TEXT):
                text = c_void_p()
                check(lib.sam_system_report, figures, None, form, byref(text))
                texts.append(take_text(text))
            return SystemCycles(figures.contents.cycles, figures.contents.instructions, json.loads(texts[0]), texts[1])
        finally:
            lib.sam_system_figures_free(figures)
