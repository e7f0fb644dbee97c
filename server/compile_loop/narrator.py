"""The line that a run's progress shows, whatever face shows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from compile_loop.contracts import events as e
from compile_loop.contracts.counting import at_least, count
from compile_loop.contracts.events import Event, Pass

_THOUSAND = 1000


def tokens(number: int) -> str:
    """`950 tokens`, `1.2k tokens`."""
    return count(number, "token") if number < _THOUSAND else f"{number / _THOUSAND:.1f}k tokens"


@dataclass
class Narrator:
    """Follows one run; `line` is what its progress shows, such as `round 2 of 5 · 7 → 3 errors · 1.2k tokens`."""

    round: int | None = None
    of: int | None = None
    errors_before: int | None = None
    errors: int | None = None
    tokens: int = 0
    cost: float | None = None
    doing: str = ""
    _first: dict[str, int] = field(default_factory=dict)
    """Errors of each check before anything was done; a check may be run twice."""

    @property
    def line(self) -> str:
        """The state in one line; parts that are not known yet are left out."""
        parts = [f"round {self.round} of {self.of}"] if self.round else []
        if self.errors is not None:
            before = f"{at_least(self.errors_before)} → " if self.errors_before not in (None, self.errors) else ""
            parts.append(before + count(self.errors, "error"))
        if self.tokens:
            parts.append(tokens(self.tokens))
        if self.cost:
            parts.append(f"{self.cost:.3f} spent")
        if self.doing:
            parts.append(self.doing)
        return " · ".join(parts)

    def hear(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case e.RoundStarted() | e.ModelReplied() | e.RoundFinished():
                self.tokens, self.cost = event.spending.tokens, event.spending.cost
        match event:
            case e.RunStarted():
                self.doing = "starting"
            case e.CheckStarted():
                self.doing = "running a hidden check" if event.in_pass is Pass.HOLDOUT else f"running {event.check}"
            case e.CheckFinished():
                self.doing = ""
                if event.in_pass is Pass.BASELINE:
                    self._first[event.result.check] = len(event.result.errors)
                    self.errors = self.errors_before = sum(self._first.values())
            case e.SuggestionApplied():
                self.errors_before, self.errors = event.errors_before, event.errors_after
            case e.RoundStarted():
                self.round, self.of = event.number, event.of
                self.errors_before = self.errors = event.errors
                self.doing = "asking the model"
            case e.ModelText():
                self.doing = "the model writes"
            case e.ToolCalled():
                self.doing = "asking the model"
            case e.QuestionAsked():
                self.doing = "waiting for your answer"
            case e.ModelReplied():
                self.doing = ""
            case e.RoundFinished():
                self.round, self.of = event.number, event.of
                self.errors_before, self.errors = event.errors_before, event.errors_after
            case e.RolledBack():
                self.errors = event.best
            case e.Waiting():
                # Whom it waits for is told the reason where they are asked.
                self.doing = "waiting for you" if event.person else f"waiting {event.seconds:.0f} s: {event.reason}"
