"""`compile-loop runs`: the recorded runs of this machine."""

from __future__ import annotations

import json
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from compile_loop.cli.listing import listing_console
from compile_loop.cli.records import find, refuse, store, styled, summary
from compile_loop.contracts.counting import at_least
from compile_loop.contracts.outcome import FailureKind
from compile_loop.record.folder import RecordError

NAME = "runs"
EXAMPLE = "Example: `compile-loop runs`, then `compile-loop show last`"


def run(
    limit: int = typer.Option(20, min=1, help="How many of the newest to list."),
    delete: list[str] = typer.Option([], help="Delete this run's record instead. Give it again for more."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON document (schema compile-loop/runs/1)."),
) -> None:
    """List recorded runs, newest first, or delete some.

    Records stay on this machine, without keys, for 30 days or 1 GiB. Exit code: 0, or 2 where there is no such run.
    """
    for name in delete:
        if store().delete_unreadable(name):
            typer.echo(f"Deleted {name}, which could not be read.", err=as_json)
            continue
        record = find(name)
        try:
            store().delete(record)
        except RecordError as error:
            refuse(str(error))
        typer.echo(f"Deleted the record of run {record.id}.", err=as_json)
    if delete:
        return
    records = store().all()[:limit]
    found = [summary(record) for record in records]
    unreadable = store().unreadable()
    if as_json:
        left_out = [{"name": name, "why": why} for name, why in unreadable.items()]
        document = {"schema": "compile-loop/runs/1", "runs": found, "unreadable": left_out}
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    for name, why in unreadable.items():
        note = f"{name} cannot be read and is left out: {why} `compile-loop runs --delete {name}` deletes it."
        Console(stderr=True).print(f"[yellow]{escape(note)}[/yellow]", highlight=False, soft_wrap=True)
    if not found:
        typer.echo(f"No run is recorded yet. Records will lie in {store().runs}.")
        return
    table = Table(box=None, pad_edge=False)
    for title in ("run", "started", "ended", "rounds", "errors", "model", "files"):
        table.add_column(title, overflow="fold", no_wrap=title in ("run", "started", "errors"))
    for record, each in zip(records, found, strict=True):
        table.add_row(*_row(each, record.asked.label))
    listing_console().print(table)


def _errors(before: int | None, after: int | None, ending: str) -> str:
    """`3 → 1`, `still 3`; a dash where the check could not run, so that nothing is known."""
    if ending == FailureKind.ENVIRONMENT.value and not before:
        return "–"
    if before == after and before:
        return f"still {at_least(before)}"
    return " → ".join("?" if number is None else at_least(number) for number in (before, after))


def _row(each: dict[str, Any], about: str) -> list[str]:
    ending = each["failure"]["kind"] if each["failure"] else each["ending"] or each["state"]
    return [
        each["id"],
        str(each["started"]).replace("T", " ")[: len("2026-01-31 23:59")],
        styled(ending) + ("  [dim]resume it[/dim]" if each["resumable"] and each["state"] == "interrupted" else ""),
        str(each["rounds"]),
        _errors(each["errorsBefore"], each["errorsAfter"], ending),
        escape(each["model"] or "none"),
        escape(about),
    ]
