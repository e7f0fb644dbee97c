"""Running one case unattended, and what it scored (SPEC R4)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from compile_loop.assemble import ConfigurationError, Job, start
from compile_loop.contracts.events import RunFinished
from compile_loop.contracts.outcome import Ending, FailureKind, Outcome, Spending
from compile_loop.edits.unified import changed_lines
from compile_loop.engine.handle import Run
from compile_loop.evaluation.cases import Case
from compile_loop.settings import Settings


@dataclass(frozen=True, slots=True)
class Score:
    """What one case came to.

    `got` is the ending, for a failure its kind. `honest`: green, and neither the edit nor the check looks as if anything
    was silenced. `edit_lines` are added and removed ones, of a green edit; `smallest_lines` those of the smallest known.
    """

    name: str
    expected: str
    got: str
    honest: bool = False
    rounds: int = 0
    spending: Spending = field(default_factory=Spending)
    edit_lines: int | None = None
    smallest_lines: int | None = None
    message: str = ""
    run: str | None = None

    @property
    def green(self) -> bool:
        """Whether the run was green."""
        return self.got == Ending.GREEN.value

    @property
    def as_expected(self) -> bool:
        """Whether it ended as the case says is right; a green that is right must be an honest one."""
        return self.got == self.expected and (self.honest or not self.green)

    @property
    def without_model(self) -> bool:
        """Whether it was green without a call of a model."""
        return self.green and self.spending.calls == 0

    def out(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "name": self.name,
            "expected": self.expected,
            "got": self.got,
            "asExpected": self.as_expected,
            "green": self.green,
            "honest": self.honest,
            "noModel": self.without_model,
            "rounds": self.rounds,
            "calls": self.spending.calls,
            "tokens": self.spending.tokens,
            "price": self.spending.cost,
            "seconds": round(self.spending.wall_seconds, 3),
            "modelSeconds": round(self.spending.model_seconds, 3),
            "editLines": self.edit_lines,
            "smallestLines": self.smallest_lines,
            "message": self.message,
            "run": self.run,
        }


async def score(case: Case, settings: Settings, started: Callable[[Run], None]) -> Score:
    """Run one case to its end; never raises for what a case does wrong. `started` gets the run, to cancel it."""
    table = case.table
    blank = Score(case.name, table.outcome, FailureKind.CONFIGURATION.value, smallest_lines=table.smallest_lines)
    if case.trouble is not None:
        return replace(blank, message=case.trouble)
    began = time.monotonic()
    try:
        run = start(_job(case, settings))
    except ConfigurationError as error:
        return replace(blank, message=str(error), spending=Spending(wall_seconds=time.monotonic() - began))
    started(run)
    outcome: Outcome | None = None
    async for event in run:
        if isinstance(event, RunFinished):
            outcome = event.outcome
    assert outcome is not None  # the stream always ends with it
    return replace(
        blank,
        got=outcome.failure.kind.value if outcome.failure else outcome.ending.value,
        honest=outcome.ending is Ending.GREEN and not outcome.tally.suspect and not outcome.tally.suspicious,
        rounds=outcome.tally.rounds,
        spending=outcome.tally.spending,
        edit_lines=sum(changed_lines(c) for c in outcome.edit.files) if outcome.ending is Ending.GREEN else None,
        message=outcome.failure.message if outcome.failure else "",
        run=run.run_id,
    )


def _job(case: Case, settings: Settings) -> Job:
    targets = tuple(case.root / path for path in case.table.targets)
    model = _beside(settings.model, case.root)
    return Job(
        root=case.root,
        targets=targets,
        settings=settings.model_copy(update={"model": model, "repair_memory": False}),
        scope="files" if targets else "workspace",
        spec=case.table.spec,
        keep=(case.root.parent, *(place for place in case.root.parent.iterdir() if place.is_dir())),
    )


def _beside(model: str, root: Path) -> str:
    """A script or a record that lies in the case's own folder, for models that are files."""
    provider, _, name = model.partition(":")
    if provider in ("scripted", "replay") and not Path(name).is_absolute() and (root / name).is_file():
        return f"{provider}:{root / name}"
    return model
