"""`compile-loop show`: one recorded run: rounds, errors before → after, diff, report."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape

from compile_loop.cli.diff import coloured
from compile_loop.cli.records import RUN_HELP, ending_of, find, refuse, styled, summary
from compile_loop.contracts.counting import count
from compile_loop.record.archive import ENDING, pack
from compile_loop.record.folder import RecordError
from compile_loop.record.redact import Redactor
from compile_loop.record.rounds import RecordedRound, first_prompt, rounds_of
from compile_loop.record.store import Record, State

NAME = "show"
EXAMPLE = "Example: `compile-loop show last`, or one round's diff and check output: `compile-loop show 945c --round 2`"


def run(
    name: str = typer.Argument(..., metavar="RUN", help=RUN_HELP),
    number: int = typer.Option(None, "--round", min=0, help="Only this round: its diff and what the checks said."),
    diff: bool = typer.Option(False, "--diff", help="Print the result's diff alone."),
    prompt: bool = typer.Option(False, "--prompt", help="Print what a model was asked first, or would have been."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON document (schema compile-loop/show/1)."),
    export: Path = typer.Option(
        None,
        "--export",
        metavar="FILE.zip",
        help="Pack the record into a file for a bug report; look into it before you send it.",
    ),
) -> None:
    """Show a recorded run: its rounds, its result, what it cost and what it does not prove.

    Exit code: 0, or 2 where there is no such run or round.
    """
    record = find(name)
    if export is not None:
        _pack(record, export)
        return
    rounds = rounds_of(record)
    if as_json:
        typer.echo(json.dumps(_document(record, rounds), indent=2, ensure_ascii=False))
    elif prompt:
        typer.echo(first_prompt(record) or refuse(f"Run {record.id} came to no question for a model."))
    elif diff:
        typer.echo(record.text("candidate.diff"), nl=False)
    elif number is not None:
        chosen = next((each for each in rounds if each.number == number), None)
        if chosen is None:
            refuse(f"Run {record.id} has no round {number}; it has {len(rounds) - 1}.")
        _print_round(chosen)
    else:
        _print(record, rounds)


def _pack(record: Record, target: Path) -> None:
    if target.suffix != ENDING:
        refuse(f"{target} is no name for it: it must end in {ENDING}.")
    if record.state is State.UNDER_WAY:
        refuse(f"Run {record.id} is under way. Wait for its end, or stop it.")
    try:
        pack(record.folder, target, Redactor.of(os.environ).bytes)
    except RecordError as error:
        refuse(str(error))
    typer.echo(
        f"Packed run {record.id} into {target}: its requests, replies, checks' output and the files it was about. Known "
        f"keys are left out; look into it before you send it.\nSomebody else runs: compile-loop replay {target.name} --root FOLDER"
    )


def _document(record: Record, rounds: list[RecordedRound]) -> dict[str, Any]:
    return {
        "schema": "compile-loop/show/1",
        "run": summary(record),
        "rounds": [
            {
                "number": each["number"],
                "errorsBefore": each["errors_before"],
                "errorsAfter": each["errors_after"],
                "rolledBack": each["rolled_back"],
                "files": list(each["files"]),
                "diff": each["diff"],
                "check": each["check"],
                "refused": list(each["refused"]),
            }
            for each in (asdict(found) for found in rounds)
        ],
        "candidate": record.text("candidate.diff"),
        "report": record.report,
    }


def _print_round(each: RecordedRound) -> None:
    console = Console()
    if each.diff:
        console.print(coloured(each.diff), end="", soft_wrap=True)
    elif each.number:
        console.print(f"Nothing was edited in round {each.number}, so no check was run.", highlight=False)
    for reason in each.refused:
        console.print(
            f"\nAn edit was refused. The model was told:\n\n{escape(reason)}", highlight=False, soft_wrap=True
        )
    if each.check:
        console.print(escape(each.check), end="", highlight=False, soft_wrap=True)
    elif each.diff or not each.number:
        console.print("No check output was recorded.", highlight=False)


def _print(record: Record, rounds: list[RecordedRound]) -> None:
    console = Console()
    facts = summary(record)
    files = ", ".join(facts["targets"]) or "whatever the errors name"
    _line(console, f"Run [bold]{record.id}[/bold]", styled(ending_of(record)))
    _line(console, "started", f"{facts['started']} in {escape(facts['root'])}")
    _line(console, "files", escape(files))
    _line(console, "model", escape(facts["model"] or "none"))
    for word in ("continues", "resumes", "resumedBy"):
        if facts[word]:
            _line(console, {"resumedBy": "resumed as"}.get(word, word), f"run {facts[word]}")
    console.print()
    for each in rounds:
        _print_line(console, each)
    candidate = record.text("candidate.diff")
    if candidate:
        console.print()
        console.print(coloured(candidate), end="", soft_wrap=True)
    if record.report is not None:
        console.print()
        _print_report(console, record.report)
    elif record.damage:
        console.print(f"\n[yellow]{escape(record.damage)}[/yellow]", highlight=False, soft_wrap=True)
    elif record.state is State.INTERRUPTED:
        console.print(
            f"\n[yellow]The run was interrupted.[/yellow] Go on with `compile-loop resume {record.id}`, or drop it with "
            f"`compile-loop resume {record.id} --drop`.",
            highlight=False,
        )
    console.print(f"\nRecord: {escape(str(record.folder))}", highlight=False, soft_wrap=True)


def _print_line(console: Console, each: RecordedRound) -> None:
    label = f"round {each.number}" if each.number else "before"
    edited = f"  [dim]{escape(', '.join(each.files))}[/dim]" if each.files else ""
    _line(console, label, escape(each.words) + edited)


def _print_report(console: Console, report: dict[str, Any]) -> None:
    failure, tokens, seconds = report.get("failure"), report.get("tokens", {}), report.get("seconds", {})
    if failure:
        _line(console, "failure", escape(failure["message"]))
    if report.get("explanation"):
        _line(console, "why", escape(" ".join(str(report["explanation"]).split())))
    price = f", {report['price']:.4f}" if isinstance(report.get("price"), (int, float)) else ""
    about = "about " if tokens.get("estimated") else ""
    _line(console, "cost", f"{count(report.get('calls', 0), 'call')}, {about}{tokens.get('total')} tokens{price}")
    wall, model, checks = (seconds.get(name, 0) for name in ("wall", "generation", "checks"))
    _line(console, "time", f"{wall:.1f} s, of which the model {model:.1f} s and the checks {checks:.1f} s")
    _line(console, "isolation", escape(str(report.get("isolation"))))
    for note in (*report.get("suspicious", ()), *report.get("suspect", ()), *report.get("warnings", ())):
        _line(console, "note", f"[yellow]{escape(str(note))}[/yellow]")
    _line(console, "not proven", escape(str(report.get("doesNotProve"))))


def _line(console: Console, label: str, text: str) -> None:
    console.print(f"{label:>10}  {text}", highlight=False, soft_wrap=True)
