"""Failures that come and go by themselves, and were not fixed by an edit (SPEC K9, Q8).

The evidence that an edit did it: red without it, green with it, as often as both can be afforded.
"""

from __future__ import annotations

from compile_loop.contracts.checks import ContractResult
from compile_loop.contracts.events import Pass
from compile_loop.engine.baseline import QUICK
from compile_loop.engine.bearing import Bearing, bearing
from compile_loop.engine.course import Course, State
from compile_loop.engine.holdouts import differ_without_edit, red_at_baseline
from compile_loop.engine.minimise import BUDGET
from compile_loop.engine.steadiness import same, vanished
from compile_loop.engine.verdict import judge

_LOOKS = {Bearing.NEAR: 1, Bearing.FAR: 3, Bearing.NONE: 3}
"""How often the untouched tree is to fail again: luck is likelier than an edit that cannot matter."""


async def notice_flaky(course: Course, state: State) -> None:
    """Run the checks that an edit turned green on the untouched tree once more, and say so where they differ from before.

    A quick check is run again each time, three times where the edit holds nothing that its failures speak of; one that
    takes longer only where there is such a doubt, and only once. The shadow holds `state` afterwards, unless what follows
    begins with a clean start.
    """
    before = course.baseline
    if before is None or not before.result.results or not course.request.confirm_baseline or course.flaky is not None:
        return
    red, hidden = not before.verdict.green, red_at_baseline(course)
    close = _bearing(course, state) if red else Bearing.FAR
    cost = before.result.duration + hidden * course.holdouts_seconds
    if not (red or hidden) or cost > BUDGET or (cost > QUICK and close is Bearing.NEAR):
        return
    spent = 0.0
    for look in range(_LOOKS[close]):
        if (look and spent + cost > QUICK) or course.parts.shadow.changed_underneath() or course.time_left < 4 * cost:
            return
        if look and close is Bearing.NONE and not await _green_again(course, state):
            return
        if not await _red_again(course, before, visibly=red, hidden=hidden):
            return
        spent += cost


def _bearing(course: Course, state: State) -> Bearing:
    shadow = course.parts.shadow
    errors = course.baseline.verdict.blocking if course.baseline else ()
    return bearing(course.work.edit(state.changes), errors, lambda path: shadow.peek(f"{shadow.root}/{path}"))


def is_quick(state: State) -> bool:
    """Whether its checks may be run again for no more than a doubt."""
    return state.result.duration <= QUICK


async def _red_again(course: Course, before: State, *, visibly: bool, hidden: bool) -> bool:
    """Whether the untouched tree fails as it did; what differs is said. False, too, where it cannot be told."""
    await course.renew_shadow({})
    if visibly:
        again = await course.run_contract(Pass.AGAIN)
        if again.unfinished is not None:
            return False
        if how := _difference(course, before, again):
            course.say_flaky(f"run again without the edit, it {how}")
            return False
    return not (hidden and await differ_without_edit(course))


def _difference(course: Course, before: State, again: ContractResult) -> str:
    if same(before.result, again):
        return ""
    what = "; ".join(dict.fromkeys(d.message.splitlines()[0] for d in vanished(before.result, again)[:3]))
    if (
        again.ok
        or judge(again, before.result, course.targets.focus).green
        or len(again.errors) < len(before.result.errors)
    ):
        return f"no longer fails as it did ({what or 'the exit code'})"
    return f"fails in another way than before ({what or 'its output'})"


async def _green_again(course: Course, state: State) -> bool:
    await course.renew_shadow(state.changes)
    again = await course.verify(Pass.AGAIN, keep=False)
    if not again.verdict.green and again.result.environment is None:
        course.say_flaky("run again with the edit, it fails")
    return again.verdict.green
