# SPDX-License-Identifier: Apache-2.0
"""Kernels on the Ventus GPGPU."""
from __future__ import annotations

import ctypes
import json
import weakref
from ctypes import byref, c_char_p, c_uint32, c_void_p, cast, pointer, string_at
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _abi as abi
from ._arguments import (Argument, InOut, Local, Memory, Out, address_of, array_of, outputs_of, scalar_bytes, three,
                         value_bytes)
from ._library import check, failure, lib, name_bytes, options, struct_of, take_text, text_of, type_of
from ._machine import Addressed
from ._programs import KernelArgument, Program, Source, assemble_kernels, read_program
from ._run import Run, gpu_trap
from ._session import Session
from ._weights import thread_count

Config = Union[None, bool, str, Mapping[str, Any]]


@dataclass(frozen=True)
class BranchStats:
    """A branch: warps that executed it, and those that diverged there."""

    pc: int
    word: int
    executed: int
    diverged: int


@dataclass(frozen=True)
class GpuStats:
    """Counts of a launch. Below `warps` they are filled with stats=True only."""

    warp_insns: int  # warp instructions
    seconds: float  # wall time of the launch
    workgroups: int
    warps: int
    scalar_insns: int
    vector_insns: int
    lane_insns: int  # scalar instructions count 1, vector ones their active lanes
    vector_lanes: int
    vector_slots: int
    barriers: int
    memory_insns: int
    memory_accesses: int
    lines: int  # distinct 64-byte lines, summed over instructions that access global memory
    global_insns: int
    lds_insns: int
    lds_conflicts: int
    simt_depth: int
    branches: tuple[BranchStats, ...] = ()
    mix: dict[str, int] = field(default_factory=dict)  # warp instructions by mnemonic


@dataclass(frozen=True)
class GpuCycles:
    """The cycles of a launch. `figures` has everything: units, warps, instructions, caches; `report` is
    for people."""

    cycles: int  # from the first warp's start to the last endprg
    launch_cycles: int  # from the host's request to the reply
    insns: int  # warp instructions issued
    figures: dict[str, Any]
    report: str

    @property
    def ipc(self) -> float:
        """Warp instructions per cycle."""
        return self.insns / self.cycles if self.cycles else 0.0


@dataclass(frozen=True)
class LaunchResult:
    """A launch that ended: the arrays of its Out and InOut arguments in order, what it printed and counted."""

    outputs: tuple[np.ndarray, ...]
    stats: GpuStats
    cycles: Optional[GpuCycles]
    prints: str


def stats_of(s: abi.sam_gpu_stats) -> GpuStats:
    plain = {name: getattr(s, name) for name, _ in s._fields_
             if name not in ("branches", "branch_count", "mix", "mix_count")}
    branches, mix = [], {}
    for i in range(s.branch_count):
        b: abi.sam_branch_stats = s.branches[i]
        branches.append(BranchStats(b.pc, b.word, b.executed, b.diverged))
    for i in range(s.mix_count):
        row: abi.sam_mix_row = s.mix[i]
        mix[row.mnemonic.decode()] = row.warp_insns
    return GpuStats(**plain, branches=tuple(branches), mix=mix)


def config_text(config: Config) -> str:
    """Parameters of a model as the library takes them: "name=value,name=value"."""
    if config is None or isinstance(config, bool):
        return ""
    if isinstance(config, str):
        return config
    if not isinstance(config, Mapping):
        raise ValueError(f"parameters of a model are a {type(config).__name__}: expected True, a str or a dict")
    items = sorted(config.items(), key=lambda item: not item[0].endswith("preset"))  # a preset comes first
    return ",".join(f"{name}={int(value) if isinstance(value, bool) else value}" for name, value in items)


class Gpu(Addressed):
    """A Ventus GPGPU with its memory.

    jobs       worker threads; results do not depend on it. None: as many as the process may use
    stats      count everything (GpuStats); slower
    cycles     count cycles: True, or parameters of the model as "preset=verilog,mem_latency=16" or a dict;
               slower, one thread
    max_insns  instructions that a warp may run per launch; 0: no limit
    schedule   within a workgroup: "run" or "rr1" (one instruction per warp)
    simt_stack_limit  entries; 0: 65536
    loose_bounds      accesses outside of all buffers are allowed
    progress   called with workgroups done, workgroups in all, warp instructions so far, from any thread

    One thread uses a Gpu at a time. Ctrl-C and an exception in `progress` end a launch.
    """
    _kind = "_gpu"
    _calls = {"write": lib.sam_gpu_write, "read": lib.sam_gpu_read}

    def __init__(self, *, jobs: Optional[int] = None, stats: bool = False, cycles: Config = None, max_insns: int = 0,
                 schedule: str = "run", simt_stack_limit: int = 0, loose_bounds: bool = False,
                 progress: Optional[Callable[[int, int, int], Any]] = None) -> None:
        schedules = {"run": abi.SAM_SCHEDULE_RUN, "rr1": abi.SAM_SCHEDULE_RR1}
        if schedule not in schedules:
            raise ValueError(f"schedule={schedule!r}: expected \"run\" or \"rr1\"")
        self._gpu = c_void_p()
        self._run = Run()
        self._prints = bytearray()
        self._programs: list[Program] = []
        self._opened: Callable[[], Optional[Session]] = lambda: None  # the session opened last
        self._config: Optional[abi.sam_gputime_config] = None
        self._options = options(abi.sam_gpu_options, jobs=thread_count(jobs, "jobs"), schedule=schedules[schedule],
                                collect_stats=stats, max_insns=max_insns, simt_stack_limit=simt_stack_limit,
                                loose_bounds=loose_bounds, fit_pds=True, stop=self._run.stop)
        self._options.print = abi.sam_sink(type_of(abi.sam_sink, "write")(self._run.guard(self._print, False)))
        if progress is not None:
            tell = progress

            def told(_: Any, p: Any) -> None:
                now: abi.sam_gpu_progress = p.contents
                tell(now.done, now.workgroups, now.warp_insns)

            self._options.progress = type_of(abi.sam_gpu_options, "progress")(self._run.guard(told))
        if cycles is not None and cycles is not False:
            self._config = abi.sam_gputime_config()
            lib.sam_gputime_config_init(byref(self._config))
            check(lib.sam_gputime_config_set, byref(self._config), config_text(cycles).encode())
            check(lib.sam_gputime_config_check, byref(self._config))
            self._timing = options(abi.sam_gpu_timing, config=pointer(self._config))
            self._options.timing = pointer(self._timing)
        check(lib.sam_gpu_new, byref(self._options), byref(self._gpu))

    def __del__(self) -> None:
        gpu = getattr(self, "_gpu", None)
        if gpu:
            lib.sam_gpu_free(gpu)

    def _print(self, _: Any, data: int, size: int) -> bool:
        self._prints += string_at(data, size)
        return True

    # --- programs

    def load(self, program: Source, *, base: int = abi.SAM_CODE_BASE, defines: Optional[Mapping[str, Any]] = None,
             include_paths: Sequence[Any] = ()) -> Program:
        """Load a program, whose kernels can then be launched: the path of assembly, OpenCL C (.cl) or an ELF file, or
        a Program.

        base, defines and include_paths are for sources. OpenCL C needs clang. Start code goes in front of assembly
        without _start.
        OSError: it cannot be read; SourceError: the text has errors; ValueError: it cannot be loaded.
        """
        return self._load(read_program(program, isa="ventus", base=base, defines=defines,
                                       include_paths=include_paths, kernels=True))

    def assemble(self, text: str, *, base: int = abi.SAM_CODE_BASE, name: str = "<text>",
                 defines: Optional[Mapping[str, Any]] = None, include_paths: Sequence[Any] = ()) -> Program:
        """Assemble a text and load it. Errors as for load."""
        return self._load(assemble_kernels(text, base=base, name=name, defines=defines, include_paths=include_paths))

    def _load(self, program: Program) -> Program:
        if program.xlen != 32:
            raise ValueError(f"{program.name}: a program for RV{program.xlen}: the GPU runs RV32")
        check(lib.sam_gpu_load, self._gpu, program.image)
        self._programs.append(program)
        return program

    def _find(self, kernel: str) -> Program:
        for program in reversed(self._programs):
            if lib.sam_image_find(program.image, name_bytes(kernel, "kernel")):
                return program
        if not self._programs:
            raise ValueError("no program is loaded")
        names = [name for program in self._programs for name in program.symbols
                 if name != "_start" and not name.startswith((".", "$"))]
        raise ValueError(f"no symbol '{kernel}'; there are {', '.join(names[:8]) or 'none'}")

    # --- memory

    def alloc(self, size: int) -> Memory:
        """A new buffer of `size` bytes, zeros. It stays until it is freed."""
        address = c_uint32()
        if not 0 < size < 1 << 32:
            raise ValueError(f"a buffer of {size} bytes: expected 1 to 2^32 - 1")
        check(lib.sam_gpu_alloc, self._gpu, size, byref(address))
        return Memory(self, address.value, size)

    def buffer(self, array: np.ndarray) -> Memory:
        """A new buffer with the bytes of a contiguous array."""
        memory = self.alloc(max(array_of(array, 0).nbytes, 4))  # type: ignore[union-attr]
        self.write(memory.address, array)
        return memory

    def free(self, memory: Memory) -> None:
        """Give a buffer back; accesses to it trap again."""
        check(lib.sam_gpu_unmap, self._gpu, memory.address)

    # --- launches

    def launch(self, kernel: str, *arguments: Argument, grid: Union[int, Sequence[int]] = 1,
               block: Union[int, Sequence[int]] = 1, items: Union[None, int, Sequence[int]] = None, lanes: int = 32,
               private: int = 0, local: int = 0, print_size: int = 0,
               offset: Union[None, int, Sequence[int]] = None) -> LaunchResult:
        """Run a kernel to its end.

        kernel      symbol of its first instruction
        arguments   arrays (copied in), Out and InOut (copied back), Local, Memory (its address), scalars:
                    int as 32 bits, float as f32, NumPy's with their own width. They must fit what a kernel in OpenCL C
                    takes: int and float become its type; vectors and structs are NumPy's arrays and structured scalars
        grid        workgroups in x, y, z; block: work-items per workgroup
        items       work-items in all, instead of grid
        lanes       4, 8, 16 or 32 per warp
        private     bytes of private memory per work-item; 0: what the program says, else 1024
        local       bytes of local memory that the kernel uses beyond its Local arguments
        print_size  bytes of a buffer for the kernel's prints
        offset      where global ids begin in x, y, z

        Trap: the kernel failed; ValueError: no such kernel, or a launch that cannot be.
        """
        owned: list[int] = []
        launch = abi.sam_launch()
        try:
            program = self._prepare(launch, owned, kernel, arguments, grid, block, items, lanes, private, local,
                                    print_size, offset)
            result = self._launch(launch, program, arguments)
            self._fetch(arguments)
            return result
        finally:
            self._release(owned, launch, print_size)

    def session(self, kernel: str, *arguments: Argument, grid: Union[int, Sequence[int]] = 1,
                block: Union[int, Sequence[int]] = 1, items: Union[None, int, Sequence[int]] = None, lanes: int = 32,
                private: int = 0, local: int = 0, offset: Union[None, int, Sequence[int]] = None) -> Session:
        """Open a launch instead of running it: a Session, in which its warps are stepped, inspected and taken back.

        Arguments and errors are those of launch. Until the session is closed the Gpu launches nothing else.
        """
        owned: list[int] = []
        launch = abi.sam_launch()
        try:
            program = self._prepare(launch, owned, kernel, arguments, grid, block, items, lanes, private, local, 0,
                                    offset)
            made = Session(self, launch, program, arguments, lambda: self._release(owned, launch, 0))
            self._opened = weakref.ref(made)
            return made
        except BaseException:
            self._release(owned, launch, 0)
            raise

    def _prepare(self, launch: abi.sam_launch, owned: list[int], kernel: str, arguments: Sequence[Argument],
                 grid: Union[int, Sequence[int]], block: Union[int, Sequence[int]],
                 items: Union[None, int, Sequence[int]], lanes: int, private: int, local: int,
                 print_size: int, offset: Union[None, int, Sequence[int]]) -> Program:
        """Fill `launch`; the buffers that it takes are in `owned`. Returns the program that has the kernel."""
        self._run.expect_idle()
        opened = self._opened()
        if opened is not None and opened.is_open:
            raise ValueError("a session of this Gpu is open: close it first")
        program = self._find(kernel)
        packed, ranges = self._place(arguments, owned, self._checked(program, kernel, arguments, block))
        description = struct_of(abi.sam_kernel, name=kernel.encode(), grid=three(grid, "grid"),
                                block=three(block, "block"), lanes=lanes, pds_size=private, print_size=print_size,
                                args_size=len(packed))
        description.args = cast(c_char_p(packed), c_void_p)
        more = options(abi.sam_prepare_options, lds_size=local)
        if items is not None:
            if 0 in three(items, "items"):
                raise ValueError(f"items={items!r}: sizes start at 1")
            setattr(more, "global", three(items, "items"))
        if offset is not None:
            more.offset = three(offset, "offset", 0)
        check(lib.sam_gpu_prepare_with, self._gpu, program.image, byref(description), byref(more), byref(launch))
        self._bound_local(launch, ranges, local)
        return program

    @staticmethod
    def _checked(program: Program, kernel: str, arguments: Sequence[Argument],
                 block: Union[int, Sequence[int]]) -> Sequence[Optional[KernelArgument]]:
        """What the kernel takes, as far as the program says it: what is given must fit."""
        takes = program._takes(kernel)
        if takes is None:
            return [None] * len(arguments)
        if len(takes) != len(arguments):
            raise ValueError(f"{kernel} takes {len(takes)} argument{'s' * (len(takes) != 1)}: {len(arguments)} given")
        required = (c_uint32 * 3)()
        lib.sam_cc_kernel_described(program.image, kernel.encode(), required)
        if required[0] and tuple(required) != three(block, "block"):
            raise ValueError(f"block={block!r}: {kernel} requires workgroups of {tuple(required)}")
        for number, (argument, row) in enumerate(zip(arguments, takes)):
            fits = {"value": not isinstance(argument, (Out, InOut, Memory, Local)),
                    "local": isinstance(argument, Local)}
            if not fits.get(row.space, isinstance(argument, (np.ndarray, Out, InOut, Memory, int))):
                space = "" if row.space == "value" else ", " + row.space
                raise ValueError(f"argument {number} is a {type(argument).__name__}: "
                                 f"{kernel} takes {row.type} {row.name}{space}")
            # NumPy's default types, of whose elements the kernel would read halves.
            wide = {"float*": "f8", "int*": "i8", "uint*": "i8"}.get(row.type)
            array = array_of(argument, number)
            if array is not None and wide is not None and array.dtype == wide:
                raise ValueError(f"argument {number} is an array of {array.dtype}: "
                                 f"{kernel} takes {row.type} {row.name}")
        return takes

    def _place(self, arguments: Sequence[Argument], owned: list[int],
               takes: Sequence[Optional[KernelArgument]]) -> tuple[bytes, list[tuple[int, int]]]:
        """Buffers for the arrays; the argument buffer: 4 bytes a pointer, scalars at their own alignment."""
        packed, ranges = bytearray(), []
        local_top = abi.SAM_LDS_BASE + abi.SAM_LDS_SIZE
        self._addresses: dict[int, int] = {}
        for number, (argument, row) in enumerate(zip(arguments, takes)):
            array = array_of(argument, number)
            if row is not None and row.space == "value":
                value = value_bytes(argument, number, row.size, row.type)
            elif array is not None:
                memory = self.alloc(max(array.nbytes, 4))
                owned.append(memory.address)
                self.write(memory.address, array)
                self._addresses[number] = memory.address
                value = memory.address.to_bytes(4, "little")
            elif isinstance(argument, Memory):
                value = address_of(argument, self, number).to_bytes(4, "little")
            elif isinstance(argument, Local):
                local_top -= (argument.size + 4095) & ~4095
                if local_top < abi.SAM_LDS_BASE:
                    raise ValueError("local arguments exceed 256 MiB")
                ranges.append((local_top, argument.size))
                value = local_top.to_bytes(4, "little")
            else:
                value = scalar_bytes(argument, number)
            packed += bytes(-len(packed) % len(value) if row is None else row.offset - len(packed)) + value
        return bytes(packed), ranges

    def _bound_local(self, launch: abi.sam_launch, ranges: list[tuple[int, int]], local: int) -> None:
        """A launch that declares local memory in any way is held to it."""
        declared = bool(ranges) or launch.lds_size < abi.SAM_LDS_SIZE
        if declared and launch.lds_size == abi.SAM_LDS_SIZE:
            launch.lds_size = launch.warps * 1024  # the stacks
        rows = (abi.sam_lds_range * len(ranges))(*(abi.sam_lds_range(*row) for row in ranges))
        self._options.strict_lds, self._options.lds_range_count = declared, len(ranges)
        self._options.lds_ranges = cast(rows, ctypes.POINTER(abi.sam_lds_range))
        check(lib.sam_gpu_set_options, self._gpu, byref(self._options))

    def _launch(self, launch: abi.sam_launch, program: Program, arguments: Sequence[Argument]) -> LaunchResult:
        self._prints.clear()
        result = abi.sam_gpu_result()
        try:
            status, error = self._run.call(lib.sam_gpu_launch, self._gpu, byref(launch), byref(result))
            done = LaunchResult(outputs_of(arguments), stats_of(result.stats), self._cycles(program),
                                self._prints.decode("utf-8", "replace"))
            if status == abi.SAM_ERR_TRAP:
                trap: abi.sam_trap = result.trap
                raise gpu_trap(trap, text_of(error), program.describe(trap.pc), machine="gpu", result=done)
            if status != abi.SAM_OK:
                raise failure(status, error)
            return done
        finally:
            lib.sam_gpu_result_free(byref(result))
            if self._config is not None:
                lib.sam_gputime_result_free(byref(self._timing.result))

    def _cycles(self, program: Program) -> Optional[GpuCycles]:
        if self._config is None:
            return None
        result: abi.sam_gputime_result = self._timing.result
        settings = options(abi.sam_gputime_report_options, config=pointer(self._config),
                           image=cast(program.image, type_of(abi.sam_gputime_report_options, "image")))
        texts = []
        for form in (abi.SAM_GPUTIME_JSON, abi.SAM_GPUTIME_TEXT):
            text = c_void_p()
            check(lib.sam_gputime_report, byref(result), form, byref(settings), byref(text))
            texts.append(take_text(text))
        return GpuCycles(result.cycles, result.launch_cycles, result.insns, json.loads(texts[0]), texts[1])

    def _fetch(self, arguments: Sequence[Argument]) -> None:
        for number, argument in enumerate(arguments):
            if isinstance(argument, (Out, InOut)):
                self.read(self._addresses[number], argument.array)

    def _release(self, owned: list[int], launch: abi.sam_launch, print_size: int) -> None:
        """Unmap what the launch alone has used."""
        if print_size and launch.metadata:
            word = np.zeros(1, "<u4")
            self.read(launch.metadata + 48, word)  # manual 2.2: address of the print buffer
            owned.append(int(word[0]))
        for address in (*owned, launch.metadata, launch.pds_base, launch.args):
            if address:
                lib.sam_gpu_unmap(self._gpu, address, None)
