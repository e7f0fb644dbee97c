"""Work-done progress of one run: one begin, reports no closer than a tenth of a second, one end, whatever happens."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Protocol

from lsprotocol import types

from compile_loop.lsp.protocol import PREFIX, dump
from compile_loop.lsp.protocol import Progress as ProgressMessage

if TYPE_CHECKING:
    from compile_loop.lsp.client import Client

log = logging.getLogger(__name__)
APART = 0.1
CREATE_TIMEOUT = 5.0


class Bar(Protocol):
    """One progress as a client shows it."""

    def report(self, message: str) -> None:
        """Show a line."""

    def end(self, message: str) -> None:
        """Take it away."""


class TokenBar:
    """The protocol's own progress, by a token that the client or we made."""

    def __init__(self, ls: Client, token: str | int, title: str, stop: Callable[[], None]) -> None:
        self._progress = ls.work_done_progress
        self._token = token
        self._progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True))
        self._progress.tokens[token].add_done_callback(lambda future: _if_cancelled(future, stop))

    def report(self, message: str) -> None:
        """Show a line."""
        self._progress.report(self._token, types.WorkDoneProgressReport(message=message))

    def end(self, message: str) -> None:
        """Take it away."""
        self._progress.end(self._token, types.WorkDoneProgressEnd(message=message or None))
        self._progress.tokens.pop(self._token, None)


def _if_cancelled(future: Future[Any], stop: Callable[[], None]) -> None:
    if future.cancelled():
        stop()


class OwnBar:
    """The notification with Stop of the client of ours: progress that a server begins has no button there."""

    def __init__(self, ls: Client, title: str, stop: Callable[[], None]) -> None:
        self._ls = ls
        self._title = f"Compile Loop: {title}"
        self._id = uuid.uuid4().hex
        ls.stops[self._id] = stop
        self._send("")

    def report(self, message: str) -> None:
        """Show a line."""
        self._send(message)

    def end(self, message: str) -> None:
        """Take it away."""
        self._ls.stops.pop(self._id, None)
        self._send(message, done=True)

    def _send(self, message: str, *, done: bool = False) -> None:
        told = ProgressMessage(id=self._id, title=self._title, message=message, done=done)
        self._ls.protocol.notify(PREFIX + "progress", dump(told))


class Progress:
    """Uses the client's token where there is one, else what the client shows best."""

    def __init__(self, ls: Client, token: str | int | None, title: str, stop: Callable[[], None]) -> None:
        self._ls = ls
        self._token = token
        self._title = title
        self._stop = stop
        self._bar: Bar | None = None
        self._ended = False
        self._last = ""
        self._due: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Begin now, or once the client has made a token; the run waits for neither."""
        if self._token is not None:
            self._bar = TokenBar(self._ls, self._token, _capitalised(self._title), self._stop)
        elif self._ls.client_handles_commands:
            self._bar = OwnBar(self._ls, self._title, self._stop)
        else:
            self._ls.keep(self._ask())

    def report(self, message: str) -> None:
        """Show a line soon; of several within a tenth of a second, the last."""
        if self._ended or message == self._last:
            return
        self._last = message
        if self._bar is not None and self._due is None:
            self._bar.report(message)
            self._due = asyncio.get_running_loop().call_later(APART, self._again, message)

    def end(self, message: str = "") -> None:
        """End; only the first call counts."""
        if self._ended:
            return
        self._ended = True
        if self._due is not None:
            self._due.cancel()
        if self._bar is not None:
            self._bar.end(message)

    async def _ask(self) -> None:
        token = await self._create()
        if token is None:
            return
        if self._ended:  # a run so short that its progress never began
            self._ls.work_done_progress.tokens.pop(token, None)
            return
        self._bar = TokenBar(self._ls, token, _capitalised(self._title), self._stop)
        if self._last:
            self._bar.report(self._last)

    def _again(self, sent: str) -> None:
        self._due = None
        if self._last != sent and not self._ended and self._bar is not None:
            self._bar.report(self._last)
            self._due = asyncio.get_running_loop().call_later(APART, self._again, self._last)

    async def _create(self) -> str | None:
        window = self._ls.client_capabilities.window
        if window is None or not window.work_done_progress:
            return None
        token = str(uuid.uuid4())
        try:
            await asyncio.wait_for(self._ls.work_done_progress.create_async(token), CREATE_TIMEOUT)
        except Exception as error:
            log.warning("The client showed no progress: %s", error or type(error).__name__)
            return None
        return token


def _capitalised(title: str) -> str:
    return title[:1].upper() + title[1:]
