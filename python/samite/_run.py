# SPDX-License-Identifier: Apache-2.0
"""Runs that Ctrl-C and exceptions in callbacks end early, through the library's stop flag."""
from __future__ import annotations

import threading
from typing import Any, Callable, Iterable, Optional

from ctypes import byref, c_int, pointer

from . import _abi as abi
from ._library import Stopped, Trap, failure
from ._signals import held_signals


_active: dict[int, "Run"] = {}  # by the thread that has begun them


def stop_threads(idents: Iterable[int]) -> None:
    """Stop what these threads are running."""
    for ident in idents:
        run = _active.get(ident)
        if run is not None:
            run.flag.value = 1


class Run:
    """One call of the library that may take long.

    `stop` is what the options point to. Python handles signals between its own instructions only, and
    there are none while the library runs on the main thread: there the call is made on another thread.
    """

    def __init__(self) -> None:
        self.flag = c_int(0)
        self.stop = pointer(self.flag)
        self.error: Optional[BaseException] = None  # the first that a callback raised
        self.running = False

    def guard(self, function: Callable[..., Any], result: Any = None) -> Callable[..., Any]:
        """`function` as a callback: what it raises stops the run, and is raised after it."""

        def guarded(*arguments: Any) -> Any:
            if self.error is None:
                try:
                    return function(*arguments)
                except BaseException as error:  # it must not pass through the library
                    self.error = error
                    self.flag.value = 1
            return result

        return guarded

    def expect_idle(self) -> None:
        """ValueError from a callback of the call, or another thread, while it lasts."""
        if self.running:
            raise ValueError("the machine is running: one run at a time")

    def call(self, function: Callable[..., int], *arguments: Any) -> tuple[int, abi.sam_error]:
        """The status of the call, and its error. Raises what a callback or a signal has raised."""
        self.expect_idle()
        self.running = True
        try:
            return self._call(function, *arguments)
        finally:
            self.running = False

    def _call(self, function: Callable[..., int], *arguments: Any) -> tuple[int, abi.sam_error]:
        error = abi.sam_error()
        self.flag.value, self.error = 0, None
        if threading.current_thread() is threading.main_thread():
            with held_signals(self.flag):
                status = self._elsewhere(lambda: function(*arguments, byref(error)))
        else:
            ident = threading.get_ident()
            _active[ident] = self
            try:
                status = function(*arguments, byref(error))
            finally:
                del _active[ident]
        if self.error is not None:
            raised, self.error = self.error, None
            raise raised
        return status, error

    def _elsewhere(self, function: Callable[[], int]) -> int:
        result: list[int] = []
        done = threading.Event()

        def work() -> None:
            try:
                result.append(function())
            except BaseException as error:
                self.error = error
            finally:
                done.set()

        threading.Thread(target=work, name="samite", daemon=True).start()
        done.wait()
        return result[0] if result else abi.SAM_ERR_STOPPED

    def check(self, function: Callable[..., int], *arguments: Any) -> None:
        status, error = self.call(function, *arguments)
        if status != abi.SAM_OK:
            raise failure(status, error)


def trap_name(kind: int) -> str:
    """ "store_fault" of SAM_TRAP_STORE_FAULT."""
    return abi.sam_trap_kind(kind).name[len("SAM_TRAP_"):].lower()


def gpu_trap(trap: abi.sam_trap, text: str, symbol: Optional[str], **more: Any) -> Trap:
    """The exception of a kernel's trap."""
    no_lane = 0xFFFFFFFF
    return Trap(text, kind=trap_name(trap.kind), workgroup=trap.workgroup, group=tuple(trap.group), warp=trap.warp,
                lane=None if trap.lane == no_lane else trap.lane, lanes=trap.lanes, pc=trap.pc, word=trap.word,
                tval=trap.tval, symbol=symbol, **more)


__all__ = ["Run", "Stopped", "gpu_trap", "trap_name"]
