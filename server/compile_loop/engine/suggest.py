"""First what the toolchain itself suggests, each verified by the check (SPEC D5, Q3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compile_loop.contracts.diagnostics import Diagnostic, SuggestedEdit, Suggestion
from compile_loop.contracts.events import Pass, SuggestionApplied, SuggestionDropped
from compile_loop.edits.ranges import RangeEdit, RangeError, replace_ranges
from compile_loop.engine.course import Course, Guess, State
from compile_loop.engine.fingerprint import fingerprint, fingerprints
from compile_loop.engine.verdict import moved_on
from compile_loop.engine.worktree import Changes

MAX_CHECKS = 12
"""Passes over the contract that suggestions may cost; fixers that do not converge are a known kind."""
MAX_QUESTIONS = 4
"""States in which tools are asked for fixes that no check prints."""
MAX_PASSES = 3
"""Passes of a fixer over what its own fix brought up, such as `var` to `let` to `const`, before it is taken back."""

Offer = tuple[Diagnostic, Suggestion]

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

    async def run(self, state: State) -> State:
        """Go on until the check is green, nothing is left to try, or the tries are used up."""
        while not state.verdict.green and self._checks < MAX_CHECKS:
            offers = self._untried(state.verdict.blocking) or await self._asked(state)
            if not offers:
                return state
            state = await self._one_of(state, offers)
        return state

    async def _one_of(self, before: State, offers: list[Offer]) -> State:
        """The state after the first batch that is kept."""
        for batch in _batches(offers):
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
            for diagnostic, suggestion in applied:
                words = _words(diagnostic, suggestion)
                course.emit(SuggestionApplied(diagnostic.file or "", words, before.errors, after.errors))
                if suggestion.guess:
                    course.guesses.append(_guess(diagnostic, suggestion, words))
            course.explanations.extend(
                f"{d.source or 'The toolchain'} reported “{d.message}” and {_offered(s)}." for d, s in batch[:2]
            )
            return after
        await course.work.restore(before.changes)
        if len(batch) == 1:
            diagnostic, suggestion = batch[0]
            course.emit(SuggestionDropped(diagnostic.file or "", _words(diagnostic, suggestion), reason))
        return before

    async def _verify(self, before: State, present: State, batch: list[Offer]) -> tuple[State, str | None]:
        """The state after a batch on top of `present`, and why it is not to be kept; `present` where it changes nothing."""
        self._tried.update(_key(offer) for offer in batch)
        changed = _changed(self._course, batch)
        if not changed:
            return present, _STAYED
        self._checks += 1
        await self._course.work.write(changed)
        after = await self._course.verify(Pass.SUGGESTION)
        return after, _why_not(before, after, batch)

    def _of_what_is_new(self, before: State, after: State) -> list[Offer]:
        """An offer for each error that is new, or nothing: what a fixer brings up it can often fix itself."""
        new = fingerprints(after.verdict.blocking) - fingerprints(before.verdict.blocking)
        errors = [one for one in after.verdict.blocking if new[fingerprint(one)]]
        offers = self._untried(errors)
        return offers if len(offers) == len(errors) else []


def _batches(offers: list[Offer]) -> Iterator[list[Offer]]:
    """All that do not overlap, together; then each alone."""
    together: list[Offer] = []
    taken: list[SuggestedEdit] = []
    for offer in offers:
        places = offer[1].edits
        if not any(_meet(place, other) for place in places for other in taken):
            together.append(offer)
            taken.extend(places)
    if len(together) > 1:
        yield together
    yield from ([offer] for offer in offers)


def _meet(one: SuggestedEdit, other: SuggestedEdit) -> bool:
    """Whether two edits are at one place; what is put in before the same line twice, as imports are, is not."""
    first, second = one.range, other.range
    lines = first == second and first.start == first.end and first.start.character == 0
    lines = lines and one.new_text.endswith("\n") and other.new_text.endswith("\n")
    return one.file == other.file and first.start <= second.end and second.start <= first.end and not lines


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
        return _STAYED
    phase = max(d.phase for d, _ in batch)
    new = now - was
    if any(d.phase <= phase and new[fingerprint(d)] for d in after.verdict.blocking):
        return _NEW_ERROR
    return None


def _key(offer: Offer) -> tuple[object, ...]:
    diagnostic, suggestion = offer
    return (*fingerprint(diagnostic), tuple((e.file, e.new_text) for e in suggestion.edits), diagnostic.range.start)


def _words(diagnostic: Diagnostic, suggestion: Suggestion) -> str:
    words = suggestion.message or f"fix of “{diagnostic.message}”"
    return f"{words} ({suggestion.by})" if suggestion.by else words


def _guess(diagnostic: Diagnostic, suggestion: Suggestion, words: str) -> Guess:
    who = suggestion.by or diagnostic.source or "The toolchain"
    place = f"{diagnostic.file}:{diagnostic.range.start.line + 1}"
    first = diagnostic.message.split("\n", 1)[0]
    line = f"{place} is what {who} guesses for “{first}”: {words}. See whether it is what was meant."
    return Guess(tuple((edit.file, edit.new_text) for edit in suggestion.edits), line)


def _offered(suggestion: Suggestion) -> str:
    return f"{suggestion.by} offered the fix" if suggestion.by else "offered the fix itself"
