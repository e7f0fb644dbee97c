"""Hidden checks: once at the baseline, after each visible green, and in the last run (SPEC K5, Q5).

Each pass runs in a layer that is thrown away: neither a visible check nor a tool finds anything of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from compile_loop.contracts.counting import count
from compile_loop.contracts.events import HoldoutFinished, Pass, Warned
from compile_loop.contracts.holdouts import HoldoutResult
from compile_loop.contracts.outcome import FailureKind
from compile_loop.contracts.protected import Broken
from compile_loop.engine.course import Course
from compile_loop.engine.gave_up import GaveUp

QUICK = 10.0
"""Seconds: hidden checks that are red and took less are run once more, and a third time where the two differ."""
FLAKY = "a hidden check is flaky: it passed and failed with the same files"


_Touched = tuple[tuple[Broken, ...], tuple[Broken, ...], tuple[Broken, ...]]
"""Protected files that were changed, written as they were, or made and taken away again."""


@dataclass(frozen=True, slots=True)
class HiddenPass:
    """What one pass came to.

    `told` is what may be told of each that fails; empty: all are green. `broken`, `rewritten` and `passing` are protected
    files that it changed, wrote as they were, or made and took away again.
    """

    told: list[str]
    broken: tuple[Broken, ...] = ()
    rewritten: tuple[Broken, ...] = ()
    passing: tuple[Broken, ...] = ()


async def holdout_baseline(course: Course) -> None:
    """Where the holdouts stand before anything is done."""
    course.holdouts_told = await red_holdouts(course, Pass.BASELINE)


async def red_holdouts(course: Course, in_pass: Pass) -> list[str]:
    """What may be told of each holdout that fails; empty: all are green. Raises `GaveUp` where one cannot run."""
    return (await hidden_pass(course, in_pass)).told


async def still_green(course: Course) -> bool:
    """Whether the hidden checks, all green before, are so with a smaller edit: a hunk that only they need is no surplus."""
    if course.parts.holdouts is None:
        return True
    results, _ = await _run(course, Pass.MINIMISE)
    return all(each.ok for each in results)


def red_at_baseline(course: Course) -> bool:
    """Whether a hidden check failed on the untouched tree."""
    return not all(course.holdouts_seen.get(frozenset(), []))


async def differ_without_edit(course: Course) -> bool:
    """Whether the hidden checks, on the untouched tree that the copy holds, say otherwise than at the baseline; told (SPEC K9)."""
    results, _ = await _run(course, Pass.AGAIN)
    steady = [each.ok for each in results] == course.holdouts_seen[frozenset()]
    if not steady and not any(each.cannot_run for each in results):
        _say_flaky(course)
    return not steady


async def hidden_pass(course: Course, in_pass: Pass) -> HiddenPass:
    """Run the hidden checks on the state as it is. Raises `GaveUp` where one cannot do its work at all."""
    if course.parts.holdouts is None:
        return HiddenPass([])
    results, touched = await _run(course, in_pass, watched=in_pass is Pass.FINAL)
    _must_start(course, results)
    results = await _steady(course, in_pass, results)
    for each in results:
        course.emit(HoldoutFinished(each.result.check, each.ok, each.told))
    return HiddenPass([each.told for each in results if not each.ok], *touched)


async def _run(course: Course, in_pass: Pass, *, watched: bool = False) -> tuple[Sequence[HoldoutResult], _Touched]:
    """One run; with `watched`, also what it did to protected files."""
    holdouts, shadow = course.parts.holdouts, course.parts.shadow
    assert holdouts is not None
    async with shadow.aside():
        if not watched:
            return await holdouts.run(shadow, in_pass, course.rounds, course.emit), ((), (), ())
        before = await course.marks()
        await shadow.watch_arrivals()
        results = await holdouts.run(shadow, in_pass, course.rounds, course.emit)
        after, arrivals = await course.marks(), await shadow.arrivals()
    touched = course.broken(before, after), course.rewritten(before, after), course.passing(arrivals, after)
    return results, (tuple(touched[0]), tuple(touched[1]), tuple(touched[2]))


async def _steady(course: Course, in_pass: Pass, first: Sequence[HoldoutResult]) -> Sequence[HoldoutResult]:
    """The results that count. What differs on the same files is flaky, and said to be (SPEC K9)."""
    now, seconds = [each.ok for each in first], sum(each.result.duration for each in first)
    if in_pass is Pass.BASELINE:
        course.holdouts_seconds = seconds
    changes = frozenset(course.work.changes.items())
    if not all(now) and seconds <= QUICK:
        second, _ = await _run(course, in_pass)
        if [each.ok for each in second] != now:
            _say_flaky(course)
            first, _ = await _run(course, in_pass)
    seen = course.holdouts_seen.setdefault(changes, [each.ok for each in first])
    if seen != [each.ok for each in first]:
        _say_flaky(course)
    return first


def _say_flaky(course: Course) -> None:
    if FLAKY not in course.doubts:
        course.doubts.append(FLAKY)
        course.emit(Warned(f"{FLAKY.capitalize()}. Its green is worth as much as its red."))


def _must_start(course: Course, results: Sequence[HoldoutResult]) -> None:
    """Raises `GaveUp` where a hidden check cannot do its work: nobody should pay a model for that (SPEC L3, Q7)."""
    stuck = [n for n, each in enumerate(results, 1) if _is_stuck(course, each)]
    course.holdouts_ran |= {each.result.check for each in results if not each.cannot_run}
    if stuck:
        missing = results[stuck[0] - 1].missing
        why = (
            f"“{missing}”, which it needs, is missing. Install it, or take the check out."
            if missing
            else "a program that it starts is missing, may not be executed or fails itself. Run it by hand to see which, or take "
            "it out."
        )
        raise GaveUp(
            FailureKind.ENVIRONMENT, f"Hidden check {stuck[0]} of {len(results)} cannot do its work here: {why}"
        )


def _is_stuck(course: Course, each: HoldoutResult) -> bool:
    """Whether no edit mends it: it never did its work, or lacks what no edit brought up and no new file can be."""
    if not each.cannot_run:
        return False
    if not each.missing:
        return each.result.check not in course.holdouts_ran
    top = re.split(r"[./]", each.missing)[0]
    may_be_made = each.module and (
        course.request.allow_new_files or any(top in path for path in course.request.targets)
    )
    return not may_be_made and not any(each.missing.encode() in (data or b"") for data in course.work.changes.values())


def climb(course: Course, told: list[str]) -> None:
    """Count the model's next attempt at hidden checks that said `told`. Raises `GaveUp` when the climbs are used up."""
    if course.climbs >= course.request.max_holdout_rounds:
        raise GaveUp(
            FailureKind.HOLDOUT,
            f"The visible checks pass, and {count(len(told), 'hidden check')} still "
            f"{'fails' if len(told) == 1 else 'fail'} after {course.climbs} climbs. Look at the partial result, or give guidance.",
        )
    course.climbs += 1
