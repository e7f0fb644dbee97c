"""Checks whose text the model never sees (SPEC K5, Q5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from compile_loop.contracts.checks import Check, CheckResult
from compile_loop.contracts.events import Event, Pass
from compile_loop.contracts.protocols import Shadow


class Reveals(str, Enum):
    """What a model is told of a holdout that failed."""

    NOTHING = "nothing"
    GUIDANCE = "guidance"
    OBSERVED = "observed"
    """What was expected and what was seen: the check's own output."""


@dataclass(frozen=True, slots=True)
class Holdout:
    """A hidden check.

    `files` are workspace-relative paths that it needs; they are absent from the shadow that the model works in and laid
    in only while the holdout runs. `guidance` is what its author tells; `guidance_for` overrides it by a text that
    stands in the output.
    """

    check: Check
    reveals: Reveals = Reveals.NOTHING
    guidance: str = ""
    guidance_for: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HoldoutResult:
    """How one holdout ended, and what may be told of it.

    `cannot_run`: it did not do its work for a reason that no edit can mend. `missing` is the program or the module that it
    needs and that is not there, where that is the reason; a `module` could be a new file's.
    """

    result: CheckResult
    told: str
    cannot_run: bool = False
    missing: str = ""
    module: bool = False

    @property
    def ok(self) -> bool:
        """Whether it passed."""
        return self.result.ok


class Holdouts(Protocol):
    """All holdouts of a run. Their text reaches no prompt."""

    @property
    def hidden(self) -> Sequence[str]:
        """Workspace-relative files that must be absent from the shadow."""
        ...

    @property
    def in_sight(self) -> Sequence[str]:
        """Names of holdouts of which no file is hidden, so that what they need can be seen."""
        ...

    async def run(
        self, shadow: Shadow, in_pass: Pass, number: int, emit: Callable[[Event], None]
    ) -> Sequence[HoldoutResult]:
        """Lay the hidden files in, run every holdout, and take the files out again."""
        ...
