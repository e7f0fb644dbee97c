"""`compileLoop/runEvent`: a run's events for a client that knows our messages, few enough to be read."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from compile_loop.contracts.events import DiagnosticFound, Event, ModelText
from compile_loop.lsp.log_lines import kind_of, line_of
from compile_loop.lsp.protocol import PREFIX, RunEvent, dump
from compile_loop.narrator import Narrator

if TYPE_CHECKING:
    from compile_loop.lsp.client import Client

APART = 0.1
MOST_DIAGNOSTICS = 200
"""Diagnostics told one by one for a run; all of them are in the client's Problems."""


class Relay:
    """Sends each event as a notification; pieces of the model's text are put together for a tenth of a second."""

    def __init__(self, ls: Client, run_id: str) -> None:
        self._ls = ls
        self._run_id = run_id
        self._pieces: list[str] = []
        self._due: asyncio.TimerHandle | None = None
        self._narrator: Narrator | None = None
        self._diagnostics = 0

    def __call__(self, event: Event, narrator: Narrator) -> None:
        """Hear one event."""
        self._narrator = narrator
        if isinstance(event, ModelText):
            self._pieces.append(event.text)
            if self._due is None:
                self._due = asyncio.get_running_loop().call_later(APART, self._flush)
            return
        self._flush()
        if isinstance(event, DiagnosticFound):
            self._diagnostics += 1
            if self._diagnostics > MOST_DIAGNOSTICS:
                return
        self._send(kind_of(event), line_of(event))

    def stop(self) -> None:
        """Say nothing more; what was held back is dropped."""
        self._pieces.clear()
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _flush(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
        if self._pieces:
            text = "".join(self._pieces)
            self._pieces.clear()
            self._send("model_text", text)

    def _send(self, kind: str, text: str) -> None:
        told = self._narrator or Narrator()
        event = RunEvent(
            run_id=self._run_id,
            kind=kind,
            text=text,
            round=told.round,
            of=told.of,
            errors=told.errors,
            tokens=told.tokens or None,
        )
        self._ls.protocol.notify(PREFIX + "runEvent", dump(event))
