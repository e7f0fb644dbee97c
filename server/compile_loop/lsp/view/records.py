"""The records of the open folders, and what the view calls each part of them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from compile_loop.assemble import runs_folder
from compile_loop.lsp.places import file_of
from compile_loop.lsp.rpc import Refused
from compile_loop.record.folder import RecordError
from compile_loop.record.store import Record, State, Store

if TYPE_CHECKING:
    from compile_loop.lsp.host import LoopServer

MOST = 50
RESULT = -1
"""Stands for the run's result among its rounds."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node's id taken apart: `KIND/RUN/ROUND/PATH`, shorter where less is meant."""

    kind: str
    run: str
    round: int = 0
    path: str = ""

    def __str__(self) -> str:
        return f"{self.kind}/{self.run}/{self.round}/{self.path}"

    @staticmethod
    def of(text: str) -> Node:
        """From an id. Raises `Refused`."""
        parts = text.split("/", 3)
        try:
            return Node(parts[0], parts[1], int(parts[2]), parts[3])
        except (IndexError, ValueError):
            raise Refused("This is no entry of the view of runs.") from None


def store() -> Store:
    """This machine's records."""
    return Store(runs_folder())


async def records_of(ls: LoopServer) -> list[Record]:
    """The newest records of the open folders, and those of this window's runs on files outside of them."""
    folders = [file_of(uri) for uri in ls.documents.folder_uris if uri.startswith("file:")]
    return await asyncio.to_thread(records, folders, frozenset(ls.runs.begun))


def records(folders: Sequence[Path], own: Collection[str] = ()) -> list[Record]:
    """The newest records of these folders, or of all where none is open, and runs that are the window's `own`.

    Reads files: call it off the loop.
    """
    roots = {folder.resolve() for folder in folders}
    found: list[Record] = []
    for record in store().all():
        root = Path(record.asked.root)
        if not roots or record.id in own or any(root == folder or folder in root.parents for folder in roots):
            found.append(record)
        if len(found) == MOST:
            break
    return found


def record_of(run: str) -> Record:
    """One record. Raises `Refused`."""
    try:
        return store().by_id(run)
    except RecordError as error:
        raise Refused(str(error)) from error


def when_of(record: Record) -> str:
    """When a run began, by the clock on the wall: the time, or the day where that is not today."""
    try:
        began = datetime.strptime(str(record.run.get("started")), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
        local = began.astimezone()
    except (ValueError, OverflowError, OSError):
        return ""
    return f"{local:%H:%M}" if local.date() == datetime.now().astimezone().date() else f"{local:%Y-%m-%d}"


def ending_of(record: Record) -> str:
    """How a run stands, in a word or two."""
    if record.state is not State.FINISHED:
        return str(record.state.value).replace("_", " ")
    report = record.report or {}
    failure = report.get("failure")
    kind = failure.get("kind") if isinstance(failure, dict) else report.get("ending")
    return str(kind or "finished").replace("_", " ")


def message_of(record: Record) -> str:
    """The sentence with which a run ended."""
    failure = (record.report or {}).get("failure")
    return str(failure.get("message", "")) if isinstance(failure, dict) else ""
