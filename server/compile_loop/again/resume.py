"""Resume: an interrupted run goes on where it was (SPEC W4).

Nothing of the run but its record is left, so its recorded replies are taken again, silently, through a fresh isolated
copy; from the first request that has no recorded reply, the model is asked.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from compile_loop.again.answers import RecordedAdvice, RecordedAnswers, asks
from compile_loop.again.foreign import Agree, agreed, nobody
from compile_loop.again.jobs import as_recorded, job_of, turns_of, with_buffers
from compile_loop.again.kept import begun_from
from compile_loop.again.recorded_turns import RecordedTurns, holds_secret
from compile_loop.assemble import ConfigurationError, Job, carry_on, consultant_of, model_of, start
from compile_loop.contracts.inline_secrets import MARK
from compile_loop.contracts.protocols import (
    AskUser,
    AuthGate,
    Message,
    ModelError,
    Notice,
    Reply,
    ToolSchema,
    TurnEvent,
    TurnGenerator,
)
from compile_loop.engine.handle import Run
from compile_loop.engine.stream import stream
from compile_loop.models.turn_log import Turn
from compile_loop.record.folder import RecordError
from compile_loop.record.recall_log import RecordedMemory
from compile_loop.record.store import Record, State
from compile_loop.tools.consult import CONSULT

LEAST_SECONDS = 60.0
"""What a resumed run has at least, however much of its deadline was used up."""


class ResumedModel:
    """Recorded replies as long as the requests are the recorded ones, then the live model."""

    def __init__(self, recorded: RecordedTurns, live: TurnGenerator) -> None:
        self._recorded = recorded
        self._live = live

    @property
    def name(self) -> str:
        """The live model's."""
        return self._live.name

    async def generate(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()
    ) -> AsyncGenerator[TurnEvent, None]:
        """A recorded reply, whole; else a live one. Where the files have changed since, the rest of the record is void."""
        reply: Reply | None = None
        if self._recorded.left:
            try:
                reply = await stream(self._recorded, messages, tools, lambda _event: None)
            except ModelError as error:
                self._recorded.left = 0
                yield Notice(f"From here on the run is not as recorded, so the model is asked anew. {error.message}")
        if reply is not None:
            yield reply
            return
        async with aclosing(self._live.generate(messages, tools)) as events:
            async for event in events:
                yield event

    async def aclose(self) -> None:
        """Close the live model."""
        await self._live.aclose()


def resume(
    record: Record,
    root: Path | None = None,
    *,
    settings: dict[str, object] | None = None,
    buffers: dict[Path, bytes] | None = None,
    ask_user: AskUser | None = None,
    auth: AuthGate | None = None,
    agree: Agree = nobody,
) -> tuple[Run, Job]:
    """The run, ready to be iterated, and its job.

    `settings` (by name) and an editor's `buffers` of now win over the recorded ones. Without a deadline among them, what
    was left of the recorded one counts. A record that is not of this machine's store names no model, and its commands run
    only if `agree` says so. Raises `ConfigurationError`, also where the run was not broken off.
    """
    if not record.resumable:
        raise ConfigurationError(_why_not(record))
    changed = dict(settings or {})
    changed.setdefault("deadline_seconds", max(LEAST_SECONDS, _deadline(record) - _used(record)))
    job = agreed(record, job_of(record, root, changed, asks_model=True), agree)
    job = with_buffers(job, _unsaved(record, job.root) if buffers is None else buffers)
    turns = _before_secrets(turns_of(record))
    live = model_of(job.settings)
    if live is None and turns:
        raise ConfigurationError("The interrupted run had a model. Say which one goes on with it, as PROVIDER:NAME.")
    recorded = RecordedTurns(turns, f"replay:{record.id}", as_recorded(record.asked, job))
    job = replace(
        job,
        generator=None if live is None else ResumedModel(recorded, live),
        memory=RecordedMemory(record.recalled()) if record.recalled() else None,
        ask_user=RecordedAnswers(turns, ask_user) if ask_user is not None else None,
        consult=RecordedAdvice(turns, consultant_of(job.settings)) if asks(turns, CONSULT) else None,
        auth=auth,
        lineage={"resumes": record.id} if record.own else {},
    )
    earlier = begun_from(record)
    return (start(job) if earlier is None else carry_on(job, earlier)), job


def _unsaved(record: Record, root: Path) -> dict[Path, bytes]:
    """Recorded unsaved text, where it is all there."""
    try:
        return {root / path: data for path, data in record.buffers().items() if MARK.encode() not in data}
    except RecordError as error:
        raise ConfigurationError(f"The record of run {record.id} cannot be used: {error}") from error


def _before_secrets(turns: Sequence[Turn]) -> list[Turn]:
    """The replies up to the first that cannot be used; turns that failed are asked anew."""
    usable: list[Turn] = []
    for turn in turns:
        if holds_secret(turn):
            break
        if turn.error is None:
            usable.append(turn)
    return usable


def _why_not(record: Record) -> str:
    if record.state is State.UNDER_WAY:
        return f"Run {record.id} is under way."
    if record.state is State.RESUMED:
        by = record.resumed_by()
        return f"Run {record.id} was resumed as run {by}." if by else f"Run {record.id} was resumed already."
    if record.state is State.DAMAGED:
        return f"Run {record.id} came to its end, and how is not known: {record.damage}"
    return f"Run {record.id} came to its end ({(record.report or {}).get('ending')}); there is nothing to resume."


def _deadline(record: Record) -> float:
    value = record.asked.settings.get("deadline_seconds")
    return float(value) if isinstance(value, (int, float)) else LEAST_SECONDS


def _used(record: Record) -> float:
    """Seconds until the run was last heard of."""
    return max((float(event.get("at", 0.0)) for event in record.events()), default=0.0)
