"""What each event of a run says in one line of the log."""

from __future__ import annotations

import logging
import re
from functools import singledispatch

from compile_loop.contracts import events as e
from compile_loop.contracts.counting import at_least, count, went
from compile_loop.contracts.events import Event, Pass
from compile_loop.narrator import tokens

log = logging.getLogger(__name__)
PASSES = {
    Pass.BASELINE: "first look",
    Pass.SUGGESTION: "after a suggestion",
    Pass.HOLDOUT: "hidden",
    Pass.MINIMISE: "with a smaller edit",
    Pass.AGAIN: "whether it is the edit that did it",
    Pass.FINAL: "once more from a clean start",
}
MOST_DIAGNOSTICS = 200
"""Diagnostics that one run's log names; all of them are in the editor's Problems."""


class LogLines:
    """Writes what a run does to the log as it happens; a model's reply line by line (SPEC V4)."""

    def __init__(self) -> None:
        self._begun = ""
        self._diagnostics = 0

    def __call__(self, event: Event, _narrator: object) -> None:
        """Hear one event."""
        if isinstance(event, e.ModelText):
            *lines, self._begun = (self._begun + event.text).split("\n")
            for line in lines:
                log.info("  │ %s", line)
            return
        if self._begun:
            log.info("  │ %s", self._begun)
            self._begun = ""
        if isinstance(event, e.DiagnosticFound):
            self._diagnostics += 1
            if self._diagnostics > MOST_DIAGNOSTICS:
                return
        log.info("%s", line_of(event))


def kind_of(event: Event) -> str:
    """The event's name on the wire: `RoundFinished` → `round_finished`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()


@singledispatch
def line_of(event: Event) -> str:
    """An event's line; for a piece of the model's reply, the piece itself."""
    return kind_of(event).replace("_", " ")


@line_of.register
def _(event: e.RunStarted) -> str:
    lines = [check.line if check.name == check.line else f"{check.name}: {check.line}" for check in event.checks]
    checks = "; ".join(f"{line} ({check.reason})" for line, check in zip(lines, event.checks, strict=True))
    model = event.model or "no model: only the toolchain's suggestions"
    model += f" ({event.model_reason})" if event.model_reason else ""
    return (
        f"Fixing {', '.join(event.targets) or 'the workspace'} until this passes: {checks}. {model}, {event.isolation}."
    )


@line_of.register
def _(event: e.CheckStarted) -> str:
    return f"{event.check}: {PASSES.get(event.in_pass) or f'round {event.round}'}"


@line_of.register
def _(event: e.DiagnosticFound) -> str:
    found = event.diagnostic
    place = f"{found.file}:{found.range.start.line + 1}: " if found.file else ""
    return f"{place}{found.severity.value}: {found.message}"


@line_of.register
def _(event: e.CheckFinished) -> str:
    result = event.result
    fails = f"fails with {count(len(result.errors), 'error')}, exit code {result.exit_code}"
    return f"{result.check} {'passes' if result.ok else fails} ({result.duration:.1f} s)"


@line_of.register
def _(event: e.TargetsChosen) -> str:
    return f"May be edited: {', '.join(event.originals) or 'no file'}"


@line_of.register
def _(event: e.ProtectedCompared) -> str:
    if not event.broken and event.by_check:
        return f"The check itself changes what decides whether the code is right, in the isolated copy: {', '.join(event.by_check)}"
    if not event.broken:
        return "Every protected file is as it was"
    return f"Refused, since what decides whether the code is right was changed: {', '.join(event.broken)}"


@line_of.register
def _(event: e.SuggestionApplied) -> str:
    return f"Suggestion kept in {event.file}: {event.message} ({went(event.errors_before, event.errors_after)})"


@line_of.register
def _(event: e.SuggestionDropped) -> str:
    return f"Suggestion dropped in {event.file}: {event.message} ({event.reason})"


@line_of.register
def _(event: e.RoundStarted) -> str:
    return f"Round {event.number} of {event.of}: {count(event.errors, 'error')}"


@line_of.register
def _(event: e.ModelText) -> str:
    return event.text


@line_of.register
def _(event: e.ModelReplied) -> str:
    return f"The model replied ({event.finish}, {tokens(event.spending.tokens)} so far)"


@line_of.register
def _(event: e.PlanMade) -> str:
    return f"The model's plan: {event.text}"


@line_of.register
def _(event: e.PlanCompared) -> str:
    parts = [f"left out {path}" for path in event.left_out] + [f"{path} was not planned" for path in event.unplanned]
    return f"Against the plan: {'; '.join(parts) or 'as planned'}"


@line_of.register
def _(event: e.ToolCalled) -> str:
    return f"Tool {event.name} {event.detail}{'' if event.ok else ' (refused)'}"


@line_of.register
def _(event: e.QuestionAsked) -> str:
    return f"The model asks: {event.question}"


@line_of.register
def _(event: e.EditApplied) -> str:
    return f"Edited {', '.join(event.files)} ({count(event.blocks, 'block')})"


@line_of.register
def _(event: e.EditRefused) -> str:
    return f"The reply's edit was refused: {event.short or event.reason}"


@line_of.register
def _(event: e.RoundFinished) -> str:
    return f"Round {event.number} of {event.of}: {went(event.errors_before, event.errors_after)}"


@line_of.register
def _(event: e.RolledBack) -> str:
    return f"Rolled back: {count(event.errors, 'error')} is worse than {at_least(event.best)}"


@line_of.register
def _(event: e.HoldoutFinished) -> str:
    return f"Hidden check {event.name} {'passes' if event.ok else f'fails. {event.told}'}".rstrip()


@line_of.register
def _(event: e.Minimised) -> str:
    return f"{event.hunks} of {count(event.before, 'hunk')} are enough"


@line_of.register
def _(event: e.Suspected) -> str:
    return f"{'Refused' if event.certain else 'Please look'}: {'; '.join(event.lines)}"


@line_of.register
def _(event: e.Regrounded) -> str:
    return f"The model was told where it stands: {event.message}"


@line_of.register
def _(event: e.ChannelSwitched) -> str:
    return f"Plain text from here on: {event.reason}"


@line_of.register
def _(event: e.NotAsked) -> str:
    return f"There is no model. One would have been asked:\n{event.prompt}"


@line_of.register
def _(event: e.Compacted) -> str:
    return f"The {count(event.turns, 'oldest turn')} of the conversation left out"


@line_of.register
def _(event: e.Waiting) -> str:
    return f"Waiting {event.seconds:.0f} s: {event.reason}"


@line_of.register
def _(event: e.Warned) -> str:
    return event.message


@line_of.register
def _(event: e.RunFinished) -> str:
    outcome = event.outcome
    return outcome.failure.message if outcome.failure else f"Finished: {outcome.ending.value.replace('_', ' ')}"
