"""First what the toolchain itself suggests, each verified by the check (SPEC D5, Q3)."""

from __future__ import annotations

from collections.abc import Sequence

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.events import Pass, SuggestionApplied, SuggestionDropped
from compile_loop.edits.ranges import RangeEdit, RangeError, replace_ranges
from compile_loop.engine.course import Course, Guess, State
from compile_loop.engine.fingerprint import fingerprint, fingerprints
from compile_loop.engine.offers import Offer, batches, distinct, explained, only_imports, words_of
from compile_loop.engine.verdict import moved_on, only_unmasked
from compile_loop.engine.worktree import Changes

MAX_CHECKS = 12
"""Passes over the contract that suggestions may cost; fixers that do not converge are a known kind."""
MAX_QUESTIONS = 4
"""States in which tools are asked for fixes that no check prints."""
MAX_PASSES = 3
"""Passes of a fixer over what its own fix brought up, such as `var` to `let` to `const`, before it is taken back."""

_STAYED = "the error it was for did not go away"
_NEW_ERROR = "it brought a new error"


async def apply_suggestions(course: Course, state: State) -> State:
    """Try what the tools offer, all together and else one by one; returns the state to go on from."""
    return await _Suggesting(course).run(state)


class _Suggesting:
    """What the tries of one run have cost and taught so far."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._checks = 0
        self._questions = 0
        self._tried: set[tuple[object, ...]] = set()
        self._kept: list[Offer] = []

    async def run(self, state: State) -> State:
        """Go on until the check is green, nothing is left to try, or the tries are used up."""
        while not state.verdict.green and self._checks < MAX_CHECKS:
            offers = self._untried(state.verdict.blocking) or await self._asked(state)
            if not offers:
                break
            state = await self._one_of(state, offers)
        self._course.explanations.extend(explained(self._kept))
        return state

    async def _one_of(self, before: State, offers: list[Offer]) -> State:
        """The state after the first batch that is kept."""
        for batch in batches(offers):
            if self._checks >= MAX_CHECKS:
                break
            after = await self._try(before, batch)
            if after is not before:
                return after
        return before

    async def _asked(self, state: State) -> list[Offer]:
        """What tools offer when they are asked, once what the check itself printed is used up."""
        course = self._course
        if course.parts.advisers is None or self._questions >= MAX_QUESTIONS:
            return []
        self._questions += 1
        return self._untried(await course.parts.advisers.advise(course.parts.shadow, state.verdict.blocking))

    def _untried(self, blocking: Sequence[Diagnostic]) -> list[Offer]:
        """The first offer of each diagnostic that may be tried and was not."""
        offers = (
            next((offer for fix in diagnostic.suggestions if self._may_try(offer := (diagnostic, fix))), None)
            for diagnostic in blocking
        )
        return [offer for offer in offers if offer is not None]

    def _may_try(self, offer: Offer) -> bool:
        _, suggestion = offer
        writable = self._course.targets.writable
        inside = bool(suggestion.edits) and all(edit.file in writable for edit in suggestion.edits)
        return suggestion.safe and inside and _key(offer) not in self._tried

    async def _try(self, before: State, batch: list[Offer]) -> State:
        course = self._course
        after, reason = await self._verify(before, before, batch)
        applied = list(batch)
        for _ in range(MAX_PASSES - 1):
            follow = self._of_what_is_new(before, after) if reason == _NEW_ERROR else []
            if not follow or self._checks >= MAX_CHECKS:
                break
            after, reason = await self._verify(before, after, follow)
            applied += follow
        if after is before:
            return before
        if reason is None:
            course.go_on_from(after)
            self._kept += applied
            for offer in distinct(applied):
                if offer[1].guess:
                    course.guesses.append(_guess(offer))
                for file in dict.fromkeys(edit.file for edit in offer[1].edits):
                    course.emit(SuggestionApplied(file, words_of(offer), before.errors, after.errors))
            return after
        await course.work.restore(before.changes)
        tried = distinct(applied)
        words = words_of(tried[0]) if len(tried) == 1 else f"these {len(tried)} fixes together"
        files = dict.fromkeys(edit.file for _, suggestion in tried for edit in suggestion.edits)
        course.emit(SuggestionDropped(", ".join(files), words, reason))
        return before

    async def _verify(self, before: State, present: State, batch: list[Offer]) -> tuple[State, str | None]:
        """The state after a batch on top of `present`, and why it is not to be kept; `present` where it changes nothing."""
        if len(distinct(batch)) == 1:  # what failed with others may be right alone, or with others again
            self._tried.update(_key(offer) for offer in batch)
        changed = _changed(self._course, batch)
        if not changed:
            return present, _STAYED
        self._checks += 1
        await self._course.work.write(changed)
        after = await self._course.verify(Pass.SUGGESTION, keep=False)
        return after, _why_not(self._course, before, after, batch)

    def _of_what_is_new(self, before: State, after: State) -> list[Offer]:
        """An offer for each error that is new, or nothing: what a fixer brings up it can often fix itself."""
        new = fingerprints(after.verdict.blocking) - fingerprints(before.verdict.blocking)
        errors = [one for one in after.verdict.blocking if new[fingerprint(one)]]
        offers = self._untried(errors)
        return offers if len(offers) == len(errors) else []


def _changed(course: Course, batch: list[Offer]) -> Changes:
    by_file: dict[str, list[RangeEdit]] = {}
    for _, suggestion in distinct(batch):
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


def _why_not(course: Course, before: State, after: State, batch: list[Offer]) -> str | None:
    """None if every suggestion's own diagnostic vanished and nothing of the same or an earlier phase is new.

    An include, an import or a `use` says nothing that could be wrong by itself: what the compiler finds once it knows
    the name was there before, hidden behind the error that is gone.
    """
    if after.verdict.green or moved_on(before.verdict, after.verdict, after.changes):
        return None
    was, now = fingerprints(before.verdict.blocking), fingerprints(after.verdict.blocking)
    if any(now[fingerprint(d)] >= was[fingerprint(d)] for d, _ in batch):
        return _STAYED
    phase = max(d.phase for d, _ in batch)
    new = now - was
    if not any(d.phase <= phase and new[fingerprint(d)] for d in after.verdict.blocking):
        return None
    about = [diagnostic for diagnostic, _ in batch]
    if only_imports(batch) and only_unmasked(before.verdict, after.verdict, about, course.line_of):
        return None
    return _NEW_ERROR


def _key(offer: Offer) -> tuple[object, ...]:
    diagnostic, suggestion = offer
    return (*fingerprint(diagnostic), tuple((e.file, e.new_text) for e in suggestion.edits), diagnostic.range.start)


def _guess(offer: Offer) -> Guess:
    diagnostic, suggestion = offer
    who = suggestion.by or diagnostic.source or "The toolchain"
    place = f"{diagnostic.file}:{diagnostic.range.start.line + 1}"
    first = diagnostic.message.split("\n", 1)[0]
    line = f"{place} is what {who} guesses for “{first}”: {words_of(offer)}. See whether it is what was meant."
    return Guess(tuple((edit.file, edit.new_text) for edit in suggestion.edits), line)
