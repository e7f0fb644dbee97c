"""The records of this machine: list, open by name or its start, delete (SPEC R1, P3)."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from compile_loop.record import folder as at
from compile_loop.record.asked import Asked, asked_in
from compile_loop.record.folder import RecordError, write_whole
from compile_loop.record.owner import under_way
from compile_loop.record.resumable import BROKEN_OFF
from compile_loop.record.retention import may_be_record, remove
from compile_loop.record.shapes import REPORT, RESUMED, RUN, event_in, object_in

SCHEMA = "compile-loop/run/1"


class State(str, Enum):
    """Where a recorded run stands."""

    UNDER_WAY = "under_way"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    RESUMED = "resumed"
    """Interrupted, and another run has finished what it began."""
    DAMAGED = "damaged"
    """It ended, and its report cannot be read."""


class Record:
    """One record, read as it lies on disk. Raises `RecordError` where its folder holds none.

    `own`: it lies in this machine's store, so that this machine wrote it; any other may be somebody else's.
    """

    def __init__(self, folder: Path, *, own: bool = False) -> None:
        self.folder = folder
        self.own = own
        self.run: dict[str, Any] = object_in(folder / at.RUN, RUN)
        """What `run.json` says."""
        if self.run.get("schema") != SCHEMA:
            raise RecordError(f"{folder} was written by another version ({self.run.get('schema')}) and is not read.")
        try:
            self.id: str = _id(self.run["id"])
            self.asked: Asked = asked_in(self.run["asked"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RecordError(f"{folder} is a damaged record: run.json has no proper {error}.") from error

    @property
    def state(self) -> State:
        """Where the run stands now."""
        if (self.folder / at.REPORT).exists():
            return State.DAMAGED if self.damage else State.FINISHED
        if (self.folder / at.RESUMED).exists():
            return State.RESUMED
        return State.UNDER_WAY if under_way(self.folder) else State.INTERRUPTED

    @property
    def report(self) -> dict[str, Any] | None:
        """The report of a run that ended; None also where it is damaged."""
        try:
            return self._report()
        except RecordError:
            return None

    @property
    def damage(self) -> str:
        """Why the report cannot be read, in a sentence; empty where it can, or there is none."""
        try:
            self._report()
        except RecordError as error:
            return str(error)
        return ""

    def _report(self) -> dict[str, Any] | None:
        place = self.folder / at.REPORT
        return object_in(place, REPORT) if place.exists() else None

    @property
    def resumable(self) -> bool:
        """Whether the run was broken off and can go on: killed, or ended by what has nothing to do with the code."""
        if self.state is not State.FINISHED:
            return self.state is State.INTERRUPTED
        failure = (self.report or {}).get("failure")
        return isinstance(failure, dict) and failure.get("kind") in {kind.value for kind in BROKEN_OFF}

    @property
    def turns(self) -> Path:
        """The file of requests and replies."""
        return self.folder / at.TURNS

    def events(self) -> Iterator[dict[str, Any]]:
        """What the run told; a line that was cut off by a kill, or is damaged, is left out."""
        try:
            with (self.folder / at.EVENTS).open(encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    if (value := event_in(line)) is not None:
                        yield value
        except OSError:
            return

    def recalled(self) -> list[str]:
        """What the repair memory gave to the run."""
        place = self.folder / at.RECALLED
        try:
            return [str(text) for text in json.loads(place.read_text("utf-8"))]
        except (OSError, ValueError, TypeError, RecursionError):
            return []

    def originals(self) -> dict[str, bytes | None]:
        """The files that might be edited as they were before the run, unsaved text included; None: absent."""
        return self._files("originals")

    def results(self) -> dict[str, bytes | None]:
        """The files that the result changes, as it would have them; None: deleted."""
        return self._files("results")

    def buffers(self) -> dict[str, bytes]:
        """Unsaved text by path."""
        return {path: data for path, data in self._files("buffers").items() if data is not None}

    def text(self, name: str) -> str:
        """One of the record's texts, such as `candidate.diff` or `rounds/1/check.txt`; empty where it is missing."""
        try:
            return self._inside(name).read_text("utf-8", errors="replace")
        except (OSError, ValueError):
            return ""

    def mark_resumed(self, by: str) -> None:
        """Say that run `by` has finished this one. Raises `RecordError`."""
        write_whole(self.folder / at.RESUMED, json.dumps({"by": by}).encode())

    def resumed_by(self) -> str | None:
        """The run that finished this one, where that is known."""
        try:
            return str(object_in(self.folder / at.RESUMED, RESUMED)["by"])
        except RecordError:
            return None

    def _files(self, kind: str) -> dict[str, bytes | None]:
        place = self.folder / at.FILES / f"{kind}.json"
        if not place.exists():
            return {}
        files: dict[str, bytes | None] = {}
        for path, name in object_in(place, {}).items():
            try:
                if b"\0" in os.fsencode(path) or not isinstance(name, str | None):
                    raise ValueError("a name is none")
                files[path] = None if name is None else self._inside(f"{at.FILES}/{name}").read_bytes()
            except (OSError, ValueError) as error:
                raise RecordError(f"{self.folder} is a damaged record: {name} cannot be read.") from error
        return files

    def _inside(self, name: str) -> Path:
        """A place in the record; one from elsewhere cannot name what lies outside it. Raises `RecordError`."""
        try:
            place = (self.folder / name).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise RecordError(f"{self.folder} is a damaged record: it names {name!r}.") from error
        if not place.is_relative_to(self.folder.resolve()):
            raise RecordError(f"{self.folder} is no record of ours: it names {name}, outside of itself.")
        return place


class Store:
    """All records below one folder."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs

    def all(self) -> list[Record]:
        """Every record that can be read, newest first."""
        records = []
        for folder in self._folders():
            with contextlib.suppress(RecordError):
                records.append(Record(folder, own=True))
        return records

    def unreadable(self) -> dict[str, str]:
        """The names of the records that `all` leaves out, and why, newest first."""
        reasons = {}
        for folder in self._folders():
            try:
                Record(folder)
            except RecordError as error:
                reasons[folder.name] = str(error)
        return reasons

    def _folders(self) -> list[Path]:
        folders = [folder for folder in self.runs.glob("*/") if may_be_record(folder) and folder.name[0] != "."]
        return sorted(folders, key=lambda place: place.name, reverse=True)

    def open(self, name: str) -> Record:
        """A record by its run's id, the start of it, `last`, or the path of its folder. Raises `RecordError`."""
        if name == "last":
            records = self.all()
            if not records:
                raise RecordError(f"There is no record yet in {self.runs}.")
            return records[0]
        place = Path(name)
        if (place / at.RUN).is_file():
            folder = place.resolve()
            return Record(folder, own=folder.parent == self.runs.resolve())
        if not name or "/" in name:
            raise RecordError(f"{name or 'Nothing'} is no record: there is no {at.RUN} in it.")
        return self.by_id(name)

    def by_id(self, name: str) -> Record:
        """One of this machine's, by its run's id or the start of it. Raises `RecordError`."""
        return Record(self._folder(name), own=True)

    def _folder(self, name: str) -> Path:
        if not name:
            raise RecordError("Say which run: `compile-loop runs` lists them.")
        found = [f for f in sorted(self._folders()) if _id_of(f).startswith(name) or f.name == name]
        exact = [f for f in found if name in (_id_of(f), f.name)]
        if len(exact or found) > 1:
            ids = ", ".join(_id_of(folder) for folder in (exact or found)[:5])
            raise RecordError(f"Several runs begin with {name}: {ids}. Give more of the id.")
        if not found:
            raise RecordError(f"There is no run {name}. `compile-loop runs` lists them.")
        return (exact or found)[0]

    def delete(self, record: Record) -> None:
        """Remove a record. Raises `RecordError` while its run is under way."""
        if record.state is State.UNDER_WAY:
            raise RecordError(f"Run {record.id} is under way. Stop it first.")
        remove(record.folder)

    def delete_unreadable(self, name: str) -> bool:
        """Remove a record that cannot be read, by its run's id, the start of it, or its folder; whether there was one."""
        place = Path(name)
        try:
            folder = place.resolve() if (place / at.RUN).is_file() else self._folder(name)
        except RecordError:
            return False
        with contextlib.suppress(RecordError):
            Record(folder)
            return False
        if folder.parent.resolve() != self.runs.resolve():
            return False
        remove(folder)
        return True


def _id_of(folder: Path) -> str:
    return folder.name[len("20250101-000000-") :]


def _id(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[\w-]+", value):
        raise ValueError("id")
    return value
