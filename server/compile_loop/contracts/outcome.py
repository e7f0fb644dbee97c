"""How a run ended. Built only by constructors that cannot contradict themselves (SPEC L16)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from compile_loop.contracts.checks import CheckResult, Unrun
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import Edit


class Ending(str, Enum):
    """What a run came to."""

    GREEN = "green"
    NOTHING_TO_FIX = "nothing_to_fix"
    NO_CHANGE_NOMINATED = "no_change_nominated"
    FAILED = "failed"


class FailureKind(str, Enum):
    """Why a run failed, in one word."""

    MAX_ROUNDS = "max_rounds"
    STAGNATION = "stagnation"
    NO_EDITS_APPLIED = "no_edits_applied"
    TOOL_LOOP = "tool_loop"
    BUDGET = "budget"
    DEADLINE = "deadline"
    CANCELLED = "cancelled"
    NEEDS_AUTH = "needs_auth"
    MODEL_UNAVAILABLE = "model_unavailable"
    CONFIGURATION = "configuration"
    ENVIRONMENT = "environment"
    HOLDOUT = "holdout"
    TAMPERING = "tampering"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason as one typed word and one sentence that a user can act on."""

    kind: FailureKind
    message: str


@dataclass(frozen=True, slots=True)
class Spending:
    """What a run has used so far; tokens as the provider reported them, else estimated (`estimated` says so)."""

    calls: int = 0
    consults: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    model_seconds: float = 0.0
    check_seconds: float = 0.0
    wall_seconds: float = 0.0
    cost: float | None = None
    """In the account's currency; None where the model's price is not known."""

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Tally:
    """The facts of a run that every ending carries.

    `errors_before` and `errors_after` count errors of the baseline and of the state that the edit leads to; from 1000 on
    there are at least so many. `remaining`
    are the errors that were there before, outside the targets, and still are (SPEC Q1); `exit_code` is the check's in
    that state. `explanation` says in a sentence or two what was wrong and why the edit fixes it (SPEC Q27).
    `suspicious` wants a person's look (SPEC Q9); so do the lines in `suspect`, which may silence the check (SPEC K7).
    `wanted` are files that the model wanted to edit and that are none of the run's, where a person may allow them.
    `unrun` are tests beside the files that no check of the run runs. `judged` is what each check said of the state that
    the edit leads to. `by_output` are checks that go by what is printed.
    """

    rounds: int = 0
    errors_before: int = 0
    errors_after: int = 0
    remaining: tuple[Diagnostic, ...] = ()
    exit_code: int = 0
    spending: Spending = field(default_factory=Spending)
    explanation: str = ""
    suspicious: tuple[str, ...] = ()
    suspect: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    unrun: tuple[Unrun, ...] = ()
    judged: tuple[CheckResult, ...] = field(default=(), repr=False)
    by_output: tuple[str, ...] = ()


_SEAL = object()


@dataclass(frozen=True, slots=True, init=False)
class Outcome:
    """The last event of a run carries this.

    `edit` is the result for green, and the best partial result, never applied unasked, for a failure (SPEC L9).
    """

    ending: Ending
    failure: Failure | None
    edit: Edit
    tally: Tally

    def __init__(self, seal: object, ending: Ending, failure: Failure | None, edit: Edit, tally: Tally) -> None:
        if seal is not _SEAL:
            raise TypeError("use Outcome.green, .nothing_to_fix, .no_change_nominated or .failed")
        object.__setattr__(self, "ending", ending)
        object.__setattr__(self, "failure", failure)
        object.__setattr__(self, "edit", edit)
        object.__setattr__(self, "tally", tally)

    @classmethod
    def green(cls, edit: Edit, tally: Tally) -> Outcome:
        """The contract passed after `edit`, which is not empty."""
        if not edit:
            raise ValueError("green needs an edit; a baseline that passes is nothing_to_fix")
        return cls(_SEAL, Ending.GREEN, None, edit, tally)

    @classmethod
    def nothing_to_fix(cls, tally: Tally) -> Outcome:
        """The baseline was green already."""
        return cls(_SEAL, Ending.NOTHING_TO_FIX, None, Edit(), tally)

    @classmethod
    def no_change_nominated(cls, tally: Tally) -> Outcome:
        """A model said that no change is needed, and nothing speaks against it; a person judges (SPEC L11)."""
        return cls(_SEAL, Ending.NO_CHANGE_NOMINATED, None, Edit(), tally)

    @classmethod
    def failed(cls, failure: Failure, partial: Edit, tally: Tally) -> Outcome:
        """The run ended without green; `partial` is the best state found, possibly empty."""
        return cls(_SEAL, Ending.FAILED, failure, partial, tally)

    @property
    def ok(self) -> bool:
        """Green or nothing to fix."""
        return self.ending in (Ending.GREEN, Ending.NOTHING_TO_FIX)
