"""`compile-loop fix`: run the loop, show the result, and write it if that is wanted."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shlex
import signal
import sys
from dataclasses import replace
from enum import Enum
from pathlib import Path
from textwrap import wrap

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from compile_loop.applying import apply_to_disk
from compile_loop.assemble import ConfigurationError, Job, carry_on, start, state_folder
from compile_loop.cli import exits, options, tasks
from compile_loop.cli.choosing import with_model
from compile_loop.cli.diff import coloured, unified_diff
from compile_loop.cli.job import make_job
from compile_loop.cli.progress import Progress
from compile_loop.cli.tasks import with_tasks
from compile_loop.contracts.counting import at_least, count, some, went
from compile_loop.contracts.events import RunFinished
from compile_loop.contracts.outcome import Ending, FailureKind, Outcome
from compile_loop.engine.handle import Run
from compile_loop.record.outcome_document import outcome_document
from compile_loop.settings import Settings
from compile_loop.shadow.apply import ApplyError
from compile_loop.tools.catalogue import ToolMode

NAME = "fix"
EXAMPLE = "Example: `compile-loop fix src/a.c --check 'make' --model openai:gpt-5 --apply`"


class Result(Enum):
    """What happens with the edit."""

    ASK = "ask"
    APPLY = "apply"
    DIFF = "diff"


def run(
    files: list[Path] = typer.Argument(None, help="Files that may be edited. None: whatever the check's errors name."),
    check: list[str] = typer.Option(
        [], help="Command that passes when the code is right, or `task: LABEL`. Give it again for more checks."
    ),
    answer: list[str] = typer.Option([], "--input", help=tasks.HELP),
    holdout: list[str] = typer.Option([], help="Hidden check: the model never sees it. Give it again for more."),
    spec: str = typer.Option("", help="What is wanted, in your words, beyond a passing check."),
    model: options.Model = "",
    base_url: options.BaseUrl = "",
    api_key_env: options.ApiKeyEnv = "",
    consult: options.Consult = "",
    consult_base_url: options.ConsultBaseUrl = "",
    max_rounds: options.MaxRounds = 5,
    deadline: float = typer.Option(900.0, min=1, help="Seconds for the whole run."),
    root: Path = typer.Option(None, exists=True, file_okay=False, help="The workspace. Default: the current folder."),
    suggestions: bool = typer.Option(True, help="Try the toolchain's own fixes first."),
    allow_new_files: bool = typer.Option(False, help="Let the edit create files."),
    encoding: str = typer.Option("", help="The files' encoding, where it is neither UTF-8 nor marked."),
    tool_mode: ToolMode = typer.Option(ToolMode.AUTO, help="Which channel the model has."),
    max_steps: int = typer.Option(40, min=1, help="How many replies with tool calls a round may take."),
    max_tokens: int = typer.Option(None, min=1, help="Most tokens of one reply. Default: the provider's own limit."),
    max_tokens_per_run: int = typer.Option(400_000, min=1, help="Tokens for the whole run."),
    max_cost: float = typer.Option(
        1.0, min=0.0001, help="Money for the whole run, in the account's currency, where the price is known."
    ),
    record: bool = typer.Option(True, help="Write the run down on this machine, without keys; see `runs`."),
    interactive: bool = typer.Option(
        False, "--interactive", help="After a run, go on with notes of yours until an empty one."
    ),
    apply: bool = typer.Option(False, "--apply", help="Write a green result without asking."),
    diff: bool = typer.Option(False, "--diff", help="Print the diff on standard output and write nothing."),
    as_json: bool = typer.Option(
        False, "--json", help="Print the outcome as one JSON document; writes nothing without --apply."
    ),
) -> None:
    """Fix files until their check passes.

    Works in an isolated copy; your files are written only after you agree. Exit code: 0 green or nothing to fix, 1 not
    green, 2 usage or configuration, 3 environment, 130 cancelled.
    """
    if apply and diff:
        raise typer.BadParameter("--apply and --diff exclude each other.")
    settings = Settings(
        model=model,
        base_url=base_url,
        api_key_env=api_key_env,
        consult_model=consult,
        consult_base_url=consult_base_url,
        tool_mode=tool_mode.value,
        max_steps=max_steps,
        max_tokens=max_tokens,
        max_tokens_per_run=max_tokens_per_run,
        max_cost=max_cost,
        max_rounds=max_rounds,
        deadline_seconds=deadline,
        suggestions=suggestions,
        allow_new_files=allow_new_files,
        record=record,
    )
    console = Console(stderr=diff or as_json)
    try:
        settings, why = with_model(settings, may_ask=not (diff or as_json))
        made = make_job(files or [], root, check, spec, settings, encoding)
        job = with_tasks(replace(made, holdouts=tuple(holdout), model_reason=why), answer)
        outcome = (
            converse(job, console)
            if interactive
            else asyncio.run(watch(start(job), console, recorded=job.settings.record))
        )
    except ConfigurationError as error:
        Console(stderr=True).print(f"[red]{escape(str(error))}[/red]", highlight=False, soft_wrap=True)
        raise typer.Exit(exits.USAGE) from error
    if not interactive:
        report(outcome, console)
    decision = Result.APPLY if apply else Result.DIFF if diff or as_json else Result.ASK
    applied, code = settle(outcome, job, decision, console, diff)
    if as_json:
        typer.echo(json.dumps(outcome_document(outcome, applied), indent=2, ensure_ascii=False))
    raise typer.Exit(code)


def converse(job: Job, console: Console) -> Outcome:
    """Run, show, and go on with a note in the same conversation, until an empty line (SPEC L19)."""
    active = start(job)
    outcome = asyncio.run(watch(active, console, recorded=job.settings.record))
    while True:
        report(outcome, console)
        for change in outcome.edit.files:
            console.print(coloured(unified_diff(change)), end="", soft_wrap=True)
        if outcome.failure is not None and outcome.failure.kind is FailureKind.CANCELLED:
            return outcome
        console.print("\n[bold]Note[/bold] (what else is wanted; empty: done): ", end="")
        note = sys.stdin.readline().strip()
        if not note:
            return outcome
        active = carry_on(replace(job, spec=note), active)
        outcome = asyncio.run(watch(active, console, recorded=job.settings.record))


async def watch(active: Run, console: Console, *, recorded: bool = True) -> Outcome:
    """Follow a run to its end, printing what happens; Ctrl+C cancels it."""
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        with contextlib.suppress(NotImplementedError, AttributeError):
            loop.add_signal_handler(getattr(signal, name), active.cancel)
    progress = Progress(console, recorded=recorded)
    outcome: Outcome | None = None
    try:
        async for event in active:
            progress.show(event)
            if isinstance(event, RunFinished):
                outcome = event.outcome
    finally:
        progress.close()
    assert outcome is not None  # the stream always ends with it
    return outcome


def report(outcome: Outcome, console: Console) -> None:
    """Say in a few lines how the run ended."""
    tally = outcome.tally
    rounds = f"{count(tally.rounds, 'round')} of a model" if tally.rounds else "no model asked"
    if outcome.ending is Ending.GREEN:
        console.print(
            f"\n[bold green]Green[/bold green]: {at_least(tally.errors_before)} → 0 errors, {rounds}.", highlight=False
        )
    elif outcome.ending is Ending.NOTHING_TO_FIX:
        console.print(f"\n[bold green]Nothing to fix[/bold green]: {_why_nothing(outcome)}.", highlight=False)
    elif outcome.failure is not None:
        console.print(
            f"\n[bold red]Not green[/bold red] ({outcome.failure.kind.value}): {escape(outcome.failure.message)}",
            highlight=False,
            soft_wrap=True,
        )
        if outcome.edit:
            console.print(
                f"Partial result: {went(tally.errors_before, tally.errors_after)}; --diff prints it as a patch.",
                highlight=False,
            )
    if tally.explanation and outcome.edit:
        for sentence in tally.explanation.splitlines():
            for number, line in enumerate(wrap(sentence, max(40, console.width - 4))):
                console.print(Text(f"    {line}" if number else f"  · {line}"), soft_wrap=True)
    if tally.remaining:
        console.print(
            f"{count(len(tally.remaining), 'earlier error')} in other files; the check still exits with {tally.exit_code}.",
            highlight=False,
        )
    for unrun in tally.unrun if outcome.ok else ():
        console.print(
            f"Not run: {escape(some(unrun.files, 3))}. To fix until that passes, too: "
            f"{escape(shlex.join(['--check', unrun.line]))}",
            highlight=False,
            soft_wrap=True,
        )
    for line in tally.suspect:
        console.print(f"[yellow]Please look: {escape(line)}[/yellow]", highlight=False, soft_wrap=True)
    for note in tally.suspicious:
        console.print(f"[yellow]Please confirm: the check is suspicious, {escape(note)}.[/yellow]", highlight=False)


def _why_nothing(outcome: Outcome) -> str:
    return "no error lies in these files" if outcome.tally.remaining else "the check passes as it is"


def settle(outcome: Outcome, job: Job, decision: Result, console: Console, to_stdout: bool) -> tuple[bool, int]:
    """Show the diff and write it if so decided; returns whether it was written, and the exit code."""
    code = exits.exit_code(outcome)
    if not outcome.edit:
        return False, code
    diffs = [unified_diff(change) for change in outcome.edit.files]
    if to_stdout:
        sys.stdout.write("".join(diffs))
        return False, code
    if decision is not Result.DIFF:
        console.print()
        for text in diffs:
            console.print(coloured(text), end="", soft_wrap=True)
    doubtful = outcome.tally.suspect or outcome.tally.suspicious
    if decision is Result.APPLY and doubtful:
        decision = Result.ASK  # what a person has to confirm is never written unasked (SPEC Q9)
    if decision is Result.ASK and outcome.ok and sys.stdin.isatty() and sys.stdout.isatty():
        decision = Result.APPLY if typer.confirm(f"\nWrite {_files(outcome)}?") else Result.DIFF
    if decision is not Result.APPLY or not outcome.ok:
        if decision is Result.ASK and outcome.ok:
            how = (
                "It is for you to confirm: run this in a terminal, which asks"
                if doubtful
                else "Add --apply to write the result"
            )
            console.print(f"\nNothing was written. {how}.", highlight=False)
        elif decision is not Result.DIFF:
            console.print("\nNothing was written.", highlight=False)
        return False, code
    try:
        moved = apply_to_disk(job, outcome, state_folder() / "journals")
    except ApplyError as error:
        console.print(f"[red]{escape(str(error))}[/red]", highlight=False, soft_wrap=True)
        return False, exits.NOT_GREEN
    console.print(f"\nWrote {_files(outcome)}.", highlight=False)
    if moved:
        console.print(
            f"{escape(', '.join(moved))} was changed meanwhile: the edit was laid over that, and the check passes with both.",
            highlight=False,
        )
    return True, code


def _files(outcome: Outcome) -> str:
    paths = outcome.edit.paths
    return ", ".join(paths) if len(paths) <= 3 else f"{len(paths)} files"
