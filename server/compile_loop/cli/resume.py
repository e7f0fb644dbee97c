"""`compile-loop resume`: an interrupted run goes on where it was, or is dropped."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from compile_loop.again.foreign import Agree
from compile_loop.again.resume import resume
from compile_loop.assemble import ConfigurationError, Job, clear_up
from compile_loop.cli.choosing import with_model
from compile_loop.cli.fix import Result, report, settle, watch
from compile_loop.cli.options import ApiKeyEnv, address
from compile_loop.cli.records import RUN_HELP, find, refuse, store
from compile_loop.cli.trust import TrustChecks, agreement
from compile_loop.contracts.outcome import Outcome
from compile_loop.record.folder import RecordError
from compile_loop.record.outcome_document import outcome_document
from compile_loop.record.store import Record, State
from compile_loop.settings import Settings

NAME = "resume"
EXAMPLE = "Example: `compile-loop resume last --apply`, or forget it: `compile-loop resume last --drop`"


def run(
    name: str = typer.Argument(..., metavar="RUN", help=RUN_HELP),
    drop: bool = typer.Option(
        False, "--drop", help="Forget the interrupted run: its record and all that it left behind."
    ),
    root: Path = typer.Option(None, exists=True, file_okay=False, help="The workspace. Default: the recorded one."),
    model: str = typer.Option("", help="PROVIDER:NAME to go on with. Default: the run's own."),
    base_url: str = typer.Option("", callback=address, help="Address of the model's endpoint. Default: the run's own."),
    api_key_env: ApiKeyEnv = "",
    max_rounds: int = typer.Option(None, min=1, max=100, help="Rounds in all. Default: the run's own."),
    deadline: float = typer.Option(None, min=1, help="Seconds from now. Default: what the run had left."),
    trust_checks: TrustChecks = False,
    apply: bool = typer.Option(False, "--apply", help="Write a green result without asking."),
    diff: bool = typer.Option(False, "--diff", help="Print the diff on standard output and write nothing."),
    as_json: bool = typer.Option(
        False, "--json", help="Print the outcome as one JSON document (schema compile-loop/outcome/1)."
    ),
) -> None:
    """Go on with a run that was killed, cancelled, or lost its model.

    Its recorded replies are taken again without asking for them; then the model is asked on. Of somebody else's record
    no model, address or key is taken, and its checks run after a yes, or with --trust-checks. Exit code: as `fix`.
    """
    if apply and diff:
        raise typer.BadParameter("--apply and --diff exclude each other.")
    if drop:
        _drop(name)
        return
    record = find(name)
    given = {
        "model": model, "base_url": base_url, "api_key_env": api_key_env, "max_rounds": max_rounds, "deadline_seconds": deadline,
    }  # fmt: skip
    console = Console(stderr=diff or as_json)
    try:
        if not record.own:
            given |= _of_this_machine(given, may_ask=not (diff or as_json))
        made = {name: value for name, value in given.items() if value}
        job, outcome = asyncio.run(_resume(record, root, made, agreement(trust_checks), console))
    except ConfigurationError as error:
        refuse(str(error))
    report(outcome, console)
    decision = Result.APPLY if apply else Result.DIFF if diff or as_json else Result.ASK
    applied, code = settle(outcome, job, decision, console, diff)
    if as_json:
        typer.echo(json.dumps(outcome_document(outcome, applied), indent=2, ensure_ascii=False))
    raise typer.Exit(code)


async def _resume(
    record: Record, root: Path | None, settings: dict[str, Any], agree: Agree, console: Console
) -> tuple[Job, Outcome]:
    made, job = resume(record, root, settings=settings, agree=agree)
    return job, await watch(made, console)


def _of_this_machine(given: dict[str, Any], *, may_ask: bool) -> dict[str, str]:
    """The model that this machine's user names or agreed to, since somebody else's record may not say who is asked."""
    Console(stderr=True).print(
        "This record is not of this machine: its model, address, key, limits of cost and permissions are not taken over; "
        "yours count.",
        highlight=False,
        soft_wrap=True,
    )
    named = {
        "model": given["model"] or os.environ.get("COMPILE_LOOP_MODEL", ""),
        "base_url": given["base_url"] or os.environ.get("COMPILE_LOOP_BASE_URL", ""),
        "api_key_env": given["api_key_env"],
    }
    settings, _why = with_model(Settings(**named), may_ask=may_ask)
    return {"model": settings.model, "base_url": settings.base_url, "api_key_env": settings.api_key_env}


def _drop(name: str) -> None:
    if store().delete_unreadable(name):
        clear_up()
        typer.echo(f"Dropped {name}, whose record could not be read. Your files are as they were.")
        return
    record = find(name)
    if not record.resumable and record.state is not State.DAMAGED:
        refuse(f"Run {record.id} was not interrupted. `compile-loop runs --delete {record.id}` deletes its record.")
    try:
        store().delete(record)
    except RecordError as error:
        refuse(str(error))
    clear_up()
    typer.echo(f"Dropped run {record.id}. Your files are as they were.")
