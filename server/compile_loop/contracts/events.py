"""The loop's only output: a stream of these (SPEC L17). Progress, views, records and tests are listeners."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from compile_loop.contracts.checks import Check, CheckResult
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import Edit, FileTexts
from compile_loop.contracts.outcome import Outcome, Spending


class Pass(str, Enum):
    """Which pass over the contract a check belongs to."""

    BASELINE = "baseline"
    SUGGESTION = "suggestion"
    ROUND = "round"
    HOLDOUT = "holdout"
    MINIMISE = "minimise"
    AGAIN = "again"
    """A state that was checked before, to see whether it is the edit that makes the difference (SPEC K9)."""
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class Event:
    """Anything a run tells."""


@dataclass(frozen=True, slots=True)
class RunStarted(Event):
    """The parts are in place. `model` is None where there is none and only the toolchain's suggestions are tried."""

    run_id: str
    targets: tuple[str, ...]
    checks: tuple[Check, ...]
    model: str | None
    isolation: str
    max_rounds: int
    deadline: float
    """Seconds for the whole run."""
    model_reason: str = ""
    """Why it is this model, where the user did not name it."""


@dataclass(frozen=True, slots=True)
class CheckStarted(Event):
    """A check's command is about to start."""

    check: str
    in_pass: Pass
    round: int


@dataclass(frozen=True, slots=True)
class DiagnosticFound(Event):
    """A diagnostic was read while the check still runs (SPEC D4).

    Told at a pause of the tool it may lack what comes later: notes, the end of its range. The check's result has all.
    """

    check: str
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class CheckFinished(Event):
    """A check ended."""

    in_pass: Pass
    round: int
    result: CheckResult


@dataclass(frozen=True, slots=True)
class TargetsChosen(Event):
    """The baseline is accepted; `originals` are the files that may be edited, as they were before the run."""

    originals: FileTexts


@dataclass(frozen=True, slots=True)
class SuggestionApplied(Event):
    """A fix that the toolchain offered was kept."""

    file: str
    message: str
    errors_before: int
    errors_after: int


@dataclass(frozen=True, slots=True)
class SuggestionDropped(Event):
    """A fix that the toolchain offered was tried and not kept."""

    file: str
    message: str
    reason: str


@dataclass(frozen=True, slots=True)
class RoundStarted(Event):
    """Round `number` of `of` begins with `errors` errors."""

    number: int
    of: int
    errors: int
    spending: Spending


@dataclass(frozen=True, slots=True)
class ModelText(Event):
    """A piece of the model's reply, as it streams in."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelReplied(Event):
    """A reply is complete; `finish` is the provider's word for why it ended."""

    finish: str
    spending: Spending


@dataclass(frozen=True, slots=True)
class ToolCalled(Event):
    """A model's call was answered; `detail` is a short form of its arguments, `answer` what the model got."""

    name: str
    detail: str
    ok: bool
    answer: str


@dataclass(frozen=True, slots=True)
class PlanMade(Event):
    """The model's plan, before its first edit."""

    text: str


@dataclass(frozen=True, slots=True)
class PlanCompared(Event):
    """The plan against what was done: files it named that stayed as they were, and files that changed without a word."""

    left_out: tuple[str, ...]
    unplanned: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Regrounded(Event):
    """The model got nowhere for some steps and was told where it stands (SPEC L10)."""

    message: str


@dataclass(frozen=True, slots=True)
class ChannelSwitched(Event):
    """All tools were dropped for the pure text contract (SPEC T1)."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotAsked(Event):
    """There is no model; `prompt` is what one would have been asked."""

    prompt: str


@dataclass(frozen=True, slots=True)
class Compacted(Event):
    """The oldest `turns` of the conversation were left out (SPEC C2)."""

    turns: int


@dataclass(frozen=True, slots=True)
class QuestionAsked(Event):
    """The model asks the user."""

    question: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EditApplied(Event):
    """A reply's edits are in the shadow."""

    files: tuple[str, ...]
    blocks: int


@dataclass(frozen=True, slots=True)
class EditRefused(Event):
    """A reply's edits were not applied; `reason` is what the model is told, `short` the same for people, on one line."""

    reason: str
    short: str = ""


@dataclass(frozen=True, slots=True)
class RoundFinished(Event):
    """Round `number` is verified: errors before → after; `edit` leads from the original files to their state now."""

    number: int
    of: int
    errors_before: int
    errors_after: int
    spending: Spending
    edit: Edit = field(default_factory=Edit)


@dataclass(frozen=True, slots=True)
class HoldoutFinished(Event):
    """A hidden check ended; `told` is what the model learns of it, empty where it passed."""

    name: str
    ok: bool
    told: str


@dataclass(frozen=True, slots=True)
class Minimised(Event):
    """Surplus hunks were dropped: `hunks` of `before` are left (SPEC K10)."""

    before: int
    hunks: int


@dataclass(frozen=True, slots=True)
class Suspected(Event):
    """A green edit looks as if it silenced the check; `certain` says that it is refused (SPEC K7)."""

    lines: tuple[str, ...]
    certain: bool


@dataclass(frozen=True, slots=True)
class ProtectedCompared(Event):
    """The files that decide about green were compared byte for byte around a run; `broken` are those that differ.

    `by_check`: those that the check changes by itself, without any edit.
    """

    broken: tuple[str, ...]
    by_check: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RolledBack(Event):
    """A round's edit was undone because it made things worse: from `errors` back to the best state's `best` (SPEC L9)."""

    errors: int
    best: int


@dataclass(frozen=True, slots=True)
class Waiting(Event):
    """Nothing happens for `seconds`, and why (a retry, a rate limit, or a `person` who is asked)."""

    reason: str
    seconds: float
    person: bool = False


class ListenerError(Exception):
    """A listener cannot go on, and the run does without it; the message is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Warned(Event):
    """Something that a person should know and that does not end the run."""

    message: str


@dataclass(frozen=True, slots=True)
class RunFinished(Event):
    """The last event of every run."""

    outcome: Outcome
