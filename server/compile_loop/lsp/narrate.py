"""What a run says, in lines for people: the progress line and the log."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import singledispatchmethod

from compile_loop.contracts.events import (
    CheckFinished,
    CheckStarted,
    DiagnosticFound,
    EditApplied,
    EditRefused,
    Event,
    ModelReplied,
    ModelText,
    Pass,
    RolledBack,
    RoundFinished,
    RoundStarted,
    RunFinished,
    RunStarted,
    SuggestionApplied,
    SuggestionDropped,
    Waiting,
    Warned,
)
from compile_loop.contracts.outcome import Spending

PASSES = {
    Pass.BASELINE: "first look",
    Pass.SUGGESTION: "after a suggestion",
    Pass.FINAL: "once more from a clean start",
}
FEW_TOKENS = 1000


def kind_of(event: Event) -> str:
    """The event's name on the wire: `RoundFinished` → `round_finished`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()


def count(number: int, noun: str) -> str:
    """`1 error`, `3 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tokens(number: int) -> str:
    """`950 tokens`, `1.2k tokens`."""
    return count(number, "token") if number < FEW_TOKENS else f"{number / FEW_TOKENS:.1f}k tokens"


@dataclass
class Narrator:
    """Follows one run; `line` is what its progress shows, such as `round 2 of 5 · 7 → 3 errors · 1.2k tokens`."""

    round: int | None = None
    of: int | None = None
    errors_before: int | None = None
    errors: int | None = None
    tokens: int = 0
    doing: str = ""

    @property
    def line(self) -> str:
        """The state in one line; parts that are not known yet are left out."""
        parts = [f"round {self.round} of {self.of}"] if self.round else []
        if self.errors is not None:
            before = f"{self.errors_before} → " if self.errors_before not in (None, self.errors) else ""
            parts.append(before + count(self.errors, "error"))
        if self.tokens:
            parts.append(tokens(self.tokens))
        if self.doing:
            parts.append(self.doing)
        return " · ".join(parts)

    def hear(self, event: Event) -> str:
        """Take note of an event; returns its line for the log."""
        return self._hear(event)

    def _spent(self, spending: Spending) -> None:
        self.tokens = spending.tokens

    @singledispatchmethod
    def _hear(self, event: Event) -> str:
        return kind_of(event).replace("_", " ")

    @_hear.register
    def _(self, event: RunStarted) -> str:
        checks = "; ".join(f"{check.name} ({check.reason})" for check in event.checks)
        self.doing = "starting"
        model = event.model or "no model: only the toolchain's suggestions"
        return f"Fixing {', '.join(event.targets) or 'the workspace'} until this passes: {checks}. {model}, {event.isolation}."

    @_hear.register
    def _(self, event: CheckStarted) -> str:
        self.doing = f"running {event.check}"
        return f"{event.check}: {PASSES.get(event.in_pass) or f'round {event.round}'}"

    @_hear.register
    def _(self, event: DiagnosticFound) -> str:
        found = event.diagnostic
        place = f"{found.file}:{found.range.start.line + 1}: " if found.file else ""
        return f"{place}{found.severity.value}: {found.message}"

    @_hear.register
    def _(self, event: CheckFinished) -> str:
        result = event.result
        if event.in_pass is Pass.BASELINE:
            self.errors = (self.errors or 0) + len(result.errors)
            self.errors_before = self.errors
        self.doing = ""
        verdict = (
            "passes" if result.ok else f"fails with {count(len(result.errors), 'error')}, exit code {result.exit_code}"
        )
        return f"{result.check} {verdict} ({result.duration:.1f} s)"

    @_hear.register
    def _(self, event: SuggestionApplied) -> str:
        self.errors_before, self.errors = event.errors_before, event.errors_after
        return f"Suggestion kept in {event.file}: {event.message} ({event.errors_before} → {event.errors_after} errors)"

    @_hear.register
    def _(self, event: SuggestionDropped) -> str:
        return f"Suggestion dropped in {event.file}: {event.message} ({event.reason})"

    @_hear.register
    def _(self, event: RoundStarted) -> str:
        self.round, self.of = event.number, event.of
        self.errors_before = self.errors = event.errors
        self.doing = "asking the model"
        self._spent(event.spending)
        return f"Round {event.number} of {event.of}: {count(event.errors, 'error')}"

    @_hear.register
    def _(self, event: ModelText) -> str:
        self.doing = "the model writes"
        return event.text

    @_hear.register
    def _(self, event: ModelReplied) -> str:
        self.doing = ""
        self._spent(event.spending)
        return f"The model replied ({event.finish}, {tokens(event.spending.tokens)} so far)"

    @_hear.register
    def _(self, event: EditApplied) -> str:
        return f"Edited {', '.join(event.files)} ({count(event.blocks, 'block')})"

    @_hear.register
    def _(self, event: EditRefused) -> str:
        return f"The reply's edit was refused: {event.reason}"

    @_hear.register
    def _(self, event: RoundFinished) -> str:
        self.round, self.of = event.number, event.of
        self.errors_before, self.errors = event.errors_before, event.errors_after
        self._spent(event.spending)
        return f"Round {event.number} of {event.of}: {event.errors_before} → {count(event.errors_after, 'error')}"

    @_hear.register
    def _(self, event: RolledBack) -> str:
        self.errors = event.best
        return f"Rolled back: {count(event.errors, 'error')} is worse than {event.best}"

    @_hear.register
    def _(self, event: Waiting) -> str:
        self.doing = f"waiting {event.seconds:.0f} s: {event.reason}"
        return f"Waiting {event.seconds:.0f} s: {event.reason}"

    @_hear.register
    def _(self, event: Warned) -> str:
        return event.message

    @_hear.register
    def _(self, event: RunFinished) -> str:
        outcome = event.outcome
        return outcome.failure.message if outcome.failure else f"Finished: {outcome.ending.value.replace('_', ' ')}"
