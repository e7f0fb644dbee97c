"""One run of the check alone, as a stream that can be cancelled like a run's (SPEC V2)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from compile_loop.assemble import Job, run_contract_once
from compile_loop.contracts.events import Event


class CheckRun:
    """Iterate it once for its events. Raises what `run_contract_once` raises; cancelled, it just ends."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._task: asyncio.Task[object] | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """End the check and its processes."""
        self._cancelled = True
        if self._task is not None:
            self._task.cancel()

    async def __aiter__(self) -> AsyncIterator[Event]:
        self._task = asyncio.create_task(run_contract_once(self._job, self._events.put_nowait))
        self._task.add_done_callback(lambda _: self._events.put_nowait(None))
        if self._cancelled:
            self._task.cancel()
        while (event := await self._events.get()) is not None:
            yield event
        try:
            await self._task
        except asyncio.CancelledError:
            if not self._cancelled:
                raise
