"""The contract on the untouched tree.

What is wrong, which files that concerns, and what is only flaky (SPEC L1, L3, K9, Q8).
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from compile_loop.contracts.checks import ContractResult
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.events import Pass, ProtectedCompared, TargetsChosen, Warned
from compile_loop.contracts.outcome import FailureKind
from compile_loop.engine.course import Course, State
from compile_loop.engine.fingerprint import normalise
from compile_loop.engine.gave_up import GaveUp
from compile_loop.engine.holdouts import holdout_baseline
from compile_loop.engine.steadiness import same, vanished
from compile_loop.engine.targets import choose_targets
from compile_loop.engine.verdict import judge
from compile_loop.engine.worktree import Changes

QUICK = 10.0
"""Seconds: a red baseline that took less is run twice."""


async def take_baseline(course: Course) -> State:
    """The state to start from.

    Raises `GaveUp` where the tools cannot run or the check does not show what is to be fixed.
    """
    await course.work.add(course.request.targets)
    if course.request.from_spec_alone and not any(target.content for target in course.work.targets):
        course.emit(TargetsChosen(course.work.originals))
        return course.unwritten()
    untouched = await course.marks()
    result = await _stable(course)
    after = await course.marks()
    course.hear(result.errors)
    course.marks_of_baseline = after
    course.moved_by_baseline = frozenset(b.path for b in course.broken(untouched, after))
    course.remade_by_baseline = frozenset(course.by_check(untouched, after))
    if course.remade_by_baseline:
        course.emit(ProtectedCompared((), tuple(sorted(course.remade_by_baseline))))
    course.written_by_baseline = frozenset(b.path for b in course.rewritten(untouched, after))
    course.targets = choose_targets(course.request, result, course.parts.may_become_target, course.parts.tells_only)
    if course.request.scope == "workspace" and not course.targets.writable and not result.ok:
        course.targets = replace(course.targets, writable=await asyncio.to_thread(course.parts.sources))
    state = State({}, result, judge(result, result, course.targets.focus))
    course.baseline = course.best = state
    _check_reproduces(course.request.reproduce, state)
    for path, reason in course.targets.refused:
        course.emit(Warned(f"{path} is named by the failures but is not edited: {reason}."))
    await course.work.add(course.targets.writable)
    course.emit(TargetsChosen(course.work.originals))
    if rewritten := course.work.rewritten():
        state = await _own_repairs(course, state, rewritten)
    await holdout_baseline(course)
    await course.parts.shadow.set_caches_apart()
    if course.earlier is not None and (kept := await course.take_up(course.earlier)):
        await course.work.write(kept)
        return await course.verify(Pass.SUGGESTION)
    return state


async def _own_repairs(course: Course, state: State, rewritten: Changes) -> State:
    """A check that formats or fixes: what it made of the targets is a suggestion like any other, and else taken back."""
    course.emit(Warned(f"The check itself changes {', '.join(rewritten)}."))
    whole = all(_may_be_taken_up(course, path, data) for path, data in rewritten.items())
    if course.request.suggestions and not course.has_wish and whole:
        await course.work.write(rewritten)
        repaired = await course.verify(Pass.SUGGESTION, keep=False)
        if repaired.verdict.green and repaired.changes:
            course.go_on_from(repaired)
            course.explanations.append("The check itself repairs this when it runs; the edit keeps what it did.")
            course.flaky = None
            return repaired
    for path, data in rewritten.items():
        if data is None:
            await course.parts.shadow.write(path, None)  # a link that it laid there would take the bytes elsewhere
        await course.parts.shadow.write(path, course.work.originals[path])
    await course.work.restore({})
    return state


def _may_be_taken_up(course: Course, path: str, data: bytes | None) -> bool:
    """Whether a target that a check changed is still a text, and holds no secret that it did not hold before."""
    if data is None or not course.work.stays_text(path, data):
        return False
    redact = course.parts.redact
    return redact(data) == data or redact(before := course.work.originals[path] or b"") != before


async def _stable(course: Course) -> ContractResult:
    """Run the contract, and once more if it was quick and red; what differs without an edit is flaky, and said to be.

    Then a third run decides, from a clean start: the second may have passed, or have said less, only by what the first
    left behind, as a build does that goes on.
    """
    first = await _run(course)
    if first.ok or first.duration > QUICK or not course.request.confirm_baseline:
        return first
    second = await _run(course)
    if same(first, second):
        return second
    await course.renew_shadow({})
    third = await _run(course)
    gone = vanished(first, second)
    if same(first, third) and not (second.ok or gone):
        return third
    what = "; ".join(d.message.splitlines()[0] for d in gone[:3]) or "the exit code"
    course.say_flaky(f"without any edit a second run differed ({what})")
    return third


async def _run(course: Course) -> ContractResult:
    result = await course.run_contract(Pass.BASELINE)
    if result.unfinished is not None:
        raise GaveUp(FailureKind.ENVIRONMENT, result.unfinished)
    return result


def _check_reproduces(wanted: Diagnostic | None, state: State) -> None:
    if wanted is None or wanted.file is None:
        return
    for error in state.result.errors:
        same_line = error.range.start.line == wanted.range.start.line
        if error.file == wanted.file and (same_line or normalise(error.message) == normalise(wanted.message)):
            return
    names = ", ".join(r.check for r in state.result.results)
    runs = f", one that runs {wanted.source}" if wanted.source else ""
    raise GaveUp(
        FailureKind.CONFIGURATION,
        f"The check ({names}) does not report “{wanted.message}” in {wanted.file}, so it could not tell when that is "
        f"fixed. Choose a check that reports it{runs}.",
    )
