"""Replay: recorded replies through today's tools, checks and files, with no model (SPEC R2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from compile_loop.again.answers import RecordedAdvice, RecordedAnswers, asks
from compile_loop.again.foreign import Agree, agreed, nobody
from compile_loop.again.jobs import as_recorded, differing, job_of, turns_of
from compile_loop.again.kept import begun_from
from compile_loop.again.recorded_turns import RecordedTurns
from compile_loop.assemble import Job, carry_on, start
from compile_loop.engine.handle import Run
from compile_loop.record.recall_log import RecordedMemory
from compile_loop.record.store import Record
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
    agree: Agree = nobody,
) -> Replay:
    """Make one. `checks` stand in for the recorded ones. A run that continued another begins where that one ended.

    Its outcome is a failure of kind `configuration` that says where, if a request is not the recorded one or the replies
    are used up. Nothing is recorded or written. Commands of a record that is not of this machine's store run only if `agree`
    says so. Raises `ConfigurationError`.
    """
    job = job_of(record, root, {"record": False, "repair_memory": False}, original_files=original_files)
    job = agreed(record, job, agree, checks)
    turns = turns_of(record)
    name = f"replay:{record.id}"
    generator = None
    if record.run.get("model") is not None:
        generator = RecordedTurns(turns, name, as_recorded(record.asked, job))
    job = replace(
        job,
        settings=job.settings.model_copy(update={"model": "", "consult_model": ""}),
        generator=generator,
        memory=RecordedMemory(record.recalled()),
        ask_user=RecordedAnswers(turns) if asks(turns) else None,
        consult=RecordedAdvice(turns) if asks(turns, CONSULT) else None,
    )
    earlier = begun_from(record)
    run = start(job) if earlier is None else carry_on(job, earlier)
    return Replay(run, job, tuple(differing(record, job)), generator)
