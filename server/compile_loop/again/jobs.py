"""From a record back to a job: the same request, on this machine's files or on the recorded ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from compile_loop.again.foreign import settings_of
from compile_loop.assemble import ConfigurationError, Job, redactor_of
from compile_loop.contracts.checks import Check
from compile_loop.contracts.protocols import ModelError
from compile_loop.models.replay import read_turns
from compile_loop.models.turn_log import Turn
from compile_loop.record.asked import Asked
from compile_loop.record.folder import RecordError
from compile_loop.record.redact import Redactor
from compile_loop.record.store import Record
from compile_loop.settings import Settings


def job_of(
    record: Record,
    root: Path | None,
    settings: Mapping[str, Any],
    *,
    original_files: bool = False,
    asks_model: bool = False,
) -> Job:
    """The recorded request again, in the workspace `root` (the recorded one if None), with some `settings` changed.

    Of somebody else's record only the settings that say how the run went count.

    Files that `root` lacks come from the record; with `original_files` all of them do. Nothing is written to `root`.
    Raises `ConfigurationError`.
    """
    asked = record.asked
    place, there = _placed(root or Path(asked.root), asked.targets)
    if not there or not place.is_dir():
        raise ConfigurationError(f"The workspace {place} is not there. Say with --root which folder to use.")
    try:
        made = Settings.model_validate({**settings_of(record, asks_model=asks_model), **settings})
        originals = record.originals()
    except (ValidationError, RecordError) as error:
        raise ConfigurationError(f"The record of run {record.id} cannot be used: {error}") from error
    moved = moved_to(asked, place)
    return Job(
        root=place,
        targets=tuple(place / path for path in asked.targets),
        settings=made.model_copy(update={"check": moved(made.check)}),
        scope="workspace" if asked.scope == "workspace" else "files",
        checks=tuple(moved(line) for line in asked.checks),
        spec=asked.spec,
        buffers=_laid_over(originals, place, everything=original_files),
        encodings={place / path: name for path, name in asked.encodings.items()},
        reproduce=asked.reproduce,
        tasks={line: _task(check, moved) for line, check in asked.tasks.items()},
        holdouts=tuple(moved(line) for line in asked.holdouts),
    )


def _placed(root: Path, targets: Sequence[str]) -> tuple[Path, bool]:
    """The workspace, and whether it and the targets are places at all."""
    try:
        place = root.resolve()
        for path in targets:
            (place / path).resolve().exists()  # raises where that is no name for a file
        return place, True
    except (OSError, ValueError, RuntimeError):
        return root, False


def _task(check: Check, moved: Callable[[str], str]) -> Check:
    """A recorded task in the workspace of now."""
    command = moved(check.command) if isinstance(check.command, str) else tuple(map(moved, check.command))
    matchers = tuple(_deep(each, moved) for each in check.matchers)
    return replace(check, command=command, env=_deep(check.env, moved), matchers=matchers)


def _deep(value: Any, moved: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return moved(value)
    if isinstance(value, Mapping):
        return {key: _deep(each, moved) for key, each in value.items()}
    return [_deep(each, moved) for each in value] if isinstance(value, list | tuple) else value


def turns_of(record: Record) -> list[Turn]:
    """The recorded turns. Raises `ConfigurationError` where they cannot be read."""
    try:
        return read_turns(str(record.turns))
    except ModelError as error:
        raise ConfigurationError(error.message) from error


def moved_to(asked: Asked, place: Path) -> Callable[[str], str]:
    """Commands that name the recorded workspace name this one instead."""
    return lambda text: text.replace(asked.root, str(place)) if asked.root != str(place) else text


def as_recorded(asked: Asked, job: Job) -> Callable[[str], str]:
    """Today's text in the record's words: its root, and no secrets."""
    redactor = redactor_of(job)
    return lambda text: redactor.text(text.replace(str(job.root), asked.root))


def differing(record: Record, job: Job) -> list[str]:
    """Files that are not what the run began with, save those that the job lays over."""
    redactor = redactor_of(job)
    return sorted(
        path
        for path, data in record.originals().items()
        if job.root / path not in job.buffers and _redacted(redactor, _read(job.root / path)) != data
    )


def with_buffers(job: Job, buffers: Mapping[Path, bytes]) -> Job:
    """The job with an editor's unsaved text of now."""
    return replace(job, buffers={**job.buffers, **buffers})


def _laid_over(originals: Mapping[str, bytes | None], place: Path, *, everything: bool) -> dict[Path, bytes]:
    laid: dict[Path, bytes] = {}
    for path, data in originals.items():
        there = place / path
        if not there.resolve().is_relative_to(place):
            raise ConfigurationError(f"The record names {path}, which lies outside the workspace {place}.")
        if data is None:
            if everything and there.exists():
                raise ConfigurationError(
                    f"{path} did not exist when the run began. Take it away, or replay in a folder without it (--root)."
                )
        elif everything or not there.exists():
            laid[there] = data
    return laid


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _redacted(redactor: Redactor, data: bytes | None) -> bytes | None:
    return None if data is None else redactor.bytes(data)
