"""A file that the model wanted to edit and might not: the user may allow it, and the run goes on (SPEC Q4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from compile_loop.contracts.counting import count, some
from compile_loop.contracts.outcome import Ending, FailureKind
from compile_loop.lsp.places import Place
from compile_loop.lsp.protocol import RunParams
from compile_loop.lsp.results import Result

if TYPE_CHECKING:
    from compile_loop.assemble import Job
    from compile_loop.engine.handle import Run
    from compile_loop.lsp.host import LoopServer
    from compile_loop.lsp.session import Make

STUCK = frozenset(
    {
        FailureKind.NO_EDITS_APPLIED,
        FailureKind.STAGNATION,
        FailureKind.MAX_ROUNDS,
        FailureKind.TOOL_LOOP,
        FailureKind.HOLDOUT,
    }
)
"""Endings that one more file may turn; the others had another cause."""
LISTED = 5
NO = "Don't Allow"


async def ask(ls: LoopServer, result: Result) -> tuple[str, ...]:
    """The files that the user allows besides; none where the run did not end for want of them, or the answer was no."""
    outcome = result.outcome
    wanted = outcome.tally.wanted
    stuck = outcome.ending is Ending.NO_CHANGE_NOMINATED or (outcome.failure and outcome.failure.kind in STUCK)
    if not wanted or not stuck or result.run is None or result.job is None:
        return ()
    one = len(wanted) == 1
    text = (
        f"Not fixed yet. The model wants to edit {some(wanted, LISTED)} too, which {'is' if one else 'are'} not among the "
        f"files of this run. Allow {'it' if one else 'them'} and go on?"
    )
    yes = f"Allow {wanted[0].rsplit('/', 1)[-1] if one else count(len(wanted), 'File')}"
    return wanted if await ls.ui.message("warning", text, yes, NO) == yes else ()


def going_on(result: Result, params: RunParams, paths: Sequence[str]) -> tuple[RunParams, Make, str, Place]:
    """The run that goes on in the same conversation with these files allowed: its request, and what makes it."""
    run, job = result.run, result.job
    assert run is not None and job is not None
    place = Place(result.root, (*job.targets, *(job.root / path for path in paths)))
    said = f"The user allows you to edit {' and '.join(paths)} as well."
    request = params.model_copy(
        update={
            "uris": [path.as_uri() for path in place.targets],
            "spec": f"{job.spec.strip()}\n{said}".strip(),
        }
    )

    def make(further: Job) -> Run:
        from compile_loop.assemble import carry_on

        return carry_on(replace(further, checks=job.checks, holdouts=job.holdouts), run)

    return request, make, f"going on with {paths[0].rsplit('/', 1)[-1]} allowed", place
