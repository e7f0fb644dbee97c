"""Work-done progress of one run: one begin, reports no closer than a tenth of a second, one end, whatever happens."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from compile_loop.lsp.server import LoopServer

log = logging.getLogger(__name__)
APART = 0.1
CREATE_TIMEOUT = 5.0


class Progress:
    """Uses the client's token where there is one, else asks for one where the client can show it."""

    def __init__(self, ls: LoopServer, token: str | int | None, title: str, stop: Callable[[], None]) -> None:
        self._ls = ls
        self._token = token
        self._title = title
        self._stop = stop
        self._begun = False
        self._ended = False
        self._last = ""
        self._due: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Begin now where the client gave a token, else once it has made one; the run waits for neither."""
        if self._token is not None:
            self._start(self._token)
        else:
            self._ls.keep(self._ask())

    def report(self, message: str) -> None:
        """Show a line soon; of several within a tenth of a second, the last."""
        if self._ended or message == self._last:
            return
        self._last = message
        if self._begun and self._due is None:
            self._send()
            self._due = asyncio.get_running_loop().call_later(APART, self._again, message)

    def end(self, message: str = "") -> None:
        """End; only the first call counts."""
        if self._ended:
            return
        self._ended = True
        if self._due is not None:
            self._due.cancel()
        if self._begun and self._token is not None:
            self._ls.work_done_progress.end(self._token, types.WorkDoneProgressEnd(message=message or None))
            self._ls.work_done_progress.tokens.pop(self._token, None)

    def _start(self, token: str | int) -> None:
        self._token = token
        self._begun = True
        progress = self._ls.work_done_progress
        progress.begin(token, types.WorkDoneProgressBegin(self._title, cancellable=True))
        progress.tokens[token].add_done_callback(self._on_done)

    async def _ask(self) -> None:
        token = await self._create()
        if token is None:
            return
        if self._ended:  # a run so short that its progress never began
            self._ls.work_done_progress.tokens.pop(token, None)
            return
        self._start(token)
        if self._last:
            self._send()

    def _again(self, sent: str) -> None:
        self._due = None
        if self._last != sent and not self._ended:
            self._send()
            self._due = asyncio.get_running_loop().call_later(APART, self._again, self._last)

    def _send(self) -> None:
        if self._token is not None:
            self._ls.work_done_progress.report(self._token, types.WorkDoneProgressReport(message=self._last))

    def _on_done(self, future: Future[Any]) -> None:
        if future.cancelled():
            self._stop()

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
