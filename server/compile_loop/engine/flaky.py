"""Failures that come and go by themselves, and were not fixed by an edit that never touched them (SPEC K9, Q8)."""

from __future__ import annotations

from compile_loop.contracts.events import Pass
from compile_loop.engine.course import Course, State
from compile_loop.engine.fingerprint import fingerprint, fingerprints
from compile_loop.engine.minimise import BUDGET


async def notice_flaky(course: Course, state: State) -> None:
    """Look at failures that vanished in files which no edit touched once more, on the untouched tree.

    One that is gone there too is flaky, and said to be.
    """
    before = course.baseline
    if before is None or course.flaky is not None or not course.request.confirm_baseline:
        return
    vanished = fingerprints(before.verdict.blocking) - fingerprints(state.result.errors)
    untouched = fingerprints([d for d in before.verdict.blocking if d.file not in state.changes]) & vanished
    by_its_exit_alone = not before.verdict.blocking
    if not (untouched or by_its_exit_alone) or sum(r.duration for r in before.result.results) > BUDGET:
        return
    await course.renew_shadow({})
    again = await course.run_contract(Pass.MINIMISE)
    await course.renew_shadow(state.changes)
    if again.environment is not None or any(r.timed_out for r in again.results):
        return
    gone = untouched - fingerprints(again.errors)
    if again.ok or (gone and len(again.errors) < len(before.result.errors)):
        messages = [d.message.splitlines()[0] for d in before.verdict.blocking if fingerprint(d) in gone]
        what = "; ".join(messages[:3]) or "the exit code"
        course.say_flaky(f"run again without the edit, it no longer fails as it did ({what})")
