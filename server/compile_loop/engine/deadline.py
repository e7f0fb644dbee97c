"""One absolute deadline for the whole run; only a wait for a person stands outside it (SPEC L5, Q22)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Deadline:
    """Calls `passed` when `seconds` of run time are over. Nothing restarts it."""

    def __init__(self, seconds: float, passed: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._left = seconds
        self._passed = passed
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._run()

    def pause(self, paused: bool) -> None:
        """Stop counting, or go on."""
        if paused and self._timer is not None:
            self.cancel()
            self._left -= self._loop.time() - self._since
        elif not paused and self._timer is None:
            self._run()

    def cancel(self) -> None:
        """Count no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _run(self) -> None:
        self._since = self._loop.time()
        self._timer = self._loop.call_later(max(0.0, self._left), self._passed)
