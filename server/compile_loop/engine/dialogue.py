"""The rounds with a model: ask, edit, verify, and what it is told next, until a bound (SPEC L5, L7–L9, T1)."""

from __future__ import annotations

from compile_loop.contracts.counting import count
from compile_loop.contracts.events import ChannelSwitched, NotAsked, Pass, RolledBack, RoundFinished, RoundStarted
from compile_loop.contracts.outcome import Failure, FailureKind
from compile_loop.contracts.protocols import ShadowError, TurnGenerator
from compile_loop.conversation.explanation import explanation_of
from compile_loop.conversation.prompts import rolled_back_prompt, verified_prompt
from compile_loop.conversation.transcript import Transcript
from compile_loop.edits.apply import HeldBlocks
from compile_loop.engine.brief import continue_brief, failures_of, joined_brief, open_conversation
from compile_loop.engine.channel import Channel
from compile_loop.engine.course import Course, State
from compile_loop.engine.gave_up import GaveUp
from compile_loop.engine.guard import ProgressMonitor
from compile_loop.engine.nominate import Nominated
from compile_loop.engine.round import Played, Round
from compile_loop.engine.stall import StallMonitor
from compile_loop.engine.verdict import must_roll_back
from compile_loop.engine.worktree import Changes


class Dialogue:
    """One conversation with its channel and its monitors. It opens with the first round."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._channel = course.earlier.channel if course.earlier else Channel(course.request, course.parts)
        self._talk: Transcript | None = None
        self._stall = StallMonitor()
        self._monitor = ProgressMonitor()
        self._held: HeldBlocks | None = None
        self._doubt: str | None = None
        self._doubted: tuple[Changes, str] | None = None
        """A visibly green state that did not hold, and why."""
        self._allowed = course.request.max_rounds
        self._climbs = 0
        course.channel = self._channel

    def doubt(self, text: str, state: State) -> None:
        """A visibly green state did not hold.

        The model is told why, and a hidden check grants a new set of rounds (SPEC Q5).
        """
        self._doubt = text
        self._doubted = (dict(state.changes), text) if state.verdict.green else None
        if self._talk is not None:
            self._talk.tell(text)
            self._doubt = None
        if self._course.climbs > self._climbs:
            self._climbs = self._course.climbs
            self._allowed = self._course.rounds + self._course.request.max_rounds
        else:
            _end_if(self._stall.verified(state.result))

    def doubts(self, state: State) -> bool:
        """Whether nothing was made of a doubt yet: proving the same state again would only say the same (SPEC Q5)."""
        return self._doubted is not None and self._doubted[0] == state.changes

    async def round(self, state: State) -> State:
        """One round from `state`; returns the state to go on from. Raises `GaveUp`, `Nominated` or `ModelError`."""
        course, model = self._course, self._model(state)
        if course.rounds >= self._allowed:
            raise GaveUp(
                FailureKind.MAX_ROUNDS,
                f"Not green after {course.rounds} rounds. Allow more rounds, say more about what is wanted, or try a "
                "stronger model.",
            )
        talk = self._open(state)
        course.rounds += 1
        course.emit(RoundStarted(course.rounds, self._allowed, state.errors, course.spending))
        playing = Round(course, talk, model, self._channel, self._monitor, self._held)
        broken: Exception | None = None
        try:
            await playing.play()
        except (Nominated, ShadowError):
            raise
        except Exception as error:
            broken = error
        played = playing.played
        self._held = played.held
        after = await course.verify(Pass.ROUND) if played.applied else state
        edit = course.work.edit(course.work.changes)
        course.emit(RoundFinished(course.rounds, self._allowed, state.errors, after.errors, course.spending, edit))
        if broken is not None and not (played.applied and after.verdict.green):
            raise broken  # What was applied before the model died, or a fault of ours, may be all that was needed (SPEC L14).
        return await self._go_on(talk, played, after)

    def _model(self, state: State) -> TurnGenerator:
        """The model to ask. Without one, what it would have been asked is told, and the run is over."""
        course = self._course
        if not course.targets.writable:
            raise GaveUp(
                FailureKind.CONFIGURATION,
                "The check fails without naming a file of the workspace that may be edited. Name the files to fix.",
            )
        if course.parts.generator is not None:
            return course.parts.generator
        course.emit(NotAsked(self._open(state).messages[-1].content))
        left = f"{count(state.errors, 'error')} left"
        if state.verdict.green:
            why = "Only a model can do what is wanted"
        elif course.request.suggestions and not course.has_wish:
            why = f"The toolchain's own suggestions were not enough ({left})"
        else:
            why = f"None of the toolchain's own suggestions was to be tried ({left})"
        raise GaveUp(FailureKind.CONFIGURATION, f"{why}, and no model is set. {course.parts.advice}")

    def _open(self, state: State) -> Transcript:
        if self._talk is None:
            earlier = self._course.earlier
            if earlier is None:
                self._talk = open_conversation(self._course, self._channel, state, self._monitor)
            else:
                self._talk = earlier.talk
                self._talk.tell(continue_brief(self._course, state))
            if self._doubt is not None:
                self._talk.tell(self._doubt)
            self._course.talk = self._talk
        return self._talk

    async def _go_on(self, talk: Transcript, played: Played, state: State) -> State:
        """Feed back what the model must know, or end where nothing moves any more."""
        green = played.applied and state.verdict.green
        if played.applied:
            self._monitor.verified()
            state = await self._keep_or_undo(talk, played, state)
        if green:
            if self._doubted is not None and self.doubts(state):
                talk.tell(self._doubted[1])
                _end_if(self._stall.verified(state.result))
            return state
        rescue = self._channel.rescue(applied=played.applied, past_step_cap=played.past_step_cap)
        if rescue is not None:
            self._channel.switch()
            self._course.emit(ChannelSwitched(rescue))
            self._stall.forget_no_edits()
            self._held = None
            self._talk = self._course.talk = open_conversation(self._course, self._channel, state, self._monitor)
            if self._doubted is not None and self.doubts(state):
                self._talk.tell(self._doubted[1])
        elif played.applied:
            _end_if(self._stall.verified(state.result))
        else:
            _end_if(self._stall.no_edit())
            talk.tell(played.refusal or "Nothing was applied.")
        return state

    async def _keep_or_undo(self, talk: Transcript, played: Played, state: State) -> State:
        """Keep the round, or undo it if it only made things worse (SPEC L9)."""
        course = self._course
        if state.verdict.green:
            course.explanations.append(explanation_of(played.text))
            return state
        best = course.best_before(state)
        failures = failures_of(course, state)
        if must_roll_back(best.verdict, state.verdict):
            await course.work.restore(best.changes)
            course.emit(RolledBack(state.errors, best.errors))
            still = self._doubted[1] if self._doubted is not None and self.doubts(best) else ""
            talk.tell("\n\n".join(part for part in (rolled_back_prompt(failures, course.work.targets), still) if part))
            return best
        course.explanations.append(explanation_of(played.text))
        joined = joined_brief(course, self._channel, self._monitor)
        talk.tell("\n\n".join(part for part in (played.refusal, verified_prompt(failures), joined) if part))
        return state


def _end_if(failure: Failure | None) -> None:
    if failure is not None:
        raise GaveUp(failure.kind, failure.message)
