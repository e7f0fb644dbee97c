"""The smallest edit that keeps the contract green: surplus hunks are dropped (SPEC K10, Q2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from compile_loop.contracts.edits import Edit
from compile_loop.contracts.events import Minimised, Pass
from compile_loop.edits.hunks import apply_hunks
from compile_loop.engine.belonging import Unit, bundles, keeps_together
from compile_loop.engine.course import Course, State
from compile_loop.engine.holdouts import still_green
from compile_loop.engine.worktree import Changes

BUDGET = 60.0
"""Seconds, or the check's cost times 4, whichever is more."""


async def minimise(course: Course, state: State) -> State:
    """Drop what the contract does not need, within the budget; halves first, then single hunks.

    A new file that another one needs or is needed by, by its name, stays with it: a check that only compiles misses neither.
    """
    edit = course.work.edit(state.changes)
    units = bundles(_units(edit), edit)
    if not course.request.minimise or course.has_wish or len(units) < 2:
        return state
    cost = state.result.duration
    until = course.parts.clock() + max(BUDGET, 4 * cost)
    kept, best = units, state
    size = len(units) // 2
    while size >= 1:
        index = 0
        while index < len(kept) and len(kept) > 1:
            if course.parts.clock() + cost > until:
                return await _settle(course, best, _count(units), _count(kept))
            without = kept[:index] + kept[index + size :]
            left = list(chain(*without))
            if left and keeps_together(left, edit) and (smaller := await _try(course, edit, left, best)) is not None:
                kept, best = without, smaller
            else:
                index += size
        size //= 2
    return await _settle(course, best, _count(units), _count(kept))


def _count(kept: Sequence[Sequence[Unit]]) -> int:
    return sum(map(len, kept))


def _units(edit: Edit) -> list[Unit]:
    units: list[Unit] = []
    for change in edit.files:
        if change.before is None or change.after is None:
            units.append((change.path, None))
        else:
            units += [(change.path, hunk) for hunk in change.hunks]
    return units


async def _try(course: Course, edit: Edit, units: Sequence[Unit], best: State) -> State | None:
    """The state with only `units`, if it is as green as the best one."""
    await course.work.restore(_changes(edit, units))
    state = await course.verify(Pass.MINIMISE)
    if (
        state.verdict.green
        and len(state.verdict.remaining) <= len(best.verdict.remaining)
        and await still_green(course)
    ):
        return state
    return None


def _changes(edit: Edit, units: Sequence[Unit]) -> Changes:
    changes: Changes = {}
    for change in edit.files:
        hunks = [hunk for path, hunk in units if path == change.path]
        if not hunks:
            continue
        whole = change.before is None or None in hunks
        changes[change.path] = (
            change.after if whole else apply_hunks(change.before or b"", [h for h in hunks if h is not None])
        )
    return changes


async def _settle(course: Course, best: State, before: int, left: int) -> State:
    await course.work.restore(best.changes)
    if left < before:
        course.emit(Minimised(before, left))
    return best
