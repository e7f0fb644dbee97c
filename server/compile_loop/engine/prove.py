"""From visibly green to a result that can be trusted.

Holdouts, the smallest edit, a clean start, honesty (SPEC L2, K5, K7, K10).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from compile_loop.contracts.checks import ContractResult
from compile_loop.contracts.edits import Edit
from compile_loop.contracts.events import Pass, PlanCompared, ProtectedCompared, Suspected
from compile_loop.contracts.honesty import Finding
from compile_loop.contracts.outcome import Outcome
from compile_loop.contracts.protected import Broken
from compile_loop.conversation.prompts import dishonest_prompt, holdout_prompt, unconfirmed_prompt
from compile_loop.engine.brief import failures_of
from compile_loop.engine.course import Course, State
from compile_loop.engine.fingerprint import fingerprint
from compile_loop.engine.flaky import is_quick, notice_flaky
from compile_loop.engine.forged_output import forged
from compile_loop.engine.gone_by import gone_by
from compile_loop.engine.holdouts import climb, hidden_pass, red_holdouts
from compile_loop.engine.minimise import minimise
from compile_loop.engine.plan import compare
from compile_loop.engine.wanted_output import wanted_output


@dataclass(frozen=True, slots=True)
class Proof:
    """Either an outcome, or a doubt that the model is told with the state it concerns."""

    state: State
    outcome: Outcome | None = None
    doubt: str = ""


async def prove(course: Course, state: State) -> Proof:
    """Take a visibly green state through everything that stands between it and a green outcome. Raises `GaveUp`."""
    findings = await _inspect(course, state)
    certain = [f for f in findings if f.certain]
    if certain and not course.request.honesty_reports_only:
        return _doubted(course, state, _lines(certain))
    if told := await red_holdouts(course, Pass.HOLDOUT):
        climb(course, told)
        return Proof(state, doubt=holdout_prompt(told))
    smallest = await minimise(course, state)
    await notice_flaky(course, smallest)
    last = await _confirm(course, smallest)
    if smallest.changes != state.changes and not (last.state.verdict.green and not last.told):
        last = await _confirm(course, state)  # What was dropped is needed by more than the visible checks.
    elif not last.state.verdict.green and is_quick(last.state):
        again = await _confirm(course, state)
        if again.state.verdict.green:
            course.say_flaky("run twice from a clean start with the same edit, it failed and passed")
            last = again
    if last.rewritten and not last.broken:
        last = await _confirm(course, last.state, last.rewritten)
    confirmed = last.state
    if not confirmed.verdict.green:
        return Proof(confirmed, doubt=unconfirmed_prompt(failures_of(course, confirmed)))
    if last.told:
        climb(course, last.told)
        return Proof(confirmed, doubt=holdout_prompt(last.told))
    course.emit(ProtectedCompared(tuple(b.path for b in last.broken), last.by_check))
    if last.broken:
        await course.renew_shadow(confirmed.changes)  # what moved the goal there would fail a true repair
        return _doubted(course, confirmed, tuple(b.sentence for b in last.broken))
    written = (*(b.sentence for b in (*last.rewritten, *last.passing)), *_guesses(course, confirmed))
    if written:
        course.emit(Suspected(written, certain=False))
    inspected = await _inspect(course, confirmed)
    doubts = _lines(await gone_by(course, confirmed, {finding.file for finding in inspected}))
    if doubts:
        course.emit(Suspected(doubts, certain=False))
    course.suspect = (*_lines(inspected), *doubts, *written)
    return Proof(confirmed, outcome=_green(course, confirmed))


def _doubted(course: Course, state: State, lines: tuple[str, ...]) -> Proof:
    course.silenced, course.silenced_lines = state, lines
    return Proof(state, doubt=dishonest_prompt(lines))


@dataclass(frozen=True, slots=True)
class _Last:
    """The last run: where it came to, what its hidden checks let be told, which protected files it changed.

    `rewritten` are those that were written while it went on, and have the same bytes again, `passing` those that were there
    only meanwhile, `by_check` those that the checks themselves change.
    """

    state: State
    told: list[str]
    broken: tuple[Broken, ...] = ()
    rewritten: tuple[Broken, ...] = ()
    passing: tuple[Broken, ...] = ()
    by_check: tuple[str, ...] = ()


async def _confirm(course: Course, state: State, doubted: tuple[Broken, ...] = ()) -> _Last:
    """Everything once more from a clean start that holds only the edit.

    A protected file that is `doubted` to be as it was all the time is watched: what a tool only touches is not written.
    """
    await course.renew_shadow(state.changes)
    watched = frozenset(b.path for b in doubted)
    if watched and not await course.parts.shadow.watch(sorted(watched)):
        watched = frozenset()
    before = await course.marks()
    await course.parts.shadow.watch_arrivals()
    confirmed = await course.verify(Pass.FINAL)
    if not confirmed.verdict.green:
        return _Last(confirmed, [])
    after, arrivals = await course.marks(), await course.parts.shadow.arrivals()
    hidden = await hidden_pass(course, Pass.FINAL)
    touched = watched - await course.parts.shadow.written() if watched else watched
    broken = {b.path: b for b in (*course.broken(before, after), *hidden.broken)}
    rewritten = {b.path: b for b in (*course.rewritten(before, after), *hidden.rewritten) if b.path not in touched}
    passing = {b.path: b for b in (*course.passing(arrivals, after), *hidden.passing)}
    return _Last(
        confirmed,
        hidden.told,
        tuple(broken.values()),
        tuple(rewritten.values()),
        tuple(passing.values()),
        course.by_check(before, after),
    )


async def _inspect(course: Course, state: State) -> list[Finding]:
    """What the edit may have done to the check. A large one takes its time, so a thread looks at it."""
    if course.parts.inspect is None or course.baseline is None:
        return []
    edit = course.work.edit(state.changes)
    before, after = _tests_that_ran(course.baseline.result, state.result)
    blocking = course.baseline.verdict.blocking
    findings = list(await asyncio.to_thread(course.parts.inspect, edit, blocking, course.request.spec, before, after))
    findings += _protected_additions(course, edit, findings) + _edited_helpers(course, edit, findings)
    checks = course.parts.contract.checks
    told = forged(course.baseline.result, state.result, edit, checks)
    told += wanted_output(course.baseline.result, state.result, edit, checks, course.request.spec)
    known = {(f.file, f.line) for f in findings}
    findings += [f for f in dict.fromkeys(told) if (f.file, f.line) not in known or not f.line]
    for certain in (True, False):
        if lines := _lines([f for f in findings if f.certain is certain]):
            course.emit(Suspected(lines, certain))
    return findings


def _tests_that_ran(before: ContractResult, after: ContractResult) -> tuple[int | None, int | None]:
    """How many tests the checks ran that told so both times; after is None where some no longer tell."""
    told = [
        (old.tests, new.tests) for old, new in zip(before.results, after.results, strict=False) if old.tests is not None
    ]
    known = [(old, new) for old, new in told if new is not None]
    was, now = sum(old for old, _ in known), sum(new for _, new in known)
    silent = sum(old for old, new in told if new is None)
    if silent and now >= was:
        return silent, None
    return (was, now) if known else (None, None)


def _protected_additions(course: Course, edit: Edit, told: list[Finding]) -> list[Finding]:
    """New files of the edit that decide about green; one is only suspicious where the user has a wish in words (SPEC K6)."""
    if course.parts.protected is None:
        return []
    new = [c.path for c in edit.files if c.before is None and c.path not in course.request.targets]
    apart = {c.path for c in edit.files if None in (c.before, c.after)}
    known = {f.file for f in told if f.kind == "protected_file"}
    found = ((path, course.parts.protected.addition(path, apart)) for path in new)
    return [
        Finding(path, 0, "protected_file", why[0], why[1] and not course.has_wish)
        for path, why in found
        if why is not None and (why[1] or path not in known)
    ]


def _edited_helpers(course: Course, edit: Edit, told: list[Finding]) -> list[Finding]:
    """Edits of files that nobody named and that hold the code against what is right: whether they ask for less is for a person."""
    known = {*course.request.targets, *(f.file for f in told)}
    found = []
    for change in edit.files:
        if course.parts.protected is None or change.path in known or None in (change.before, change.after):
            continue
        own_fault = any(e.file == change.path and not course.parts.tells_only(e) for e in course.heard)
        if course.parts.protected.holds_against(change.path) and not own_fault:
            old = (change.before or b"").decode(change.encoding, "replace").splitlines()
            new = (change.after or b"").decode(change.encoding, "replace").splitlines()
            row = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
            shown = " became ".join(lines[row].strip() for lines in (old, new) if row < len(lines))
            found.append(Finding(change.path, row + 1, "weakened_test", shown, False))
    return found


def _guesses(course: Course, state: State) -> tuple[str, ...]:
    """What tools only guessed, where it is still part of the edit."""
    changes = course.work.edit(state.changes).files
    after = {c.path: (c.after or b"").decode(c.encoding, "replace") for c in changes}
    return tuple(g.line for g in course.guesses if any(text in after.get(path, "") for path, text in g.texts))


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
