# SPDX-License-Identifier: Apache-2.0
"""Signals while the library uses memory of the caller on other threads."""
from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Optional

_HELD = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGXCPU")
         if hasattr(signal, name)]


class held_signals:
    """Within it, handlers run as ever, but what they raise (KeyboardInterrupt) is kept in `error` and raised at
    the end: otherwise it could end a function at any point, and memory that is still written to would be
    freed. `stop`, a c_int, becomes 1 with the first of them. Only the main thread has signals to hold.
    """

    def __init__(self, stop: Any = None) -> None:
        self.error: Optional[BaseException] = None
        self._stop = stop
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "held_signals":
        if threading.current_thread() is threading.main_thread():
            try:
                for number in _HELD:
                    handler = signal.getsignal(number)
                    if callable(handler):
                        self._before[number] = handler
                        signal.signal(number, self._handle)
            except BaseException:
                self._restore()
                raise
        return self

    def _restore(self) -> None:
        """SIGINT last, so that it cannot interrupt this."""
        for number, handler in reversed(self._before.items()):
            signal.signal(number, handler)

    def _handle(self, number: int, frame: Optional[FrameType]) -> None:
        try:
            self._before[number](number, frame)
        except BaseException as error:
            self.error = self.error or error
            if self._stop is not None:
                self._stop.value = 1

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._restore()
        if self.error is not None:
            raise self.error
