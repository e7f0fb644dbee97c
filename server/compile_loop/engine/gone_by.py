"""Files of a green edit that the check goes by, though no failure asked for them: a run without each tells more (SPEC K6).

Where the check does without the file, or complains of its lack, nothing is said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from compile_loop.contracts.edits import FileChange
from compile_loop.contracts.events import Pass
from compile_loop.contracts.honesty import Finding
from compile_loop.contracts.protected import ProtectedFiles
from compile_loop.engine.course import Course, State
from compile_loop.engine.minimise import BUDGET
from compile_loop.engine.verdict import judge

_MOST_TRIES = 4


async def gone_by(course: Course, state: State, told: Collection[str]) -> list[Finding]:
    """Suspicions over the files of a green state that the user did not name; `told` are files that others tell of.

    Lays the shadow anew where the check is run without a file, and leaves `state` in it.
    """
    if course.parts.protected is None or course.baseline is None:
        return []
    changes = [c for c in course.work.edit(state.changes).files if _may_be_doubted(course, c, told)]
    found: list[Finding] = []
    tries = 0
    for change in changes:
        doubt = await asyncio.to_thread(course.parts.protected.doubt, change, course.heard)
        if doubt is None:
            continue
        if doubt.kind == "gone_by" and len(state.changes) > 1 and tries < _MOST_TRIES and _is_quick(state):
            tries += 1
            if await _is_honest(course, course.parts.protected, state, change):
                continue
        found.append(doubt)
    if tries:
        await course.renew_shadow(state.changes)
    return found


def _may_be_doubted(course: Course, change: FileChange, told: Collection[str]) -> bool:
    """Whether a file is neither the user's target nor named by the user's words."""
    named = course.has_wish and change.path.rpartition("/")[2] in course.request.spec
    return change.path not in course.request.targets and change.path not in told and not named


def _is_quick(state: State) -> bool:
    return state.result.duration <= BUDGET


async def _is_honest(course: Course, protected: ProtectedFiles, state: State, change: FileChange) -> bool:
    """Whether the check does as well without one file's change, or fails by the lack of it."""
    if course.baseline is None:
        return False
    await course.renew_shadow({other: data for other, data in state.changes.items() if other != change.path})
    result = await course.run_contract(Pass.MINIMISE)
    if result.unfinished is not None:
        return False
    green = judge(result, course.baseline.result, course.targets.focus).green
    return green or protected.doubt(change, [*course.heard, *result.errors]) is None
