"""A run's events on a terminal or in a log, as they happen."""

from __future__ import annotations

import time

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from compile_loop.cli.narration import PASS, first_errors, narrate
from compile_loop.contracts.events import (
    CheckFinished,
    CheckStarted,
    Event,
    ModelText,
    NotAsked,
    Pass,
    RoundStarted,
    RunStarted,
)


class Progress:
    """A listener that prints. On a terminal a status line also shows what is going on now.

    `recorded`: the run is written down, so that a later command can show more of it.

    Passes of minimising and repeated baselines are only shown in the status line: they would be noise in a log.
    """

    def __init__(self, console: Console, *, recorded: bool = True) -> None:
        self._console = console
        self._recorded = recorded
        self._status: Status | None = console.status("Starting") if console.is_terminal else None
        self._baselines: set[str] = set()
        self._characters = 0
        self._shown_at = 0.0
        self._model = ""
        if self._status:
            self._status.start()

    def close(self) -> None:
        """Take the status line away."""
        if self._status:
            self._status.stop()

    def show(self, event: Event) -> None:
        """Print one event."""
        self._keep_status(event)
        if isinstance(event, CheckFinished):
            self._finished(event)
            return
        if isinstance(event, RoundStarted):
            self._line(f"round {event.number}/{event.of}", f"asking {escape(self._model)}")
        for label, text in narrate(event):
            self._line(label, text)
        if isinstance(event, NotAsked) and self._recorded:
            self._line("", "[dim]`compile-loop show last --prompt` prints them[/dim]")

    def _finished(self, event: CheckFinished) -> None:
        again = event.in_pass is Pass.BASELINE and event.result.check in self._baselines
        if again or event.in_pass in (Pass.MINIMISE, Pass.AGAIN):
            return
        for label, text in narrate(event):
            self._line(label, text)
        if event.in_pass is Pass.BASELINE:
            self._baselines.add(event.result.check)
            for label, text in first_errors(event.result):
                self._line(label, text)

    def _keep_status(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._model = event.model or ""
            case CheckStarted():
                self._now(f"{PASS[event.in_pass]}: running {event.check}")
            case RoundStarted():
                self._characters = 0
                self._now(f"round {event.number}: waiting for {self._model}")
            case ModelText():
                self._characters += len(event.text)
                if time.monotonic() - self._shown_at > 0.1:
                    self._shown_at = time.monotonic()
                    self._now(f"{self._model} is writing ({self._characters} characters)")
            case _:
                pass

    def _line(self, label: str, text: str) -> None:
        self._console.print(f"[bold]{label:>10}[/bold]  {text}", highlight=False, soft_wrap=True)

    def _now(self, text: str) -> None:
        if self._status:
            self._status.update(escape(text))
