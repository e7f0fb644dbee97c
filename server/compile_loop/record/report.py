"""The report of one run: what was done, what it cost, how it was judged, and what that does not prove (SPEC R3, Q28)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from compile_loop.contracts import events as e
from compile_loop.contracts.checks import Check, CheckResult
from compile_loop.contracts.edits import Edit
from compile_loop.contracts.events import Event, Pass
from compile_loop.contracts.outcome import Ending, Failure, FailureKind, Outcome, Spending
from compile_loop.record.limits import does_not_prove

SCHEMA = "compile-loop/report/1"

_OF_THE_GENERATOR = {FailureKind.NEEDS_AUTH, FailureKind.MODEL_UNAVAILABLE}


@dataclass
class _Round:
    number: int
    errors_before: int
    errors_after: int | None = None
    blocks: int = 0
    refused: int = 0
    files: list[str] = field(default_factory=list)
    replies: int = 0
    calls: int = 0
    rolled_back: bool = False
    evaluation: dict[str, CheckResult] = field(default_factory=dict)

    def out(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "errorsBefore": self.errors_before,
            "errorsAfter": self.errors_after,
            "edits": {"blocks": self.blocks, "refused": self.refused, "files": self.files},
            "replies": self.replies,
            "toolCalls": self.calls,
            "rolledBack": self.rolled_back,
            "evaluation": [_judged(result) for result in self.evaluation.values()],
            "record": f"rounds/{self.number}",
        }


class ReportBuilder:
    """Hears a run and writes its report.

    `isolated`: whether the checks ran apart from the user's tree. `protected` tells files that decide about green; those
    in `asked_for` the user listed.
    """

    def __init__(self, *, engine: str, isolated: bool, protected: Callable[[str], bool], asked_for: tuple[str, ...]):
        self._engine = engine
        self._isolated = isolated
        self._protected = protected
        self._asked_for = frozenset(asked_for)
        self._started: e.RunStarted | None = None
        self._accepted = False
        self._passes: dict[Pass, dict[str, CheckResult]] = {}
        self._rounds: list[_Round] = []
        self._suggested = [0, 0]
        self._holdouts: dict[str, bool] = {}
        self._climbs = 0
        self._minimised: e.Minimised | None = None
        self._replies = 0
        self._broken: list[str] = []
        self._ever_broken: dict[str, None] = {}
        self._compared = False
        self._warnings: list[str] = []
        self.spending = Spending()
        self.generator_error: str | None = None
        """What the generator's last error said, as its own log has it."""

    @property
    def run_id(self) -> str:
        """The run's name; empty before it starts."""
        return self._started.run_id if self._started else ""

    def hear(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case e.RunStarted():
                self._started = event
            case e.TargetsChosen():
                self._accepted = True
            case e.CheckFinished():
                self._passes.setdefault(event.in_pass, {})[event.result.check] = event.result
                if event.in_pass is Pass.ROUND and self._rounds:
                    self._rounds[-1].evaluation[event.result.check] = event.result
            case e.SuggestionApplied():
                self._suggested[0] += 1
            case e.SuggestionDropped():
                self._suggested[1] += 1
            case e.RoundStarted():
                self._rounds.append(_Round(event.number, event.errors))
            case e.HoldoutFinished():
                self._holdouts[event.name] = event.ok
            case e.ProtectedCompared():
                self._compared = True
                self._broken = [*event.broken, *event.by_check]
                self._ever_broken |= dict.fromkeys(self._broken)
            case e.Minimised():
                self._minimised = event
            case e.Warned():
                self._warnings.append(event.message)
            case _ if self._rounds:
                self._in_round(self._rounds[-1], event)

    def _in_round(self, now: _Round, event: Event) -> None:
        match event:
            case e.ModelReplied():
                self._replies += 1
                now.replies += 1
                self.spending = event.spending
            case e.ToolCalled():
                now.calls += 1
            case e.EditApplied():
                now.blocks += event.blocks
                now.files = sorted({*now.files, *event.files})
            case e.EditRefused():
                now.refused += 1
            case e.RolledBack():
                now.rolled_back = True
            case e.RoundFinished():
                now.errors_after = event.errors_after
            case _:
                pass

    def document(self, outcome: Outcome) -> dict[str, Any]:
        """`compile-loop/report/1`."""
        tally, started = outcome.tally, self._started
        spent, changed = tally.spending, list(outcome.edit.paths)
        protected = [path for path in changed if path not in self._asked_for and self._protected(path)]
        broken = self._broken if outcome.ending is Ending.GREEN else [*self._ever_broken]
        protected += [path for path in broken if path not in protected]
        final = self._passes.get(Pass.FINAL)
        return {
            "schema": SCHEMA,
            "run": self.run_id,
            "engine": self._engine,
            "mode": mode_of(started.model if started else None),
            "model": started.model if started else None,
            "ending": outcome.ending.value,
            "failure": _failure(outcome.failure),
            "explanation": tally.explanation,
            "errorsAfter": tally.errors_after,
            "baseline": {
                "accepted": self._accepted,
                "errors": tally.errors_before,
                "evaluation": [_judged(r) for r in self._passes.get(Pass.BASELINE, {}).values()],
                "record": "rounds/0",
            },
            "rounds": {"allowed": started.max_rounds if started else 0, "done": tally.rounds},
            "perRound": [each.out() for each in self._rounds],
            "suggestions": {"applied": self._suggested[0], "dropped": self._suggested[1]},
            "calls": spent.calls,
            "consults": spent.consults,
            "steps": self._replies,
            "tokens": {
                "prompt": spent.prompt_tokens,
                "completion": spent.completion_tokens,
                "total": spent.tokens,
                "estimated": spent.estimated,
            },
            "price": spent.cost,
            "seconds": {
                "generation": round(spent.model_seconds, 3),
                "checks": round(spent.check_seconds, 3),
                "wall": round(spent.wall_seconds, 3),
            },
            "changedFiles": changed,
            "checks": [_check(check, tally.judged) for check in (started.checks if started else ())],
            "holdouts": {
                "run": len(self._holdouts),
                "failing": sorted(name for name, ok in self._holdouts.items() if not ok),
            },
            "minimised": None
            if self._minimised is None
            else {"hunks": _hunks(outcome.edit), "of": max(self._minimised.before, _hunks(outcome.edit))},
            "protectedFilesUnchanged": False if protected else True if self._compared else None,
            "protectedFilesChanged": protected,
            "isolation": started.isolation if started else "",
            "evaluatorIsolated": self._isolated,
            "hostOwnsOutcomes": outcome.ending is not Ending.GREEN or final is not None,
            "hostOwnsPromotion": self._isolated,
            "generatorError": self._error(outcome.failure),
            "remaining": len(tally.remaining),
            "suspicious": list(tally.suspicious),
            "suspect": list(tally.suspect),
            "warnings": self._warnings,
            "doesNotProve": does_not_prove(outcome, holdouts=len(self._holdouts), isolated=self._isolated),
        }

    def _error(self, failure: Failure | None) -> str | None:
        if self.generator_error is None and failure is not None and failure.kind in _OF_THE_GENERATOR:
            return failure.message
        return self.generator_error


def _check(check: Check, judged: Iterable[CheckResult]) -> dict[str, Any]:
    """A check, and what it said of the state that the report is about."""
    said = next((result for result in judged if result.check == check.name), None)
    return {
        "name": check.name,
        "command": check.line,
        "reason": check.reason,
        "result": None if said is None else _judged(said),
    }


def _hunks(edit: Edit) -> int:
    """A file that comes or goes as a whole counts as one."""
    return sum(1 if change.before is None or change.after is None else len(change.hunks) for change in edit.files)


def mode_of(model: str | None) -> str:
    """Where the replies come from: `scripted` (fixed or recorded ones), `live`, or `none`."""
    if model is None:
        return "none"
    return "scripted" if model.partition(":")[0] in ("scripted", "replay") else "live"


def _failure(failure: Failure | None) -> dict[str, str] | None:
    return None if failure is None else {"kind": failure.kind.value, "message": failure.message}


def _judged(result: CheckResult) -> dict[str, Any]:
    return {
        "check": result.check,
        "ok": result.ok,
        "exitCode": result.exit_code,
        "errors": len(result.errors),
        "seconds": round(result.duration, 3),
    }
