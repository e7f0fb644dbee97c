"""Writing that the caller need not wait for: outputs of checks, which nothing goes on from (SPEC R1)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor


class Later:
    """Does work in its order in one thread. A kill costs what was not done yet; an ordinary end waits for it."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="compile-loop-record")
        self._undone: list[Future[None]] = []

    def add(self, work: Callable[[], None]) -> None:
        """One more piece of work. Raises what an earlier one raised."""
        done = [each for each in self._undone if each.done()]
        self._undone = [each for each in self._undone if each not in done]
        for each in done:
            each.result()
        self._undone.append(self._thread.submit(work))

    def settle(self) -> None:
        """Wait until all is done. Raises what one of them raised first."""
        undone, self._undone = self._undone, []
        for each in undone:
            each.result()

    def close(self) -> None:
        """Wait until all is done, whatever comes of it. Safe to call more than once."""
        self._thread.shutdown()
