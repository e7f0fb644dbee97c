"""One run, from the request to its outcome.

request → baseline → suggestions → ┌ ask → edit → verify ┐ → confirm → outcome
                                   └──── failures ◄──────┘
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.events import (
    ChannelSwitched,
    Event,
    Pass,
    PlanCompared,
    RolledBack,
    RoundFinished,
    RoundStarted,
    RunFinished,
    RunStarted,
    Warned,
)
from compile_loop.contracts.outcome import Failure, FailureKind, Outcome
from compile_loop.contracts.protocols import ModelError, ShadowError, TurnGenerator
from compile_loop.conversation.explanation import explanation_of
from compile_loop.conversation.prompts import rolled_back_prompt, unconfirmed_prompt, verified_prompt
from compile_loop.conversation.transcript import Transcript
from compile_loop.edits.apply import HeldBlocks
from compile_loop.engine.ask import failure_of
from compile_loop.engine.brief import continue_brief, failures_of, open_conversation
from compile_loop.engine.channel import Channel
from compile_loop.engine.course import Course, State
from compile_loop.engine.deadline import Deadline
from compile_loop.engine.fingerprint import fingerprint, normalise
from compile_loop.engine.gave_up import GaveUp
from compile_loop.engine.guard import ProgressMonitor
from compile_loop.engine.nominate import Nominated
from compile_loop.engine.plan import compare
from compile_loop.engine.request import Parts, RunRequest
from compile_loop.engine.round import Round
from compile_loop.engine.stall import StallMonitor
from compile_loop.engine.suggest import apply_suggestions
from compile_loop.engine.targets import choose_targets
from compile_loop.engine.verdict import judge, must_roll_back


async def fix(course: Course) -> Outcome:
    """The loop itself. Raises `GaveUp`, `Nominated`, `ModelError` or `ShadowError` where it ends early."""
    await course.parts.shadow.open()
    state = await _baseline(course)
    if state.verdict.green and not course.request.spec.strip():
        return course.nothing_to_fix(state)
    if course.request.suggestions and not course.request.spec.strip():
        state = await apply_suggestions(course, state)
        if state.verdict.green:
            state = await _confirm(course, state)
            if state.verdict.green:
                return course.green(state)
    return await _rounds(course, _model(course, state), state)


async def _baseline(course: Course) -> State:
    """Run the contract once on the untouched tree, and choose the targets by what it says (SPEC L1, L3)."""
    await course.work.add(course.request.targets)
    if course.request.from_spec_alone and not any(target.content for target in course.work.targets):
        return course.unwritten()
    result = await course.run_contract(Pass.BASELINE)
    cannot_run = result.environment or next((r.timeout for r in result.results if r.timeout), None)
    if cannot_run is not None:
        raise GaveUp(FailureKind.ENVIRONMENT, cannot_run)
    course.targets = choose_targets(course.request, result, course.parts.admit)
    state = State({}, result, judge(result, result, course.targets.focus))
    course.baseline = course.best = state
    _check_reproduces(course.request.reproduce, state)
    for path, reason in course.targets.refused:
        course.emit(Warned(f"{path} is named by the failures but is not edited: {reason}."))
    await course.work.add(course.targets.writable)
    if course.earlier is not None and (kept := await course.take_up(course.earlier)):
        await course.work.write(kept)
        return await course.verify(Pass.SUGGESTION)
    return state


def _check_reproduces(wanted: Diagnostic | None, state: State) -> None:
    if wanted is None or wanted.file is None:
        return
    for error in state.result.errors:
        same_line = error.range.start.line == wanted.range.start.line
        if error.file == wanted.file and (same_line or normalise(error.message) == normalise(wanted.message)):
            return
    names = ", ".join(r.check for r in state.result.results)
    raise GaveUp(
        FailureKind.CONFIGURATION,
        f"The check ({names}) does not report “{wanted.message}” in {wanted.file}, so it could not tell when that is fixed. "
        f"Choose a check that reports it{f', one that runs {wanted.source}' if wanted.source else ''}.",
    )


def _model(course: Course, state: State) -> TurnGenerator:
    if not course.targets.writable:
        raise GaveUp(
            FailureKind.CONFIGURATION,
            "The check fails without naming a file of the workspace that may be edited. Name the files to fix.",
        )
    if course.parts.generator is None:
        tried = "The toolchain's own suggestions were not enough" if course.request.suggestions else "Nothing was tried"
        raise GaveUp(
            FailureKind.CONFIGURATION,
            f"{tried} ({state.errors} left), and no model is set. Choose one, as PROVIDER:NAME.",
        )
    return course.parts.generator


async def _rounds(course: Course, model: TurnGenerator, state: State) -> Outcome:
    """Ask, edit, verify, until green or a bound."""
    channel = Channel(course.request, asks=course.parts.ask_user is not None, consults=course.parts.consult is not None)
    stall, monitor = StallMonitor(), ProgressMonitor()
    if course.earlier is None:
        talk = open_conversation(course, channel, state, monitor)
    else:
        talk = course.earlier.talk
        channel = course.earlier.channel
        talk.tell(continue_brief(course, channel, state))
    course.talk, course.channel = talk, channel
    held: HeldBlocks | None = None
    while course.rounds < course.request.max_rounds:
        course.rounds += 1
        course.emit(RoundStarted(course.rounds, course.request.max_rounds, state.errors, course.spending))
        played = await Round(course, talk, model, channel, monitor, held).play()
        held = played.held
        before = state
        if played.applied:
            state = await course.verify(Pass.ROUND)
            monitor.verified()
        _finish_round(course, before, state)
        if played.applied and state.verdict.green:
            course.explanations.append(explanation_of(played.text))
            state = await _confirm(course, state)
            if state.verdict.green:
                return _green(course, state)
            talk.tell(unconfirmed_prompt(failures_of(course, channel, state)))
        elif played.applied:
            state = await _go_on(course, talk, channel, state, played.refusal, played.text)
        rescue = channel.rescue(applied=played.applied, past_step_cap=played.past_step_cap)
        if rescue is not None:
            channel.switch()
            course.emit(ChannelSwitched(rescue))
            stall.forget_no_edits()
            held = None
            course.talk = talk = open_conversation(course, channel, state, monitor)
        elif played.applied:
            _end_if(stall.verified(state.result))
        else:
            _end_if(stall.no_edit())
            talk.tell(played.refusal or "Nothing was applied.")
    raise GaveUp(
        FailureKind.MAX_ROUNDS,
        f"Not green after {course.rounds} rounds. Allow more rounds, say more about what is wanted, or try a stronger model.",
    )


async def _go_on(
    course: Course, talk: Transcript, channel: Channel, state: State, refusal: str | None, text: str
) -> State:
    """After a round that is not green: keep it and feed the failures back, or undo it if it only made things worse."""
    best = course.best_before(state)
    failures = failures_of(course, channel, state)
    if must_roll_back(best.verdict, state.verdict):
        await course.work.restore(best.changes)
        course.emit(RolledBack(state.errors, best.errors))
        talk.tell(rolled_back_prompt(failures, course.work.targets))
        return best
    course.explanations.append(explanation_of(text))
    talk.tell("\n\n".join(part for part in (refusal, verified_prompt(failures)) if part))
    return state


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


async def _confirm(course: Course, state: State) -> State:
    """Run the contract once more from a clean start that holds only the edit (SPEC L2)."""
    await course.parts.shadow.renew(dict(state.changes))
    return await course.verify(Pass.FINAL)


def _finish_round(course: Course, before: State, after: State) -> None:
    course.emit(RoundFinished(course.rounds, course.request.max_rounds, before.errors, after.errors, course.spending))


def _end_if(failure: Failure | None) -> None:
    if failure is not None:
        raise GaveUp(failure.kind, failure.message)


class Run:
    """A handle on one run: iterate it once for its events, the last of which is the outcome; cancel it at any time."""

    def __init__(self, request: RunRequest, parts: Parts, run_id: str | None = None) -> None:
        self.run_id = run_id or uuid.uuid4().hex[:12]
        self._request = request
        self._parts = parts
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._course = Course(request, parts, self._events.put_nowait)
        self._stopped: Failure | None = None
        self._task: asyncio.Task[Outcome] | None = None

    def carry_on(self, earlier: Run) -> None:
        """Go on in the conversation of a finished run, from the state it came to (SPEC L19). Call it before iterating.
        """
        self._course.carry_on(earlier._course)

    def cancel(self) -> None:
        """End the run from any state, also before it has started; the stream still ends with the outcome (SPEC L15)."""
        self._stop(Failure(FailureKind.CANCELLED, "Cancelled. Nothing was changed."))

    async def __aiter__(self) -> AsyncIterator[Event]:
        main = asyncio.create_task(self._main())
        try:
            while (event := await self._events.get()) is not None:
                yield event
        finally:
            if not main.done():
                self.cancel()
            await asyncio.shield(main)

    def _stop(self, failure: Failure) -> None:
        if self._stopped is None:
            self._stopped = failure
            if self._task is not None:
                self._task.cancel()

    async def _main(self) -> None:
        deadline = Deadline(self._request.deadline, lambda: self._stop(self._past_deadline()))
        self._course.pause_deadline = deadline.pause
        try:
            self._events.put_nowait(self._started())
            outcome = await self._settle()
            self._events.put_nowait(RunFinished(outcome))
        finally:
            deadline.cancel()
            await self._parts.shadow.close()
            if self._parts.generator is not None:
                await self._parts.generator.aclose()
            self._events.put_nowait(None)

    async def _settle(self) -> Outcome:
        """The outcome, whatever happens."""
        if self._stopped is not None:
            return self._course.failed(self._stopped)
        self._task = asyncio.create_task(fix(self._course))
        try:
            return await self._task
        except asyncio.CancelledError:
            if self._stopped is None:
                raise
            return self._course.failed(self._stopped)
        except Nominated as nominated:
            return self._course.nominated(str(nominated))
        except GaveUp as end:
            return self._course.failed(end.failure)
        except ModelError as error:
            return self._course.failed(failure_of(error))
        except ShadowError as error:
            return self._course.failed(Failure(FailureKind.ENVIRONMENT, str(error)))
        except Exception as error:
            return self._course.failed(Failure(FailureKind.INTERNAL, f"A fault in Compile Loop itself: {error!r}."))

    def _started(self) -> RunStarted:
        parts, request = self._parts, self._request
        return RunStarted(
            run_id=self.run_id,
            targets=request.targets,
            checks=parts.contract.checks,
            model=parts.generator.name if parts.generator else None,
            isolation=parts.shadow.isolation,
            max_rounds=request.max_rounds,
            deadline=request.deadline,
        )

    def _past_deadline(self) -> Failure:
        return Failure(
            FailureKind.DEADLINE,
            f"The deadline of {self._request.deadline:g} s has passed. Raise it, or use a faster check or model.",
        )
