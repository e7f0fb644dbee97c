"""`compile-loop eval`: the same engine over a folder of red programs, as a scoreboard."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from compile_loop.checks.contract_file import NAME as CONTRACT_FILE
from compile_loop.cli import exits, options
from compile_loop.cli.listing import listing_console
from compile_loop.cli.records import refuse
from compile_loop.evaluation.cases import Case, cases_in
from compile_loop.evaluation.scoreboard import Evaluation, ScoreboardError, compare, read_scoreboard
from compile_loop.evaluation.scoring import Score
from compile_loop.settings import Settings

NAME = "eval"
EXAMPLE = (
    "Example: `compile-loop eval programs --model openai:gpt-5 --jobs 4 --out old.json`, then `compile-loop eval programs "
    "--model ollama:qwen3 --compare old.json`, or without a run `compile-loop eval new.json --compare old.json`"
)


def run(
    place: Path = typer.Argument(
        ...,
        metavar="DIR",
        exists=True,
        help=f"A folder of programs, each a folder with a {CONTRACT_FILE}; or a scoreboard.",
    ),
    model: str = typer.Option("", envvar="COMPILE_LOOP_MODEL", help="PROVIDER:NAME. None: suggestions only."),
    base_url: options.BaseUrl = "",
    api_key_env: options.ApiKeyEnv = "",
    jobs: int = typer.Option(min(4, os.cpu_count() or 1), min=1, help="How many programs at a time."),
    max_rounds: options.MaxRounds = 5,
    deadline: float = typer.Option(900.0, min=1, help="Seconds for each program."),
    compare_with: Path = typer.Option(None, "--compare", exists=True, dir_okay=False, help="An earlier scoreboard."),
    out: Path = typer.Option(
        None, help="Where the scoreboard is written. Default: scoreboard-TIME.json in the current folder."
    ),
    as_json: bool = typer.Option(
        False, "--json", help="Print the scoreboard, or the comparison, as one JSON document."
    ),
) -> None:
    """Run every program of a folder unattended, and score it: green, honest green, cost, size of the edit.

    Nothing is written to the programs. Exit code: 0 each ended as its [eval] table says is right, 1 not so, 2 usage, 130
    cancelled.
    """  # fmt: skip
    console = listing_console(stderr=as_json)
    cancelled = False
    try:
        earlier = read_scoreboard(compare_with) if compare_with is not None else None
        if place.is_file():
            board = read_scoreboard(place)
        else:
            cases = cases_in(place)
            if not cases:
                refuse(f"No folder in {place} has a {CONTRACT_FILE}.")
            settings = Settings(
                model=model,
                base_url=base_url,
                api_key_env=api_key_env,
                max_rounds=max_rounds,
                deadline_seconds=deadline,
            )
            board, cancelled = asyncio.run(_evaluate(cases, settings, jobs, console))
            _write(board, out or Path(f"scoreboard-{time.strftime('%Y%m%d-%H%M%S')}.json"), console)
    except ScoreboardError as error:
        refuse(str(error))
    compared = compare(earlier, board) if earlier is not None else None
    if as_json:
        typer.echo(json.dumps(compared or board, indent=2, ensure_ascii=False))
    else:
        _print(board, console)
        if compared is not None:
            _print_comparison(compared, console)
    if cancelled:
        raise typer.Exit(exits.CANCELLED)
    raise typer.Exit(exits.GREEN if board["totals"]["asExpected"] == board["totals"]["cases"] else exits.NOT_GREEN)


async def _evaluate(cases: list[Case], settings: Settings, jobs: int, console: Console) -> tuple[dict[str, Any], bool]:
    done = 0

    def finished(score: Score) -> None:
        nonlocal done
        done += 1
        colour = "green" if score.as_expected else "red"
        console.print(f"{done}/{len(cases)}  {escape(score.name)}: [{colour}]{score.got}[/{colour}]", highlight=False)

    evaluation = Evaluation(cases, settings, jobs, finished)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, evaluation.cancel)
    return await evaluation.go(), evaluation.cancelled


def _write(board: dict[str, Any], out: Path, console: Console) -> None:
    try:
        out.write_text(json.dumps(board, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        console.print(f"[yellow]The scoreboard was not written: {escape(str(error))}.[/yellow]", highlight=False)
        return
    console.print(f"Scoreboard: {escape(str(out))}", highlight=False, soft_wrap=True)


def _print(board: dict[str, Any], console: Console) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("program", overflow="fold")
    for title in ("result", "rounds", "calls", "tokens", "price", "seconds", "lines", "smallest"):
        table.add_column(title, justify="left" if title == "result" else "right", no_wrap=title == "result")
    for each in board["cases"]:
        result = each["got"] + ("" if each["honest"] or not each["green"] else " (not honest)")
        right = "" if each["asExpected"] else f", wanted {each['expected']}"
        style = "green" if each["asExpected"] else "red"
        table.add_row(
            escape(each["name"]),
            f"[{style}]{result}{right}[/{style}]" + (" [dim]no model[/dim]" if each["noModel"] else ""),
            *(
                _cell(each[name])
                for name in ("rounds", "calls", "tokens", "price", "seconds", "editLines", "smallestLines")
            ),
        )
    console.print()
    console.print(table)
    sums = board["totals"]
    ratio = f", edits {sums['editRatio']} times the smallest known" if sums["editRatio"] is not None else ""
    how = f" ({sums['honestGreen']} of them honest, {sums['noModel']} without asking a model)" if sums["green"] else ""
    price = f", price {_cell(sums['price'])}" if sums["price"] is not None else ""
    console.print(
        f"\n[bold]{sums['asExpected']} of {sums['cases']} as expected[/bold]: {sums['green']} green{how}; "
        f"{sums['rounds']} rounds, {sums['calls']} calls, {sums['tokens']} tokens{price}, {sums['seconds']:.1f} s{ratio}.",
        highlight=False,
        soft_wrap=True,
    )
    for each in board["cases"]:
        if not each["asExpected"] and each["message"]:
            console.print(f"  {escape(each['name'])}: {escape(each['message'])}", highlight=False, soft_wrap=True)


def _print_comparison(compared: dict[str, Any], console: Console) -> None:
    names = [f"{side['model'] or 'no model'} ({side['engine']})" for side in (compared["before"], compared["after"])]
    table = Table(box=None, pad_edge=False)
    for title in ("", *names):
        table.add_column(escape(title), justify="right" if title else "left")
    for name, (before, after) in compared["totals"].items():
        table.add_row(name, _cell(before), _cell(after))
    console.print()
    console.print(table)
    for each in compared["cases"]:
        if each["change"] != "same":
            style = {"better": "green", "worse": "red"}.get(each["change"], "yellow")
            console.print(
                f"[{style}]{each['change']}[/{style}]  {escape(each['name'])}: {each['before']} → {each['after']}",
                highlight=False,
            )


def _cell(value: float | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.4g}" if value < 1 else f"{value:.1f}"
