"""The folder of one record: what lies where in it, and how it gets there (SPEC R1).

run.json          who ran what, from where, with which settings
events.jsonl      what the run told, one JSON object a line
turns.jsonl       the exact requests and replies, one a line
files/            the bytes that the files had before the run and in its result, and unsaved buffers
rounds/N/         diff.patch, check.txt (written aside: nothing goes on from it); round 0 is the baseline
final/check.txt   the last run of the contract, from a clean start
candidate.diff    the result, or the best state of a run that was lost
report.json       how it went; its presence says that the run ended
cut-off           empty, where the record could not be written to the end, since the disk is full or away
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from compile_loop.contracts.events import ListenerError

RUN = "run.json"
EVENTS = "events.jsonl"
TURNS = "turns.jsonl"
RECALLED = "recalled.json"
FILES = "files"
ROUNDS = "rounds"
FINAL = "final"
CANDIDATE = "candidate.diff"
REPORT = "report.json"
RESUMED = "resumed.json"
CUT_OFF = "cut-off"
ALL = frozenset(
    name
    for kept in (RUN, EVENTS, TURNS, RECALLED, FILES, ROUNDS, FINAL, CANDIDATE, REPORT, RESUMED, CUT_OFF)
    for name in (kept, f".{kept}.new")
)
"""All that a run puts there."""
NAMED = re.compile(r"\d{8}-\d{6}-[\w-]+")
"""A record's own name, as `folder_name` makes it."""


class RecordError(ListenerError):
    """A record that cannot be written, read or found; the message is a sentence for the user."""


def folder_name(run_id: str, started: float) -> str:
    """`<time>-<run_id>`, with the time in UTC, so that names sort by age. `started` is in seconds since the epoch."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(started))}-{run_id}"


def make_folder(runs: Path, name: str) -> Path:
    """A new record's folder, for its owner's eyes alone. Raises `RecordError`."""
    folder = runs / name
    try:
        runs.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise cannot_write(folder, error) from error
    return folder


def make_room(folder: Path) -> None:
    """A folder within a record. Raises `RecordError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error


def write_whole(place: Path, data: bytes) -> None:
    """A file that is there whole or not at all, also after a kill. Raises `RecordError`."""
    fresh = place.with_name(f".{place.name}.new")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(data)
        fresh.replace(place)
    except OSError as error:
        raise cannot_write(place, error) from error


class Lines:
    """A file that grows by whole lines. Each is handed to the system at once, so a kill costs at most the last one."""

    def __init__(self, place: Path) -> None:
        self._place = place
        try:
            self._file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        except OSError as error:
            raise cannot_write(place, error) from error

    def add(self, line: str) -> None:
        """One more line, with its end. Raises `RecordError`."""
        rest = memoryview(line.encode("utf-8", "backslashreplace"))
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            raise cannot_write(self._place, error) from error

    def close(self) -> None:
        """Give the file back. Safe to call more than once."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def cannot_write(place: Path, error: OSError) -> RecordError:
    """The sentence for a record that cannot go on."""
    return RecordError(f"the record cannot be written ({place}: {error.strerror or error})")
