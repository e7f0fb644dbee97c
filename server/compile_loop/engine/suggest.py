"""First what the toolchain itself suggests, each verified by the check (SPEC D5, Q3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from compile_loop.contracts.diagnostics import Diagnostic, Suggestion
from compile_loop.contracts.events import Pass, SuggestionApplied, SuggestionDropped
from compile_loop.edits.ranges import RangeEdit, RangeError, replace_ranges
from compile_loop.engine.course import Course, State
from compile_loop.engine.fingerprint import fingerprint, fingerprints
from compile_loop.engine.verdict import moved_on
from compile_loop.engine.worktree import Changes

MAX_CHECKS = 12
"""Passes over the contract that suggestions may cost; fixers that do not converge are a known kind."""

Offer = tuple[Diagnostic, Suggestion]


async def apply_suggestions(course: Course, state: State) -> State:
    """Try what the tools offer, all together and else one by one; returns the state to go on from."""
    checks = 0
    tried: set[tuple[object, ...]] = set()
    while not state.verdict.green and checks < MAX_CHECKS:
        offers = [o for o in _offers(state.verdict.blocking, course.targets.writable) if _key(o) not in tried]
        if not offers:
            return state
        before = state
        for batch in _batches(offers):
            if checks >= MAX_CHECKS or state is not before:
                break
            tried.update(_key(offer) for offer in batch)
            changed = _changed(course, batch)
            if not changed:
                continue
            checks += 1
            state = await _try(course, before, batch, changed)
    return state


async def _try(course: Course, before: State, batch: list[Offer], changed: Changes) -> State:
    await course.work.write(changed)
    after = await course.verify(Pass.SUGGESTION)
    reason = _why_not(before, after, batch)
    if reason is None:
        for diagnostic, suggestion in batch:
            course.emit(
                SuggestionApplied(diagnostic.file or "", _words(diagnostic, suggestion), before.errors, after.errors)
            )
        course.explanations.extend(
            f"{d.source or 'The toolchain'} reported “{d.message}” and offered the fix itself." for d, _ in batch[:2]
        )
        return after
    await course.work.restore(before.changes)
    if len(batch) == 1:
        diagnostic, suggestion = batch[0]
        course.emit(SuggestionDropped(diagnostic.file or "", _words(diagnostic, suggestion), reason))
    return before


def _offers(blocking: Iterable[Diagnostic], writable: tuple[str, ...]) -> Iterator[Offer]:
    for diagnostic in blocking:
        for suggestion in diagnostic.suggestions:
            if suggestion.safe and suggestion.edits and all(edit.file in writable for edit in suggestion.edits):
                yield diagnostic, suggestion
                break


def _batches(offers: list[Offer]) -> Iterator[list[Offer]]:
    """All that do not overlap, together; then each alone."""
    together: list[Offer] = []
    taken: list[tuple[str, object, object]] = []
    for offer in offers:
        places = [(e.file, e.range.start, e.range.end) for e in offer[1].edits]
        if not any(p[0] == t[0] and p[1] <= t[2] and t[1] <= p[2] for p in places for t in taken):  # type: ignore[operator]
            together.append(offer)
            taken.extend(places)
    if len(together) > 1:
        yield together
    yield from ([offer] for offer in offers)


def _changed(course: Course, batch: list[Offer]) -> Changes:
    by_file: dict[str, list[RangeEdit]] = {}
    for _, suggestion in batch:
        for edit in suggestion.edits:
            by_file.setdefault(edit.file, []).append(RangeEdit(edit.range, edit.new_text))
    changed: Changes = {}
    for path, edits in by_file.items():
        before = course.work.content(path)
        if before is None:
            return {}
        try:
            changed[path] = replace_ranges(before, edits, course.request.encodings.get(path))
        except RangeError:
            return {}
    return {path: data for path, data in changed.items() if data != course.work.content(path)}


def _why_not(before: State, after: State, batch: list[Offer]) -> str | None:
    """None if every suggestion's own diagnostic vanished and nothing of the same or an earlier phase is new."""
    if after.verdict.green or moved_on(before.verdict, after.verdict, after.changes):
        return None
    was, now = fingerprints(before.verdict.blocking), fingerprints(after.verdict.blocking)
    if any(now[fingerprint(d)] >= was[fingerprint(d)] for d, _ in batch):
        return "the error it was for did not go away"
    phase = max(d.phase for d, _ in batch)
    new = now - was
    if any(d.phase <= phase and new[fingerprint(d)] for d in after.verdict.blocking):
        return "it brought a new error"
    return None


def _key(offer: Offer) -> tuple[object, ...]:
    diagnostic, suggestion = offer
    return (*fingerprint(diagnostic), tuple((e.file, e.new_text) for e in suggestion.edits), diagnostic.range.start)


def _words(diagnostic: Diagnostic, suggestion: Suggestion) -> str:
    return suggestion.message or f"fix of “{diagnostic.message}”"
