"""The handle on one run: its events, its end, its cancelling."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Sequence

from compile_loop.contracts.events import (
    EditApplied,
    Event,
    ListenerError,
    RunFinished,
    RunStarted,
    SuggestionApplied,
    TargetsChosen,
    Warned,
)
from compile_loop.contracts.outcome import Failure, FailureKind, Outcome
from compile_loop.contracts.protocols import ModelError, ShadowError
from compile_loop.engine.ask import failure_of
from compile_loop.engine.course import Course, Kept
from compile_loop.engine.deadline import Deadline
from compile_loop.engine.gave_up import GaveUp
from compile_loop.engine.nominate import Nominated
from compile_loop.engine.request import Parts, RunRequest
from compile_loop.engine.run import fix

Listener = Callable[[Event], None]
"""Told of every event as it happens. It must be quick, since the run waits for it."""


class Run:
    """A handle on one run: iterate it once for its events, the last of which is the outcome; cancel it at any time.

    Each of `listeners` gets every event before it is yielded. One that raises is dropped with a warning (SPEC L17).
    """

    def __init__(
        self, request: RunRequest, parts: Parts, run_id: str | None = None, listeners: Sequence[Listener] = ()
    ) -> None:
        self.run_id = run_id or uuid.uuid4().hex[:12]
        self._request = request
        self._parts = parts
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._listeners = list(listeners)
        self._course = Course(request, parts, self._tell)
        self._stopped: Failure | None = None
        self._task: asyncio.Task[Outcome] | None = None

    def carry_on(self, earlier: Run | Kept) -> None:
        """Go on in the conversation of a finished run, from the state it came to (SPEC L19). Call it before iterating."""
        if isinstance(earlier, Kept):
            self._course.take_over(earlier)
        else:
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

    def _tell(self, event: Event) -> None:
        """To every listener, then into the stream."""
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except ListenerError as error:
                self._listeners.remove(listener)
                self._tell(Warned(str(error)))
            except Exception as error:
                self._listeners.remove(listener)
                self._tell(Warned(f"A listener of this run failed and hears no more of it: {error or repr(error)}"))
        self._events.put_nowait(event)
        if (refusal := self._claim(self._newly_known(event))) is not None:
            self._stop(refusal)

    def _newly_known(self, event: Event) -> Sequence[str]:
        """Files that the run turns out to write, beside those it was started for."""
        match event:
            case TargetsChosen() if not self._request.targets:
                return tuple(event.originals)
            case EditApplied():
                return event.files
            case SuggestionApplied():
                return (event.file,)
            case _:
                return ()

    def _claim(self, files: Sequence[str]) -> Failure | None:
        """Hold files against runs of other processes (SPEC L18)."""
        if self._parts.hold is None or not files:
            return None
        refusal = self._parts.hold.claim(self.run_id, files)
        return None if refusal is None else Failure(FailureKind.CONFIGURATION, refusal)

    def _stop(self, failure: Failure) -> None:
        if self._stopped is None:
            self._stopped = failure
            if self._task is not None:
                self._task.cancel()

    async def _main(self) -> None:
        deadline = Deadline(self._request.deadline, lambda: self._stop(self._past_deadline()))
        self._course.pause_deadline = deadline.pause
        try:
            self._tell(self._started())
            outcome = await self._settle()
            self._tell(RunFinished(outcome))
        finally:
            deadline.cancel()
            await self._parts.shadow.close()
            if self._parts.hold is not None:
                self._parts.hold.release()
            for model in (self._parts.generator, self._parts.consult):
                if model is not None:
                    await model.aclose()
            self._events.put_nowait(None)

    async def _settle(self) -> Outcome:
        """The outcome, whatever happens."""
        refusal = self._stopped or self._claim(self._request.targets)
        if refusal is not None:
            return self._course.failed(refusal)
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
            await self._course.compare_protected()
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
            model_reason=parts.model_reason if parts.generator else "",
        )

    def _past_deadline(self) -> Failure:
        return Failure(
            FailureKind.DEADLINE,
            f"The deadline of {self._request.deadline:g} s has passed. Raise it, or use a faster check or model.",
        )
