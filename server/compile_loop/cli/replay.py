"""`compile-loop replay`: recorded replies through today's tools, checks and files."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape

from compile_loop.again.foreign import Agree
from compile_loop.again.replay import Replay, replay
from compile_loop.assemble import ConfigurationError
from compile_loop.cli.fix import Result, report, settle, watch
from compile_loop.cli.records import RUN_HELP, find, refuse
from compile_loop.cli.trust import TrustChecks, agreement
from compile_loop.contracts.outcome import Outcome
from compile_loop.record.outcome_document import outcome_document
from compile_loop.record.store import Record

NAME = "replay"
EXAMPLE = "Example: `compile-loop replay last`, or a record from a bug report: `compile-loop replay ./record --root ./project`"


def run(
    name: str = typer.Argument(..., metavar="RUN", help=RUN_HELP),
    root: Path = typer.Option(None, exists=True, file_okay=False, help="The workspace. Default: the recorded one."),
    original_files: bool = typer.Option(
        False, "--original-files", help="Start from the files as they were then, not as they are today."
    ),
    check: list[str] = typer.Option([], help="Command instead of the recorded checks. Give it again for more."),
    trust_checks: TrustChecks = False,
    diff: bool = typer.Option(False, "--diff", help="Print the result's diff on standard output."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON document (schema compile-loop/replay/1)."),
) -> None:
    """Do a recorded run again with its recorded replies: no model, no network, nothing is written.

    Today's tools, checks and files decide. Too few replies, or another request than the recorded one, ends it with the
    place. The checks of somebody else's record run after a yes, or with --trust-checks. Exit code: as `fix`.
    """
    record = find(name)
    console = Console(stderr=diff or as_json)
    try:
        made, outcome = asyncio.run(_replay(record, root, original_files, check, agreement(trust_checks), console))
    except ConfigurationError as error:
        refuse(str(error))
    report(outcome, console)
    unused = made.turns.left if made.turns is not None and outcome.failure is None else 0
    if unused:
        replies = "1 recorded reply was" if unused == 1 else f"{unused} recorded replies were"
        console.print(f"[yellow]{replies} not needed.[/yellow]", highlight=False)
    _, code = settle(outcome, made.job, Result.DIFF, console, to_stdout=diff)
    if as_json:
        document = outcome_document(outcome, applied=False)
        document |= {"schema": "compile-loop/replay/1", "run": record.id, "unusedReplies": unused}
        document["changedSince"] = list(made.differing)
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
    raise typer.Exit(code)


async def _replay(
    record: Record, root: Path | None, original_files: bool, checks: list[str], agree: Agree, console: Console
) -> tuple[Replay, Outcome]:
    made = replay(record, root, original_files=original_files, checks=checks, agree=agree)
    if made.differing:
        console.print(
            f"[yellow]Changed since the recorded run began: {escape(', '.join(made.differing))}. "
            "Add --original-files to start from the files as they were.[/yellow]",
            highlight=False,
            soft_wrap=True,
        )
    return made, await watch(made.run, console)
