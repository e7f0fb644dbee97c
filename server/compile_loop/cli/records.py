"""What the commands on recorded runs share: finding one, and its facts in a line or in JSON."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from compile_loop.assemble import runs_folder
from compile_loop.cli import exits
from compile_loop.record import archive
from compile_loop.record.folder import RecordError
from compile_loop.record.retention import size_of
from compile_loop.record.rounds import rounds_of
from compile_loop.record.store import Record, Store
from compile_loop.shadow.places import new_folder, temporary_places
from compile_loop.shadow.removal import remove_tree

RUN_HELP = "The run's id, the start of it, `last`, the folder of a record, or a file that `show --export` made."

_STYLES: dict[str, str] = {
    "green": "green",
    "nothing_to_fix": "green",
    "no_change_nominated": "yellow",
    "under_way": "blue",
    "interrupted": "yellow",
    "resumed": "dim",
}


def store() -> Store:
    """The records of this machine."""
    return Store(runs_folder())


def find(name: str) -> Record:
    """A record by name, or one that was packed into a file; ends the command with a sentence where there is none."""
    try:
        if name.endswith(archive.ENDING) and Path(name).is_file():
            folder = new_folder(temporary_places()[0])
            atexit.register(remove_tree, folder)
            archive.unpack(Path(name), folder)
            return store().open(str(folder))
        return store().open(name)
    except RecordError as error:
        refuse(str(error))


def refuse(message: str) -> NoReturn:
    """End the command: it was asked for something that cannot be."""
    Console(stderr=True).print(f"[red]{escape(message)}[/red]", highlight=False, soft_wrap=True)
    raise typer.Exit(exits.USAGE)


def ending_of(record: Record) -> str:
    """How it ended, in a word: the ending, for a failure its kind, else the state."""
    report = record.report
    if report is None:
        return record.state.value
    failure = report.get("failure")
    return str(failure["kind"] if failure else report.get("ending"))


def styled(ending: str) -> str:
    """The word with its colour."""
    style = _STYLES.get(ending, "red")
    return f"[{style}]{escape(ending)}[/{style}]"


def summary(record: Record, size: Callable[[Any], int] = size_of) -> dict[str, Any]:
    """One run for `runs --json` and `show --json`."""
    report = record.report or {}
    run = record.run
    rounds = rounds_of(record)
    verified = [each.errors_after for each in rounds if each.errors_after is not None]
    before = report.get("baseline", {}).get("errors", rounds[0].errors_before)
    after = report.get("errorsAfter", verified[-1] if verified else before)
    return {
        "id": record.id,
        "started": run.get("started"),
        "state": record.state.value,
        "ending": report.get("ending"),
        "failure": report.get("failure"),
        "mode": run.get("mode"),
        "model": run.get("model"),
        "engine": run.get("engine"),
        "root": record.asked.root,
        "targets": list(record.asked.targets),
        "spec": record.asked.spec,
        "rounds": len(rounds) - 1,
        "errorsBefore": before,
        "errorsAfter": after,
        "calls": report.get("calls"),
        "tokens": report.get("tokens", {}).get("total"),
        "price": report.get("price"),
        "seconds": report.get("seconds", {}).get("wall"),
        "resumable": record.resumable,
        "continues": run.get("continues"),
        "resumes": run.get("resumes"),
        "resumedBy": record.resumed_by(),
        "bytes": size(record.folder),
        "folder": str(record.folder),
    }
