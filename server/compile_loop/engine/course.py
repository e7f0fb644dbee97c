"""The state of one run as it goes: files, baseline, best state so far, spending."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from compile_loop.contracts.checks import ContractResult, Unrun
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import Edit
from compile_loop.contracts.events import Event, Pass, ProtectedCompared, TargetsChosen, Warned
from compile_loop.contracts.outcome import Failure, FailureKind, Outcome, Spending, Tally
from compile_loop.contracts.protected import Broken, Marks
from compile_loop.contracts.protocols import Message, ShadowError
from compile_loop.conversation.estimate import TokenEstimate
from compile_loop.conversation.languages import language_of
from compile_loop.conversation.recall import Findings
from compile_loop.conversation.transcript import Transcript
from compile_loop.edits.text import UndecodableError, decode
from compile_loop.engine.channel import Channel
from compile_loop.engine.request import Parts, RunRequest
from compile_loop.engine.targets import TargetSet, named_files
from compile_loop.engine.verdict import Score, Verdict, judge, moved_on
from compile_loop.engine.wanted_output import by_output
from compile_loop.engine.worktree import Changes, WorkTree

T = TypeVar("T")
_NAMED = 3
_MOST_HEARD = 2000
LOST = "This output was of an earlier run and is no longer kept. The newest failures are in the conversation.\n"


@dataclass(frozen=True, slots=True)
class State:
    """One verified state: the changes that lead to it, what the contract said, and what that means."""

    changes: Changes
    result: ContractResult
    verdict: Verdict

    @property
    def errors(self) -> int:
        """How many failures stand in the way."""
        return Score.of(self.verdict).failures


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a finished run leaves to the one that continues it."""

    talk: Transcript
    channel: Channel
    edit: Edit


@dataclass(frozen=True, slots=True)
class Kept:
    """What the record of a finished run leaves: its conversation, its edit, and whether tools were on offer."""

    run_id: str
    messages: tuple[Message, ...]
    edit: Edit
    tools: bool


@dataclass(frozen=True, slots=True)
class Guess:
    """What a tool offered as no more than likely, and the check bore out: the texts it put into files, and a line for people."""

    texts: tuple[tuple[str, str], ...]
    line: str


class Course:
    """What the loop knows while it runs. `baseline` is set by the first pass; `best` is the state offered on give-up."""

    remade_by_baseline: frozenset[str] = frozenset()
    """Protected files that the untouched tree's own run changes, by its scripts' own words too."""
    holdouts_seconds = 0.0
    """What the hidden checks took on the untouched tree."""

    def __init__(self, request: RunRequest, parts: Parts, emit: Callable[[Event], None]) -> None:
        self.request = request
        self.parts = parts
        self.emit = emit
        self.work = WorkTree(parts.shadow, request.encodings)
        self.targets = TargetSet(request.targets, None, ())
        self.baseline: State | None = None
        self.best: State | None = None
        self._previous_best: State | None = None
        self.rounds = 0
        self.explanations: list[str] = []
        self.findings = Findings()
        self.estimate = TokenEstimate()
        self.talk: Transcript | None = None
        self.channel: Channel | None = None
        self.told: set[str] = set()
        """Targets that the model knows to be such."""
        self.earlier: Earlier | None = None
        self.wanted: dict[str, bool] = {}
        """Files that the model wanted to edit and that are none of the run's: whether a click may allow them (SPEC Q4)."""
        self.plan: str | None = None
        self.edited = False
        self.told_of_cut = False
        self.told_of_figures = False
        self.climbs = 0
        self.holdouts_told: list[str] = []
        self.holdouts_ran: set[str] = set()
        """Hidden checks that did their work at least once."""
        self.holdouts_seen: dict[frozenset[tuple[str, bytes | None]], list[bool]] = {}
        """Which of them passed with which changes."""
        self.doubts: list[str] = []
        """What makes the result doubtful whatever state it is."""
        self.heard: list[Diagnostic] = []
        """The errors of the untouched tree and of all rounds, each once."""
        self.flaky: str | None = None
        self.silenced: State | None = None
        self.moved_by_baseline: frozenset[str] = frozenset()
        """Protected files that the untouched tree's own run creates or changes (SPEC Q16)."""
        self.marks_of_baseline: Marks | None = None
        self.written_by_baseline: frozenset[str] = frozenset()
        """Protected files that it writes as they were."""
        self.silenced_lines: tuple[str, ...] = ()
        self.suspect: tuple[str, ...] = ()
        self.guesses: list[Guess] = []
        self.spilled: dict[str, str] = {}
        self.pause_deadline: Callable[[bool], None] = lambda _paused: None
        self._spending = Spending()
        self._started = parts.clock()

    @property
    def spending(self) -> Spending:
        """Used so far."""
        return replace(self._spending, wall_seconds=self.parts.clock() - self._started)

    @spending.setter
    def spending(self, used: Spending) -> None:
        self._spending = used

    def unwritten(self) -> State:
        """The baseline of targets that are all absent or empty: nothing to check, everything to write."""
        nothing = ContractResult(())
        self.targets = TargetSet(self.request.targets, None, ())
        self.baseline = self.best = State({}, nothing, judge(nothing, nothing, None))
        return self.baseline

    def carry_on(self, finished: Course) -> None:
        """Take over a finished run's conversation, findings and best state."""
        if finished.talk is None or finished.channel is None:
            return
        state = finished.best
        edit = finished.work.edit(state.changes) if state is not None else Edit()
        self.earlier = Earlier(finished.talk, finished.channel, edit)
        self.findings, self.estimate, self.plan = finished.findings, finished.estimate, finished.plan
        self.spilled = finished.spilled

    def take_over(self, kept: Kept) -> None:
        """As `carry_on`, from a record: long outputs are not in it, nor what `recall` knew."""
        if not kept.messages:
            return
        channel = Channel(self.request, self.parts)
        if not kept.tools:
            channel.switch()  # the conversation's contract is that of text
        self.earlier = Earlier(Transcript.of(kept.messages), channel, kept.edit)
        told = (re.findall(r"\boutput/(\d+)", message.content) for message in kept.messages)
        last = max((int(number) for numbers in told for number in numbers), default=0)
        self.spilled = {f"output/{number}": LOST for number in range(1, last + 1)}

    async def take_up(self, earlier: Earlier) -> Changes:
        """The earlier state's changes that still fit: files that the user changed since are left as they are."""
        await self.work.add(earlier.edit.paths)
        return {c.path: c.after for c in earlier.edit.files if self.work.content(c.path) == c.before != c.after}

    async def while_waiting(self, answer: Awaitable[T]) -> T:
        """Wait for a person, bounded, without using up the deadline (SPEC Q22). Raises `asyncio.TimeoutError`."""
        self.pause_deadline(True)
        try:
            return await asyncio.wait_for(answer, self.request.questions_wait)
        finally:
            self.pause_deadline(False)

    @property
    def time_left(self) -> float:
        """Seconds up to the deadline, at least."""
        return self.request.deadline - self.spending.wall_seconds

    @property
    def has_wish(self) -> bool:
        """Whether the user said in words what is wanted."""
        return bool(self.request.spec.strip())

    @property
    def holdouts_green(self) -> bool:
        """Whether every hidden check passed on the untouched tree."""
        return not self.holdouts_told

    def may_be_proven(self, state: State) -> bool:
        """Whether a state is visibly green by a change; a wish in words is met by an edit of a model alone (SPEC Q2)."""
        return state.verdict.green and bool(state.changes) and (self.edited or not self.has_wish)

    async def open_shadow(self) -> None:
        """Lay the shadow out, without the files that only holdouts may see."""
        await self.parts.shadow.open()
        await self._hide()
        if self.parts.holdouts and (names := self.parts.holdouts.in_sight):
            self.emit(
                Warned(
                    f"No file is kept from the model for {'this hidden check' if len(names) == 1 else 'these hidden checks'}, "
                    f"since none is named that can be: {'; '.join(names)}. List what is to be hidden as `files` of a [[holdout]] "
                    "in compile-loop.toml."
                )
            )

    async def renew_shadow(self, changes: Changes) -> None:
        """A clean start on the user's tree as it is now, holding only `changes` (SPEC L2, Q13)."""
        for path in self.parts.shadow.changed_underneath():
            self.emit(Warned(f"{path} was changed while the run went on; the last check sees it as it is now."))
        await self.work.restore(changes)
        await self.parts.shadow.renew(dict(changes))
        await self._hide()

    async def _hide(self) -> None:
        for path in self.parts.holdouts.hidden if self.parts.holdouts else ():
            await self.parts.shadow.write(path, None)

    async def run_contract(self, in_pass: Pass) -> ContractResult:
        """Run all checks in the shadow as it is."""
        result = await self.parts.contract.run(self.parts.shadow, in_pass, self.rounds, self.emit)
        self._spending = replace(self._spending, check_seconds=self._spending.check_seconds + result.duration)
        return result

    def say_flaky(self, how: str) -> None:
        """The check comes and goes by itself: said now, and with the outcome (SPEC K9)."""
        self.flaky = f"the check is flaky: {how}"
        self.emit(Warned(f"The check is flaky: {how}."))

    async def marks(self) -> Marks:
        """The protected files as they are now in the shadow."""
        return {} if self.parts.protected is None else await self.parts.protected.look(self.parts.shadow)

    def broken(self, before: Marks, after: Marks) -> list[Broken]:
        """Protected files that became different between two looks; hidden ones are taken away by the run itself."""
        if self.parts.protected is None:
            return []
        expected = {*self.work.originals, *(self.parts.holdouts.hidden if self.parts.holdouts else ())}
        return [
            b for b in self.parts.protected.broken(before, after) if b.path not in expected | self.moved_by_baseline
        ]

    async def compare_protected(self) -> None:
        """At the end of a run that was lost: which protected files its last check changed, for the record."""
        if (
            self.parts.protected is None
            or self.marks_of_baseline is None
            or not self.rounds
            or self.silenced is not None
        ):
            return  # there is nothing to compare, or it was
        with contextlib.suppress(ShadowError):
            now = await self.marks()
            broken = self.broken(self.marks_of_baseline, now)
            self.emit(ProtectedCompared(tuple(b.path for b in broken), self.by_check(self.marks_of_baseline, now)))

    def by_check(self, before: Marks, after: Marks) -> tuple[str, ...]:
        """Protected files that the checks themselves change: on the untouched tree, or as their scripts say."""
        remade = self.parts.protected.remade(before, after) if self.parts.protected is not None else ()
        return tuple(sorted({*self.moved_by_baseline, *self.remade_by_baseline, *remade}))

    def rewritten(self, before: Marks, after: Marks) -> list[Broken]:
        """Protected files that were written between two looks, and have the same bytes again."""
        if self.parts.protected is None:
            return []
        expected = {*self.work.originals, *self.moved_by_baseline, *self.written_by_baseline}
        return [b for b in self.parts.protected.rewritten(before, after) if b.path not in expected]

    def passing(self, arrived: Collection[str], after: Marks) -> list[Broken]:
        """Protected files that came while a check ran, and are gone again; hidden ones are laid in by the run itself."""
        if self.parts.protected is None:
            return []
        hidden = self.parts.holdouts.hidden if self.parts.holdouts else ()
        return list(self.parts.protected.passing(set(arrived) - {*self.work.originals, *hidden}, after))

    def hear(self, errors: Iterable[Diagnostic]) -> None:
        """Keep what the checks complained of, for what an edit is weighed against in the end."""
        known = {(d.file, d.message) for d in self.heard}
        self.heard += [d for d in errors if (d.file, d.message) not in known][: max(0, _MOST_HEARD - len(self.heard))]

    async def verify(self, in_pass: Pass, *, keep: bool = True) -> State:
        """Run all checks and judge them against the baseline; keeps the best state, unless it is only a try."""
        result = await self.run_contract(in_pass)
        if self.baseline is None:
            raise RuntimeError("verify before the baseline")
        if in_pass in (Pass.ROUND, Pass.SUGGESTION):
            self.hear(result.errors)
        state = State(self.work.changes, result, judge(result, self.baseline.result, self.targets.focus))
        await self._open_named(state)
        if keep:
            self._keep_if_better(state, confirms=in_pass is Pass.FINAL)
        return state

    def go_on_from(self, state: State) -> None:
        """Make a state the best one, whatever its count: a try that is kept."""
        self._previous_best, self.best = self.best, state

    def line_of(self, error: Diagnostic) -> str:
        """The line of a target that an error lies in, as it is now; empty where it is none or no text."""
        data = self.work.content(error.file) if error.file else None
        try:
            lines = decode(data or b"", self.request.encodings.get(error.file or "")).lines
        except UndecodableError:
            return ""
        row = error.range.start.line
        return lines[row] if row < len(lines) else ""

    @property
    def several(self) -> bool:
        """Whether edits must say which file they are for: a run over the workspace may turn to more files than one."""
        return self.request.scope == "workspace" or len(self.targets.writable) != 1

    async def open_target(self, path: str) -> str | None:
        """Let one more file be edited, in a run over the workspace; why not, where it may not (SPEC Q4)."""
        if path in self.targets.writable:
            return None
        reason = self.parts.may_become_target(path, False) or self.parts.readable(path)
        if self.request.scope != "workspace":
            if path not in self.wanted and self.parts.admit(path, True) is None:
                self.wanted[path] = reason is None
                self.emit(Warned(f"The model wants to edit {path}. Name it among the files to also allow it."))
            return "it is none of the files of this run"
        if reason is None and language_of(path) is None:
            reason = "it is no source file"
        if reason is None:
            await self.work.add([path])
            self.targets = replace(self.targets, writable=(*self.targets.writable, path))
            self.emit(TargetsChosen(self.work.originals))
        return reason

    async def _open_named(self, state: State) -> None:
        """Files that later failures name join a run over the workspace: a build shows some only when others are gone."""
        if self.request.scope == "workspace":
            for path in named_files(state.verdict.blocking):
                await self.open_target(path)

    def best_before(self, state: State) -> State:
        """The best state other than `state`: what a rollback returns to."""
        return self._previous_best if self.best is state and self._previous_best is not None else self.best or state

    @property
    def wants_plan(self) -> bool:
        """Whether the first reply should carry a plan: more than one error, or a wish in words."""
        errors = len(self.baseline.verdict.blocking) if self.baseline else 0
        return self.request.plan and errors != 1

    def _keep_if_better(self, state: State, *, confirms: bool) -> None:
        """Remember the state that has come furthest (SPEC L9); a confirming pass replaces what it could not confirm."""
        best = self.best
        if (
            best is None
            or confirms
            or state.verdict.green
            or Score.of(state.verdict).better_than(Score.of(best.verdict))
            or moved_on(best.verdict, state.verdict, state.changes)
        ):
            self._previous_best = best
            self.best = state

    def green(self, state: State) -> Outcome:
        """The run's result: the edit that leads to `state`."""
        return Outcome.green(self.work.edit(state.changes), self._tally(state))

    def nothing_to_fix(self, state: State) -> Outcome:
        """Green before anything was done."""
        return Outcome.nothing_to_fix(self._tally(state))

    def nominated(self, why: str) -> Outcome:
        """The model says that nothing needs to change, and nothing speaks against it."""
        self.explanations = [why]
        return Outcome.no_change_nominated(
            self._tally(self.best) if self.best else Tally(rounds=self.rounds, spending=self.spending)
        )

    def failed(self, failure: Failure) -> Outcome:
        """The run's failure, with the best state as a partial result that nobody applies unasked.

        Where all that became green silenced the check, that is the failure, and its lines are shown (SPEC K7).
        """
        if self.silenced is not None and failure.kind is not FailureKind.CANCELLED:
            self.suspect = self.silenced_lines
            lines = "; ".join(self.silenced_lines)
            failure = Failure(
                FailureKind.TAMPERING,
                f"The only edit that passes silences the check: {lines}. Apply it yourself, or not.",
            )
            return Outcome.failed(failure, self.work.edit(self.silenced.changes), self._tally(self.silenced))
        state = self.best
        if state is None:
            return Outcome.failed(failure, self.work.edit({}), Tally(rounds=self.rounds, spending=self.spending))
        return Outcome.failed(failure, self.work.edit(state.changes), self._tally(state))

    def _tally(self, state: State) -> Tally:
        before = self.baseline or state
        return Tally(
            rounds=self.rounds,
            errors_before=before.errors,
            errors_after=0 if state.verdict.green else state.errors,
            remaining=state.verdict.remaining,
            exit_code=state.result.exit_code,
            judged=state.result.results,
            spending=self.spending,
            explanation="\n".join(dict.fromkeys(self.explanations)),
            suspicious=tuple(
                dict.fromkeys(
                    [*_notes(state), *([self.flaky] if self.flaky else []), *self.doubts, *self._unheard(state)]
                )
            ),
            suspect=self.suspect,
            unrun=self._unrun(),
            by_output=tuple(check.name for check in self.parts.contract.checks if by_output(check)),
            wanted=tuple(path for path, at_a_click in self.wanted.items() if at_a_click),
        )

    def _unrun(self) -> tuple[Unrun, ...]:
        """Tests that no check of the run runs, unless they are hidden ones: a caller may be a model."""
        hidden = self.parts.holdouts.hidden if self.parts.holdouts else ()
        told = (check.unrun for check in self.parts.contract.checks)
        return tuple(unrun for unrun in told if unrun is not None and not {*unrun.files} & {*hidden})

    def _unheard(self, state: State) -> list[str]:
        """A doubt where a check that fails elsewhere spoke of no such file at all: it may not have got as far (SPEC Q1)."""
        if self.targets.focus is None or state.result.ok:
            return []
        passes = (state.result, self.baseline.result) if self.baseline else (state.result,)
        spoken = {d.file for each in passes for r in each.results for d in r.diagnostics}
        about = frozenset(state.changes) or self.targets.focus
        silent = sorted((about & self.targets.focus) - spoken)
        named = ", ".join(silent[:_NAMED]) + (", …" if len(silent) > _NAMED else "")
        return [f"it fails elsewhere and says nothing of {named}, which it may not have got to"] if silent else []


def _notes(state: State) -> list[str]:
    return [note for r in state.result.results for note in r.suspicious]
