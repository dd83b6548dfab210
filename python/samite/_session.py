# SPDX-License-Identifier: Apache-2.0
"""Sessions: launches whose warps are stepped, inspected, changed, run to breakpoints and taken back in time."""
from __future__ import annotations

from ctypes import byref, c_size_t, c_uint, c_uint32, c_uint64, c_void_p, create_string_buffer
from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _abi as abi
from . import _dtypes
from ._arguments import Argument, InOut, Out, outputs_of
from ._library import Owner, Trap, check, failure, lib, name_bytes, options, struct_of, text_of, type_of
from ._programs import Program
from ._run import gpu_trap

Where = Union[int, str]


@dataclass(frozen=True)
class Access:
    """An access to memory: `size` bytes at `address` by a lane (None: by the warp)."""

    address: int
    size: int
    value: int
    lane: Optional[int]
    store: bool  # else a load


@dataclass(frozen=True)
class Step:
    """The effects of one instruction."""

    kind: str  # "ran", "prefix", "barrier", "released", "waits", "ended", "trapped"
    workgroup: int
    warp: int
    time: int  # instructions of the session before it
    pc: int
    next_pc: int
    text: str  # its disassembly
    x: dict[int, int]  # scalar registers written, with their values
    v: dict[int, np.ndarray]  # vector registers written, u32 of all lanes
    csr: dict[int, int]  # CSRs written, by address
    accesses: tuple[Access, ...]
    mask: tuple[int, int]  # SIMT mask before and after
    trap: Optional[Trap]  # of kind "trapped"


@dataclass(frozen=True)
class Stop:
    """Where and why a run ended."""

    reason: str  # "done", "break", "watch", "trap", "released", "waits", "count", "start"
    workgroup: int  # that ran last
    warp: int
    pc: int
    symbol: str  # the pc as people read it
    instructions: int  # that this run has run
    id: int  # of the breakpoint or watchpoint
    access: Optional[Access]  # of reason "watch"
    before: int  # the watched bytes, before and after the access
    after: int
    trap: Optional[Trap]  # of reason "trap"


@dataclass(frozen=True)
class WarpState:
    """A warp: "ready", "waits" (at a barrier) or "ended"."""

    state: str
    pc: int
    mask: int
    depth: int  # entries of the SIMT stack
    instructions: int


@dataclass(frozen=True)
class StackEntry:
    """An entry of the SIMT stack."""

    rpc: int
    pc: int
    mask: int


def _word(names: Any, value: int, prefix: str) -> str:
    return names(value).name[len(prefix):].lower()


class Session(Owner):
    """An opened launch, made by Gpu.session. Nothing has run. A context manager: it is closed at the end.

    A warp is named by its workgroup's linear number and its number in that; both are 0 by default. Registers have
    numbers; addresses are those of the program. A program that fails is no exception here: `step` and `run` report
    it, and the warp can be repaired and continued.
    """

    def __init__(self, gpu: Any, launch: abi.sam_launch, program: Program, arguments: Sequence[Argument],
                 release: Callable[[], None]) -> None:
        self._gpu, self._program, self._arguments, self._release = gpu, program, arguments, release
        self._addresses: dict[int, int] = dict(gpu._addresses)
        self._keep: list[Any] = []  # callbacks
        self._session = c_void_p()
        check(lib.sam_session_open, gpu._gpu, byref(launch), None, byref(self._session))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """End the session; the buffers of its arguments are freed. A second call does nothing."""
        session = getattr(self, "_session", None)
        if session:
            lib.sam_session_close(session)
            self._session = c_void_p()
            self._release()

    @property
    def is_open(self) -> bool:
        """False after close."""
        return bool(self._session)

    # --- stepping and running

    @property
    def time(self) -> int:
        """Instructions of all warps so far."""
        return lib.sam_session_time(self._open())

    def step(self, workgroup: int = 0, warp: int = 0) -> Step:
        """Run one instruction of one warp. ValueError: it has ended."""
        step = abi.sam_step()
        status, error = self._gpu._run.call(lib.sam_session_step, self._open(), workgroup, warp, byref(step))
        trap = None
        if status == abi.SAM_ERR_TRAP:
            trap = self._trap(step.trap, text_of(error))
        elif status != abi.SAM_OK:
            raise failure(status, error)
        accesses = []
        for i in range(min(step.access_count, abi.SAM_STEP_ACCESSES)):
            accesses.append(_access(step.access[i]))
        text = create_string_buffer(256)
        lib.sam_disassemble(byref(self._shape().isa), step.word, step.pc, step.prefix, self._program.image, text,
                            len(text))
        return Step(_word(abi.sam_step_kind, step.kind, "SAM_STEP_"), step.workgroup, step.warp, step.time, step.pc,
                    step.next_pc, text.value.decode(),
                    {step.x + i: step.x_value[i] for i in range(step.x_count)},
                    {step.v + i: np.array(step.v_value[i], "<u4") for i in range(step.v_count)},
                    {step.csr[i].address: step.csr[i].value for i in range(step.csr_count)},
                    tuple(accesses), (step.mask_before, step.mask_after), trap)

    def run(self, workgroup: Optional[int] = None, warp: Optional[int] = None, *, instructions: int = 0,
            to_release: bool = False) -> Stop:
        """Run everything, one workgroup, or one warp of it: to the end or a stop.

        instructions  at most so many; 0: no limit
        to_release    stop when a barrier has released its warps
        """
        scope = abi.SAM_SCOPE_ALL if workgroup is None else abi.SAM_SCOPE_WORKGROUP
        if warp is not None:
            scope = abi.SAM_SCOPE_WARP
        words = options(abi.sam_session_run, scope=scope, workgroup=workgroup or 0, warp=warp or 0,
                        instructions=instructions, to_release=to_release)
        return self._stop(lib.sam_session_run, byref(words))

    def finish(self) -> tuple[np.ndarray, ...]:
        """Run everything to its end, without breakpoints, as Gpu.launch does; the arrays of the Out and InOut
        arguments, in order. Trap: the kernel failed."""
        result = abi.sam_gpu_result()
        try:
            status, error = self._gpu._run.call(lib.sam_session_finish, self._open(), byref(result))
            if status == abi.SAM_ERR_TRAP:
                raise self._trap(result.trap, text_of(error))
            if status != abi.SAM_OK:
                raise failure(status, error)
        finally:
            lib.sam_gpu_result_free(byref(result))
        for number, argument in enumerate(self._arguments):
            if isinstance(argument, (Out, InOut)):
                self._gpu.read(self._addresses[number], argument.array)
        return outputs_of(self._arguments)

    # --- breakpoints and watchpoints

    def add_break(self, where: Where, *, workgroup: Optional[int] = None, warp: Optional[int] = None, lanes: int = 0,
                  when: Optional[Callable[[int, int], bool]] = None) -> int:
        """Stop runs before the instruction at an address or symbol; its number.

        workgroup, warp  only there
        lanes            only if one of the lanes of this mask is active
        when             only if it returns true of workgroup and warp; it may inspect the session, not run it
        """
        point = struct_of(abi.sam_session_break, pc=self.address(where), lanes=lanes, **_only(workgroup, warp))
        if when is not None:
            asked = when

            def ask(_context: Any, _session: Any, group: int, number: int) -> bool:
                return bool(asked(group, number))

            self._keep.append(type_of(abi.sam_session_break, "when")(self._gpu._run.guard(ask, False)))
            point.when = self._keep[-1]
        number = c_uint()
        check(lib.sam_session_add_break, self._open(), byref(point), byref(number))
        return number.value

    def add_watch(self, address: int, size: int = 4, *, loads: bool = False, stores: bool = True,
                  workgroup: Optional[int] = None, warp: Optional[int] = None) -> int:
        """Stop runs after an instruction that accesses one of the bytes; its number."""
        point = struct_of(abi.sam_session_watch, address=address, size=size, loads=loads, stores=stores,
                          **_only(workgroup, warp))
        number = c_uint()
        check(lib.sam_session_add_watch, self._open(), byref(point), byref(number))
        return number.value

    def remove(self, number: int) -> None:
        """Remove a breakpoint or watchpoint."""
        check(lib.sam_session_remove, self._open(), number)

    # --- registers and memory

    def warp(self, workgroup: int = 0, warp: int = 0) -> WarpState:
        """State, pc and SIMT mask of a warp."""
        state = abi.sam_session_warp()
        check(lib.sam_session_warp, self._open(), workgroup, warp, byref(state))
        return WarpState(_word(abi.sam_warp_state, state.state, "SAM_WARP_"), state.pc, state.mask, state.depth,
                         state.instructions)

    def x(self, number: int, workgroup: int = 0, warp: int = 0) -> int:
        """A scalar register."""
        value = c_uint64()
        check(lib.sam_session_x, self._open(), workgroup, warp, number, byref(value))
        return value.value

    def set_x(self, number: int, value: int, workgroup: int = 0, warp: int = 0) -> None:
        """Change a scalar register."""
        check(lib.sam_session_set_x, self._open(), workgroup, warp, number, value & (1 << 32) - 1)

    def v(self, number: int, workgroup: int = 0, warp: int = 0, dtype: Any = "u4") -> np.ndarray:
        """A vector register: an array with an element per lane, its bits as u4, i4 or f4."""
        lanes = (c_uint32 * abi.SAM_MAX_LANES)()
        check(lib.sam_session_v, self._open(), workgroup, warp, number, lanes)
        return np.array(lanes, "<u4")[:self._shape().lanes].view(_of_four_bytes(dtype))

    def set_v(self, number: int, values: np.ndarray, workgroup: int = 0, warp: int = 0,
              lanes: int = 0xFFFFFFFF) -> None:
        """Change a vector register in the lanes of a mask."""
        count = self._shape().lanes
        array = np.ascontiguousarray(values)
        _of_four_bytes(array.dtype)
        if array.shape != (count,):
            raise ValueError(f"an array of shape {array.shape}: expected ({count},), an element per lane")
        words = (c_uint32 * abi.SAM_MAX_LANES)(*array.view("<u4").tolist())
        mask = lanes & (1 << count) - 1
        check(lib.sam_session_set_v, self._open(), workgroup, warp, number, mask, words)

    def set_pc(self, where: Where, workgroup: int = 0, warp: int = 0) -> None:
        """Continue a warp elsewhere."""
        check(lib.sam_session_set_pc, self._open(), workgroup, warp, self.address(where))

    def csr(self, name: Union[int, str], workgroup: int = 0, warp: int = 0) -> int:
        """A CSR, by its name or address."""
        value = c_uint64()
        check(lib.sam_session_csr, self._open(), workgroup, warp, self._csr_address(name), byref(value))
        return value.value

    def stack(self, workgroup: int = 0, warp: int = 0) -> tuple[StackEntry, ...]:
        """The SIMT stack, from its bottom."""
        depth = c_size_t()
        check(lib.sam_session_stack, self._open(), workgroup, warp, None, 0, byref(depth))
        rows = (abi.sam_stack_entry * max(depth.value, 1))()
        check(lib.sam_session_stack, self._open(), workgroup, warp, rows, depth.value, byref(depth))
        return tuple(StackEntry(rows[i].rpc, rows[i].pc, rows[i].mask) for i in range(depth.value))

    def read(self, address: int, array: np.ndarray, workgroup: int = 0) -> np.ndarray:
        """Fill a contiguous, writable array from memory as a workgroup sees it."""
        array = _dtypes.check_array(array, "array", writable=True)
        check(lib.sam_session_read, self._open(), workgroup, address, array.ctypes.data, array.nbytes)
        return array

    def write(self, address: int, array: np.ndarray, workgroup: int = 0) -> None:
        """Copy a contiguous array to memory as a workgroup sees it."""
        array = _dtypes.check_array(array, "array")
        check(lib.sam_session_write, self._open(), workgroup, address, array.ctypes.data, array.nbytes)

    def argument(self, number: int) -> int:
        """The address of the array that is argument `number` of the launch, counted from 0."""
        try:
            return self._addresses[number]
        except KeyError:
            raise ValueError(f"argument {number} is no array") from None

    def address(self, where: Where) -> int:
        """The address of a symbol, or the address itself."""
        if isinstance(where, int):
            return where
        symbols = self._program.symbols
        if where not in symbols:
            raise ValueError(f"no symbol '{where}'; there are {', '.join(list(symbols)[:8]) or 'none'}")
        return symbols[where]

    # --- back in time

    def record(self, interval: int = 0) -> None:
        """Keep what is needed to go back: a snapshot about every `interval` instructions (0: a default)."""
        check(lib.sam_session_record, self._open(), interval)

    def goto(self, time: int) -> None:
        """Go back, or forward again, to a time since the recording began."""
        check(lib.sam_session_goto, self._open(), time)

    def back(self) -> Stop:
        """Go back to the last stop at a breakpoint or watchpoint; reason "start" when there was none."""
        return self._stop(lib.sam_session_back)

    def snapshot(self) -> int:
        """Keep the present state; its number."""
        number = c_uint()
        check(lib.sam_session_snapshot, self._open(), byref(number))
        return number.value

    def restore(self, number: int) -> None:
        """Return to a snapshot, any number of times."""
        check(lib.sam_session_restore, self._open(), number)

    # --- within

    def _open(self) -> Any:
        if not self._session:
            raise ValueError("the session is closed")
        return self._session

    def _shape(self) -> abi.sam_session_shape:
        shape = abi.sam_session_shape()
        check(lib.sam_session_shape, self._open(), byref(shape))
        return shape

    def _csr_address(self, name: Union[int, str]) -> int:
        if isinstance(name, int):
            return name
        entry = abi.sam_csr_entry()
        if not lib.sam_csr_entry_find(byref(self._shape().isa), name_bytes(name, "csr"), byref(entry)):
            raise ValueError(f"no CSR '{name}'")
        return entry.address

    def _trap(self, trap: abi.sam_trap, text: str) -> Trap:
        return gpu_trap(trap, text, self._program.describe(trap.pc), machine="gpu")

    def _stop(self, function: Any, *arguments: Any) -> Stop:
        stop = abi.sam_session_stop()
        status, error = self._gpu._run.call(function, self._open(), *arguments, byref(stop))
        trap = None
        if status == abi.SAM_ERR_TRAP:
            trap = self._trap(stop.trap, text_of(error))
        elif status != abi.SAM_OK:
            raise failure(status, error)
        watched = stop.reason == abi.SAM_SESSION_WATCH
        access = Access(stop.address, stop.size, stop.after, None, stop.store) if watched else None
        return Stop(_word(abi.sam_session_reason, stop.reason, "SAM_SESSION_"), stop.workgroup, stop.warp, stop.pc,
                    self._program.describe(stop.pc), stop.instructions, stop.id, access, stop.before, stop.after, trap)


def _access(row: abi.sam_step_access) -> Access:
    lane = None if row.lane == 0xFFFFFFFF else row.lane
    return Access(row.address, row.size, row.value, lane, row.store)


def _only(workgroup: Optional[int], warp: Optional[int]) -> dict[str, Any]:
    return {"has_workgroup": workgroup is not None, "workgroup": workgroup or 0, "has_warp": warp is not None,
            "warp": warp or 0}


def _of_four_bytes(dtype: Any) -> np.dtype:
    kind = np.dtype(dtype)
    if kind.itemsize != 4 or kind.kind not in "iuf":
        raise ValueError(f"dtype {kind}: expected u4, i4 or f4, the bits of a lane")
    return kind


__all__ = ["Access", "Session", "StackEntry", "Step", "Stop", "WarpState"]
