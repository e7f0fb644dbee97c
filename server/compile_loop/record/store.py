"""The records of this machine: list, open by name or its start, delete (SPEC R1, P3)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from compile_loop.record import folder as at
from compile_loop.record.asked import Asked, asked_in
from compile_loop.record.folder import RecordError, write_whole
from compile_loop.record.owner import under_way
from compile_loop.record.resumable import BROKEN_OFF
from compile_loop.record.retention import remove

SCHEMA = "compile-loop/run/1"


class State(str, Enum):
    """Where a recorded run stands."""

    UNDER_WAY = "under_way"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    RESUMED = "resumed"
    """Interrupted, and another run has finished what it began."""


class Record:
    """One record, read as it lies on disk. Raises `RecordError` where its folder holds none.

    `own`: it lies in this machine's store, so that this machine wrote it; any other may be somebody else's.
    """

    def __init__(self, folder: Path, *, own: bool = False) -> None:
        self.folder = folder
        self.own = own
        self.run: dict[str, Any] = _object(folder / at.RUN)
        """What `run.json` says."""
        if self.run.get("schema") != SCHEMA:
            raise RecordError(f"{folder} was written by another version ({self.run.get('schema')}) and is not read.")
        try:
            self.id = str(self.run["id"])
            self.asked: Asked = asked_in(self.run["asked"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RecordError(f"{folder} is a damaged record: run.json has no proper {error}.") from error

    @property
    def state(self) -> State:
        """Where the run stands now."""
        if (self.folder / at.REPORT).exists():
            return State.FINISHED
        if (self.folder / at.RESUMED).exists():
            return State.RESUMED
        return State.UNDER_WAY if under_way(self.folder) else State.INTERRUPTED

    @property
    def report(self) -> dict[str, Any] | None:
        """The report of a run that ended. Raises `RecordError` where it cannot be read."""
        place = self.folder / at.REPORT
        return _object(place) if place.exists() else None

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
        """What the run told; a line that was cut off by a kill is left out."""
        try:
            with (self.folder / at.EVENTS).open(encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    try:
                        value = json.loads(line)
                    except ValueError:
                        continue
                    if isinstance(value, dict):
                        yield value
        except OSError:
            return

    def recalled(self) -> list[str]:
        """What the repair memory gave to the run."""
        place = self.folder / at.RECALLED
        try:
            return [str(text) for text in json.loads(place.read_text("utf-8"))]
        except (OSError, ValueError, TypeError):
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
        except OSError:
            return ""

    def mark_resumed(self, by: str) -> None:
        """Say that run `by` has finished this one. Raises `RecordError`."""
        write_whole(self.folder / at.RESUMED, json.dumps({"by": by}).encode())

    def resumed_by(self) -> str | None:
        """The run that finished this one."""
        place = self.folder / at.RESUMED
        return str(_object(place).get("by")) if place.exists() else None

    def _files(self, kind: str) -> dict[str, bytes | None]:
        place = self.folder / at.FILES / f"{kind}.json"
        if not place.exists():
            return {}
        files: dict[str, bytes | None] = {}
        for path, name in _object(place).items():
            try:
                files[path] = None if name is None else self._inside(f"{at.FILES}/{name}").read_bytes()
            except OSError as error:
                raise RecordError(f"{self.folder} is a damaged record: {name} cannot be read.") from error
        return files

    def _inside(self, name: str) -> Path:
        """A place in the record; one from elsewhere cannot name what lies outside it. Raises `RecordError`."""
        place = (self.folder / name).resolve()
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
        for folder in sorted(self.runs.glob("*/"), key=lambda place: place.name, reverse=True):
            if not folder.name.startswith("."):
                try:
                    records.append(Record(folder, own=True))
                except RecordError:
                    continue
        return records

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
        if not name:
            raise RecordError("Say which run: `compile-loop runs` lists them.")
        found = [f for f in sorted(self.runs.glob("*/")) if _id_of(f).startswith(name) or f.name == name]
        exact = [f for f in found if name in (_id_of(f), f.name)]
        if len(exact or found) > 1:
            ids = ", ".join(_id_of(folder) for folder in (exact or found)[:5])
            raise RecordError(f"Several runs begin with {name}: {ids}. Give more of the id.")
        if not found:
            raise RecordError(f"There is no run {name}. `compile-loop runs` lists them.")
        return Record((exact or found)[0], own=True)

    def delete(self, record: Record) -> None:
        """Remove a record. Raises `RecordError` while its run is under way."""
        if record.state is State.UNDER_WAY:
            raise RecordError(f"Run {record.id} is under way. Stop it first.")
        remove(record.folder)


def _id_of(folder: Path) -> str:
    return folder.name[len("20250101-000000-") :]


def _object(place: Path) -> dict[str, Any]:
    try:
        value = json.loads(place.read_text("utf-8"))
    except OSError as error:
        raise RecordError(f"{place} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise RecordError(f"{place} is damaged: {error}.") from error
    if not isinstance(value, dict):
        raise RecordError(f"{place} is damaged: it holds no object.")
    return value
