"""Hidden checks: once at the baseline, after each visible green, and in the last run (SPEC K5, Q5)."""

from __future__ import annotations

from compile_loop.contracts.counting import count
from compile_loop.contracts.events import HoldoutFinished, Pass
from compile_loop.contracts.outcome import FailureKind
from compile_loop.engine.course import Course
from compile_loop.engine.gave_up import GaveUp


async def holdout_baseline(course: Course) -> None:
    """Where the holdouts stand before anything is done."""
    course.holdouts_told = await red_holdouts(course, Pass.BASELINE)


async def red_holdouts(course: Course, in_pass: Pass) -> list[str]:
    """What may be told of each holdout that fails; empty: all are green."""
    holdouts = course.parts.holdouts
    if holdouts is None:
        return []
    results = await holdouts.run(course.parts.shadow, in_pass, course.rounds, course.emit)
    for each in results:
        course.emit(HoldoutFinished(each.result.check, each.ok, each.told))
    return [each.told for each in results if not each.ok]


def climb(course: Course, told: list[str]) -> None:
    """Count the model's next attempt at hidden checks that said `told`. Raises `GaveUp` when the climbs are used up."""
    if course.climbs >= course.request.max_holdout_rounds:
        raise GaveUp(
            FailureKind.HOLDOUT,
            f"The visible checks pass, and {count(len(told), 'hidden check')} still "
            f"{'fails' if len(told) == 1 else 'fail'} after {course.climbs} climbs. Look at the partial result, or give guidance.",
        )
    course.climbs += 1
