"""From visibly green to a result that can be trusted.

Holdouts, the smallest edit, a clean start, honesty (SPEC L2, K5, K7, K10).
"""

from __future__ import annotations

from dataclasses import dataclass

from compile_loop.contracts.events import Pass, PlanCompared, Suspected
from compile_loop.contracts.honesty import Finding
from compile_loop.contracts.outcome import Outcome
from compile_loop.conversation.prompts import dishonest_prompt, holdout_prompt, unconfirmed_prompt
from compile_loop.engine.brief import failures_of
from compile_loop.engine.course import Course, State
from compile_loop.engine.fingerprint import fingerprint
from compile_loop.engine.holdouts import red_holdouts
from compile_loop.engine.minimise import minimise
from compile_loop.engine.plan import compare


@dataclass(frozen=True, slots=True)
class Proof:
    """Either an outcome, or a doubt that the model is told with the state it concerns."""

    state: State
    outcome: Outcome | None = None
    doubt: str = ""


async def prove(course: Course, state: State) -> Proof:
    """Take a visibly green state through everything that stands between it and a green outcome. Raises `GaveUp`."""
    findings = _inspect(course, state)
    certain = [f for f in findings if f.certain]
    if certain and not course.request.honesty_reports_only:
        course.silenced = state
        course.silenced_lines = _lines(certain)
        return Proof(state, doubt=dishonest_prompt(_lines(certain)))
    if told := await red_holdouts(course, Pass.HOLDOUT):
        return Proof(state, doubt=holdout_prompt(told))
    smallest = await minimise(course, state)
    await course.renew_shadow(smallest.changes)
    confirmed = await course.verify(Pass.FINAL)
    if not confirmed.verdict.green:
        return Proof(confirmed, doubt=unconfirmed_prompt(failures_of(course, confirmed)))
    if told := await red_holdouts(course, Pass.FINAL):
        return Proof(confirmed, doubt=holdout_prompt(told))
    course.suspect = _lines(_inspect(course, confirmed))
    return Proof(confirmed, outcome=_green(course, confirmed))


def _inspect(course: Course, state: State) -> list[Finding]:
    if course.parts.inspect is None or course.baseline is None:
        return []
    edit = course.work.edit(state.changes)
    findings = list(course.parts.inspect(edit, course.baseline.verdict.blocking, course.request.spec))
    for certain in (True, False):
        if lines := _lines([f for f in findings if f.certain is certain]):
            course.emit(Suspected(lines, certain))
    return findings


def _lines(findings: list[Finding]) -> tuple[str, ...]:
    return tuple(f.sentence for f in findings)


def _green(course: Course, state: State) -> Outcome:
    """Green: hold the plan against what was done, and remember what worked."""
    if course.plan is not None:
        found = compare(course.plan, course.targets.writable, state.changes)
        course.emit(PlanCompared(found.left_out, found.unplanned))
    outcome = course.green(state)
    if course.parts.memory is not None and course.baseline is not None:
        repaired = frozenset("|".join(fingerprint(error)) for error in course.baseline.verdict.blocking)
        course.parts.memory.remember(repaired, outcome.edit, outcome.tally.explanation)
    return outcome
