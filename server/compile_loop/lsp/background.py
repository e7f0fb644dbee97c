"""Runs go on in an event loop of their own, in their own thread, so that nothing they do can hold up an answer (SPEC S3)."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from compile_loop.contracts.events import Event


class Stream(Protocol):
    """What goes on in the other loop: a run, or a check alone."""

    def cancel(self) -> None:
        """End it; its events end too."""

    def __aiter__(self) -> AsyncIterator[Event]:
        """Its events, once."""
        ...


T = TypeVar("T")


class BackgroundRun:
    """A run in the other loop: iterate it once for its events. Cancelling works from the first moment."""

    def __init__(self, make: Callable[[], Stream]) -> None:
        self._make = make
        self._here = asyncio.get_running_loop()
        self._there: asyncio.AbstractEventLoop | None = None
        self._events: asyncio.Queue[Event | BaseException | None] = asyncio.Queue()
        self._run: Stream | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """Cancel from the caller's loop; before the run is made, none is made."""
        self._cancelled = True
        if self._there is not None:
            self._there.call_soon_threadsafe(self._cancel_there)

    async def __aiter__(self) -> AsyncIterator[Event]:
        """The run's events. Raises what making the run raised; ends with no event where it was cancelled before."""
        while (item := await self._events.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item

    async def drive(self) -> None:
        """In the other loop: make the run and pass its events on."""
        self._there = asyncio.get_running_loop()
        try:
            if not self._cancelled:
                run = await asyncio.to_thread(self._make)
                self._run = run
                if self._cancelled:
                    run.cancel()
                async for event in run:
                    self._pass(event)
        except BaseException as error:
            self._pass(error)
            if not isinstance(error, Exception):
                raise
        finally:
            self._pass(None)

    def _cancel_there(self) -> None:
        if self._run is not None:
            self._run.cancel()

    def _pass(self, item: Event | BaseException | None) -> None:
        with contextlib.suppress(RuntimeError):  # the server is gone; the run still has to end its children
            self._here.call_soon_threadsafe(self._events.put_nowait, item)


class Background:
    """The thread with the loop; started by the first run."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._driven: set[Future[None]] = set()
        self._calls: set[Future[Any]] = set()

    def start(self, make: Callable[[], Stream]) -> BackgroundRun:
        """Start a run; `make` is called in a worker thread and may take its time."""
        run = BackgroundRun(make)
        driven = asyncio.run_coroutine_threadsafe(run.drive(), self._running())
        self._driven.add(driven)
        driven.add_done_callback(self._driven.discard)
        return run

    async def call(self, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Have a coroutine run in that loop; cancelling this cancels it."""
        waiting = asyncio.run_coroutine_threadsafe(make(), self._running())
        self._calls.add(waiting)
        try:
            return await asyncio.wrap_future(waiting)
        finally:
            self._calls.discard(waiting)

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, name="runs", daemon=True).start()
        return self._loop

    async def drain(self, seconds: float) -> bool:
        """Wait until no run has anything left to end or to clear away; whether that came about in time."""
        for call in list(self._calls):
            call.cancel()
        waiting = [asyncio.wrap_future(driven) for driven in [*self._driven, *self._calls]]
        if not waiting:
            return True
        _, late = await asyncio.wait(waiting, timeout=seconds)
        return not late
