"""Replay: recorded replies through today's tools, checks and files, with no model (SPEC R2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from compile_loop.again.answers import RecordedAdvice, RecordedAnswers, asks
from compile_loop.again.jobs import as_recorded, differing, job_of, turns_of
from compile_loop.again.recorded_turns import RecordedTurns
from compile_loop.assemble import ConfigurationError, Job, carry_on, start
from compile_loop.engine.handle import Run
from compile_loop.record.folder import RecordError
from compile_loop.record.recall_log import RecordedMemory
from compile_loop.record.store import Record, Store
from compile_loop.tools.consult import CONSULT


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay that is ready to be iterated.

    `job` is what it was made of; `differing` are files that are not what the recorded run began with; `turns` counts the
    replies that are left over, None where the run asked no model.
    """

    run: Run
    job: Job
    differing: tuple[str, ...]
    turns: RecordedTurns | None


def replay(
    record: Record,
    root: Path | None = None,
    *,
    original_files: bool = False,
    checks: Sequence[str] = (),
    earlier: Run | None = None,
) -> Replay:
    """Make one. `checks` stand in for the recorded ones. `earlier` is the replayed run that this one continued.

    Its outcome is a failure of kind `configuration` that says where, if a request is not the recorded one or the replies
    are used up. Nothing is recorded or written. Raises `ConfigurationError`.
    """
    job = job_of(record, root, {"record": False, "repair_memory": False}, original_files=original_files)
    turns = turns_of(record)
    name = f"replay:{record.id}"
    generator = None
    if record.run.get("model") is not None:
        generator = RecordedTurns(turns, name, as_recorded(record.asked, job.root, job.settings))
    job = replace(
        job,
        settings=job.settings.model_copy(update={"model": "", "consult_model": ""}),
        checks=tuple(checks) or job.checks,
        generator=generator,
        memory=RecordedMemory(record.recalled()),
        ask_user=RecordedAnswers(turns) if asks(turns) else None,
        consult=RecordedAdvice(turns) if asks(turns, CONSULT) else None,
    )
    run = start(job) if earlier is None else carry_on(job, earlier)
    return Replay(run, job, tuple(differing(record, job)), generator)


def chain_of(record: Record, store: Store) -> list[Record]:
    """The runs that this one continued, oldest first, and it last. Raises `ConfigurationError` where one is missing."""
    chain = [record]
    while name := chain[0].run.get("continues"):
        beside = Store(chain[0].folder.parent)
        try:
            chain.insert(0, next((r for r in beside.all() if r.id == name), None) or store.open(str(name)))
        except RecordError as error:
            raise ConfigurationError(f"Run {chain[0].id} continued run {name}, whose record is missing.") from error
    return chain


async def catch_up(chain: Sequence[Record], root: Path | None, *, original_files: bool = False) -> Run | None:
    """Replay all but the last of a chain, silently; the last replayed run, to be carried on."""
    done: Run | None = None
    for record in chain[:-1]:
        done = replay(record, root, original_files=original_files, earlier=done).run
        async for _ in done:
            pass
    return done
