# SPDX-License-Identifier: Apache-2.0
"""Programs on the tensor hart: an RV32 or RV64 core with TensorLoad and the matrix unit."""
from __future__ import annotations

from ctypes import POINTER, byref, c_char_p, c_void_p, cast, pointer, string_at
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _abi as abi
from ._arguments import Argument, InOut, Local, Memory, Out, address_of, array_of, outputs_of, scalar_bytes
from ._gpu import Config, config_text
from ._library import Trap, check, failure, lib, name_bytes, options, path_bytes, text_of, type_of
from ._machine import Mapped
from ._programs import Program, Source, acc_regs_of, parse_isa, read_program
from ._run import Run

DEFAULT_ISA = "rv64im_zicsr_zfinx_xtensorload_xmatrix"


@dataclass(frozen=True)
class HartStats:
    """Counts since the hart was made. `classes`: instructions by class ("alu", "tl.load", ...); bytes through
    the TensorLoad unit and the matrix unit."""

    instructions: int
    classes: dict[str, int]
    tl_bytes_loaded: int
    tl_bytes_stored: int
    m_bytes_loaded: int
    m_bytes_stored: int
    m_macs: int
    traps: int


@dataclass(frozen=True)
class HartCycles:
    """The cycles of a program so far.

    cycles   until the last instruction is done
    issue    cycles of the hart by what it does: "scalar", "full_load", ...
    engines  by engine ("load", "comp", "store", "reshape"): instructions, bytes, queued, queue_peak, and
             cycles by what it does
    matrix   the matrix unit: its counts by name, under "macs_of" its macs by element type ("i8", "f32", ...), and under
             "units" cycles by unit and state; {} without one
    """

    cycles: int
    issue: dict[str, int]
    engines: dict[str, dict[str, Any]]
    matrix: dict[str, Any]

    @property
    def utilisation(self) -> float:
        """Of the matrix unit's multipliers, from 0 to 1."""
        return self.matrix["full_uops"] / self.cycles if self.matrix and self.cycles else 0.0


@dataclass(frozen=True)
class HartResult:
    """A run that ended well. `end`: "exit", "ebreak" or "until"; `output`: what the program wrote to its
    console; `outputs`: the arrays of its Out and InOut arguments."""

    end: str
    exit_code: int
    instructions: int
    pc: int
    output: str
    outputs: tuple[np.ndarray, ...]
    stats: Optional[HartStats]
    cycles: Optional[HartCycles]


def end_name(end: int) -> str:
    return abi.sam_hart_end(end).name[len("SAM_HART_"):].lower()


def hart_trap(ended: abi.sam_hart_result, text: str, program: Optional[Program], **more: Any) -> Trap:
    """The exception of a program that failed on the hart."""
    return Trap(text, kind=end_name(ended.end), pc=ended.pc, word=ended.word, tval=ended.tval, cause=ended.cause,
                symbol=program.describe(ended.pc) if program else None, **more)


def _by_name(values: Sequence[int], name: Callable[[int], bytes]) -> dict[str, int]:
    return {name(i).decode(): value for i, value in enumerate(values) if value}


def engines_of(report: abi.sam_engines_report) -> tuple[dict[str, int], dict[str, dict[str, Any]]]:
    """Cycles of the hart, and of each engine."""
    engines = {}
    for i, engine in enumerate(report.engine):
        row: abi.sam_engine_report = engine
        engines[lib.sam_engine_name(i).decode()] = {
            "instructions": row.instructions, "bytes": row.bytes, "queued": row.queued, "queue_peak": row.queue_peak,
            "cycles": _by_name(row.cycles, lib.sam_engine_cycle_name)}
    return _by_name(report.issue, lib.sam_issue_cycle_name), engines


def _matrix_of(stats: abi.sam_mxu_stats) -> dict[str, Any]:
    plain = {name: getattr(stats, name) for name, kind in stats._fields_
             if name not in ("buckets", "port_blocks", "macs_of")}
    plain["macs_of"] = {abi.sam_mxu_mac(i).name[len("SAM_MXU_MAC_"):].lower(): count
                        for i, count in enumerate(stats.macs_of) if count}
    plain["units"] = {lib.sam_mxu_unit_name(u).decode(): _by_name(row, lib.sam_mxu_state_name)
                      for u, row in enumerate(stats.buckets)}
    return plain


class Registers:
    """The integer registers by number or name: regs["a0"] = 5."""

    def __init__(self, handle: Callable[[], Any]) -> None:
        self._handle = handle

    def _number(self, name: Union[int, str]) -> int:
        number = name if isinstance(name, int) else lib.sam_hart_register(name_bytes(name, "register"))
        if not 0 <= number < 32:
            raise KeyError(f"no register {name!r}: expected x0 to x31, or a name such as a0")
        return number

    def __getitem__(self, name: Union[int, str]) -> int:
        return lib.sam_hart_x(self._handle(), self._number(name))

    def __setitem__(self, name: Union[int, str], value: int) -> None:
        lib.sam_hart_set_x(self._handle(), self._number(name), value & (1 << 64) - 1)


class Console:
    """Where a program's output goes, and the host calls that it may make."""

    def __init__(self, run: Run, folder: Any = None, arguments: Sequence[str] = ()) -> None:
        self.text = bytearray()
        self.hostio = c_void_p()
        self._words = [name_bytes(word, "an argument of the program") for word in arguments]
        rows = (c_char_p * max(len(self._words), 1))(*self._words)
        self._write = type_of(abi.sam_sink, "write")(run.guard(self._take, False))
        settings = options(abi.sam_hostio_options, argument_count=len(self._words), output=abi.sam_sink(self._write),
                           errors=abi.sam_sink(self._write))
        settings.arguments = cast(rows, POINTER(c_char_p))
        if folder is not None:
            settings.folder = path_bytes(folder)
        check(lib.sam_hostio_new, byref(settings), byref(self.hostio))

    def _take(self, _: Any, data: int, size: int) -> bool:
        self.text += string_at(data, size)
        return True

    def __del__(self) -> None:
        if self.hostio:
            lib.sam_hostio_free(self.hostio)


def pass_arguments(machine: Any, regs: Registers, narrow: bool, arguments: Sequence[Argument]) -> dict[int, int]:
    """Arguments as a C function takes them: a0 to a7, then the stack (RISC-V psABI 2.1). Gives the addresses
    of the arrays by the argument's number."""
    words: list[int] = []
    addresses: dict[int, int] = {}
    for number, argument in enumerate(arguments):
        array = array_of(argument, number)
        if isinstance(argument, Local):
            raise ValueError(f"argument {number} is Local: the hart has no local memory")
        if array is not None:
            memory = machine.buffer(array)
            addresses[number] = memory.address
            words.append(memory.address)
        elif isinstance(argument, Memory):
            words.append(address_of(argument, machine, number))
        else:
            data = scalar_bytes(argument, number)
            if len(data) == 4:  # extended by bit 31
                words.append(int.from_bytes(data, "little", signed=True) & (1 << 64) - 1)
            elif narrow:
                if len(words) > 8 and len(words) % 2:
                    words.append(0)
                words += [int.from_bytes(data[:4], "little"), int.from_bytes(data[4:], "little")]
            else:
                words.append(int.from_bytes(data, "little"))
    for number, word in enumerate(words[:8]):
        regs[10 + number] = word
    if len(words) > 8:
        stack = np.array(words[8:], "<u8").astype("<u4" if narrow else "<u8")
        sp = regs["sp"] - ((stack.nbytes + 15) & ~15)
        machine.write(sp, stack)
        regs["sp"] = sp
    return addresses


class Hart(Mapped):
    """A tensor hart with its memory.

    isa          "rv64im_zicsr_zfinx_xtensorload_xmatrix" by default
    mlen         bits of a row of the matrix unit: 128, 256, 512
    acc_regs     matrix registers that may be md of a product, and then not its sources: "all", or as "0:4"
    stats        count instructions by class; slower
    cycles       run the cycle models of the engines and the matrix unit: True, or their parameters as
                 "mpara=4,load_bytes=32" or a dict; slower
    max_insns    per run; 0: no limit
    folder       the program may open files below it; arguments: its command line
    progress     called with instructions, their limit and the pc, about every 65,536 instructions

    One thread uses a Hart at a time. Ctrl-C and an exception in `progress` end a run.
    """
    _kind = "_hart"
    _calls = {"alloc": lib.sam_hart_alloc, "map": lib.sam_hart_map,
              "write": lib.sam_hart_write, "read": lib.sam_hart_read}

    def __init__(self, isa: str = DEFAULT_ISA, *, mlen: int = 512, acc_regs: str = "all", stats: bool = False,
                 cycles: Config = None, max_insns: int = 0, folder: Any = None, arguments: Sequence[str] = (),
                 progress: Optional[Callable[[int, int, int], Any]] = None) -> None:
        self._hart = c_void_p()
        self._run = Run()
        self._program: Optional[Program] = None
        self._console = Console(self._run, folder, arguments)
        self.isa = isa
        self._options = options(abi.sam_hart_options, isa=parse_isa(isa), mlen=mlen,
                                acc_regs=acc_regs_of(acc_regs), collect_stats=stats, max_insns=max_insns,
                                stop=self._run.stop, hostio=self._console.hostio)
        self._stats = stats
        self._counts_cycles = cycles is not None and cycles is not False
        if self._counts_cycles:
            self._add_models(config_text(cycles), mlen)
        if progress is not None:
            tell = progress

            def told(_: Any, p: Any) -> None:
                now: abi.sam_hart_progress = p.contents
                tell(now.instructions, now.limit, now.pc)

            self._options.progress = type_of(abi.sam_hart_options, "progress")(self._run.guard(told))
        check(lib.sam_hart_new, byref(self._options), byref(self._hart))
        self.regs = Registers(lambda: self._hart)

    def _add_models(self, text: str, mlen: int) -> None:
        self._engines, self._mxu = abi.sam_engines_config(), abi.sam_mxu_config()
        lib.sam_engines_defaults(byref(self._engines))
        lib.sam_mxu_config_init(byref(self._mxu), mlen)
        if text:
            check(lib.sam_hart_configure, text.encode(), byref(self._engines), byref(self._mxu))
        self._options.engines = pointer(self._engines)
        if self._options.isa.extensions & abi.SAM_EXT_XMATRIX:
            check(lib.sam_mxu_config_check, byref(self._mxu))
            self._options.cycles = pointer(self._mxu)

    def __del__(self) -> None:
        hart = getattr(self, "_hart", None)
        if hart:
            lib.sam_hart_free(hart)

    @property
    def pc(self) -> int:
        return lib.sam_hart_pc(self._hart)

    @pc.setter
    def pc(self, value: int) -> None:
        lib.sam_hart_set_pc(self._hart, value)

    # --- programs and memory

    def load(self, program: Source, *, defines: Optional[Mapping[str, Any]] = None,
             include_paths: Sequence[Any] = ()) -> Program:
        """Load a program (the path of assembly or of an ELF file, or a Program); pc and sp are set.

        OSError: it cannot be read; SourceError: the text has errors; ValueError: it is for another XLEN.
        """
        loaded = read_program(program, isa=self.isa, base=abi.SAM_HART_CODE_BASE, defines=defines,
                              include_paths=include_paths)
        check(lib.sam_hart_load, self._hart, loaded.image)
        self._program = loaded
        return loaded

    # --- runs

    def run(self, *arguments: Argument) -> HartResult:
        """Run until the program exits, or reaches an ebreak. Arguments are passed as to a C function: arrays,
        Out and InOut as addresses, int as 32 bits, float as f32, NumPy scalars with their own width. Without
        arguments the registers stay, so that a run can be continued.

        Trap: the program failed, or used up max_insns.
        """
        self._run.expect_idle()
        addresses = {}
        if arguments:
            addresses = pass_arguments(self, self.regs, self._options.isa.xlen == 32, arguments)
        self._console.text.clear()
        result = abi.sam_hart_result()
        status, error = self._run.call(lib.sam_hart_run, self._hart, byref(result))
        for number, argument in enumerate(arguments):
            if isinstance(argument, (Out, InOut)):
                self.read(addresses[number], argument.array)
        done = HartResult(end_name(result.end), result.exit_code, result.instructions, result.pc,
                          self._console.text.decode("utf-8", "replace"), outputs_of(arguments), self.stats(),
                          self.cycles())
        if status == abi.SAM_ERR_TRAP:
            raise hart_trap(result, text_of(error), self._program, machine="hart", result=done)
        if status != abi.SAM_OK:
            raise failure(status, error)
        return done

    def stats(self) -> Optional[HartStats]:
        """Counts so far; None without stats=True."""
        if not self._stats:
            return None
        return stats_of(cast(lib.sam_hart_stats(self._hart), POINTER(abi.sam_hart_stats)).contents)

    def cycles(self) -> Optional[HartCycles]:
        """Cycles so far, as if the program ended here; None without cycles=True."""
        if not self._counts_cycles:
            return None
        matrix = lib.sam_hart_cycles(self._hart)
        report = abi.sam_engines_report()
        if not lib.sam_hart_engines(self._hart, byref(report)):
            return None
        issue, engines = engines_of(report)
        return HartCycles(report.cycles, issue, engines, _matrix_of(matrix.contents) if matrix else {})


def stats_of(s: abi.sam_hart_stats) -> HartStats:
    plain = {name: getattr(s, name) for name, _ in s._fields_ if name != "classes"}
    return HartStats(**plain, classes=_by_name(s.classes, lib.sam_hart_class_name))
