"""Whether something that happened in the editor begins a run, is offered, or is left alone (SPEC V3, Q22). No clock of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Literal

from compile_loop.lsp.triggers.memory import TriggerMemory

Mode = Literal["off", "offer", "auto"]


class Action(Enum):
    """What is done."""

    NOTHING = "nothing"
    OFFER = "offer"
    CONSENT = "consent"
    """Ask once whether runs may begin by themselves in this folder."""
    RUN = "run"


@dataclass
class Policy:
    """One window's. `now` is in seconds on a monotonic clock, `today` the day that the budget is counted by."""

    memory: TriggerMemory
    now: Callable[[], float]
    today: Callable[[], date]
    _acted: dict[str, float] = field(default_factory=dict)
    _declined: set[Path] = field(default_factory=set)

    def wanted(self, keys: Iterable[str], cool_down: float) -> list[str]:
        """Those of some files or tasks that may be looked at now: not refused, and not dealt with a moment ago."""
        now = self.now()
        return [
            key
            for key in keys
            if now - self._acted.get(key, float("-inf")) >= cool_down and not self.memory.refused(key)
        ]

    def decide(self, root: Path, mode: Mode, per_day: int) -> Action:
        """What to do in a folder. Past the day's budget, or where consent was not given, `auto` offers."""
        if mode == "off":
            return Action.NOTHING
        if mode == "offer" or root in self._declined or self.memory.runs_on(self.today()) >= per_day:
            return Action.OFFER
        return Action.RUN if self.memory.consented(root) else Action.CONSENT

    def acted(self, keys: Iterable[str]) -> None:
        """Something was offered or run for these; their cool-down begins."""
        self._acted.update(dict.fromkeys(keys, self.now()))

    def began(self) -> None:
        """A run began by itself."""
        self.memory.count(self.today())

    def decline(self, root: Path) -> None:
        """Consent was asked for and not given: in this window it is not asked for again."""
        self._declined.add(root)
