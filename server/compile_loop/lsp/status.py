"""What the status item shows: what is under way, else how the last one ended, else a result that waits (SPEC V4)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from compile_loop.lsp.protocol import PREFIX, ServerStatus, dump

if TYPE_CHECKING:
    from compile_loop.lsp.client import Client

FADES = 6.0
"""Seconds that a note stays."""


class Status:
    """Tells the client whenever something changes; other editors do not know this message."""

    def __init__(self, ls: Client) -> None:
        self._ls = ls
        self._running: list[str] = []
        self._lines: dict[str, str] = {}
        self._results = 0
        self._note = ""
        self._fading: asyncio.TimerHandle | None = None
        self._told: ServerStatus | None = None

    def runs(self, running: list[str]) -> None:
        """Which runs are under way."""
        self._running = running
        self._tell()

    def results(self, waiting: int) -> None:
        """How many results wait."""
        self._results = waiting
        self._tell()

    def line(self, key: str, text: str) -> None:
        """The latest line of something under way."""
        self._note = ""
        self._lines[key] = text
        self._tell()

    def ended(self, key: str, note: str = "") -> None:
        """Something is over; `note` stays for a few seconds."""
        self._lines.pop(key, None)
        if note:
            self._note = note
            if self._fading is not None:
                self._fading.cancel()
            self._fading = asyncio.get_running_loop().call_later(FADES, self._fade)
        self._tell()

    def _fade(self) -> None:
        self._note = ""
        self._tell()

    def _tell(self) -> None:
        if not self._ls.client_handles_commands:
            return
        now = self._now()
        if now != self._told:
            self._told = now
            self._ls.protocol.notify(PREFIX + "status", dump(now))

    def _now(self) -> ServerStatus:
        text = tooltip = command = ""
        if self._lines:
            newest = list(self._lines.values())[-1]
            text, tooltip, command = f"$(loading~spin) Compile Loop: {newest}", "Click to stop", "compileLoop.stop"
        elif self._note:
            text, tooltip, command = self._note, "Click for the log", "compileLoop.showLog"
        elif self._results:
            text = "$(diff-multiple) Compile Loop: result to review"
            tooltip, command = "Click to see it", "compileLoop.showResult"
        return ServerStatus(running=self._running, text=text, tooltip=tooltip, command=command)
