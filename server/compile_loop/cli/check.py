"""`compile-loop check`: run the contract once and print what it says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape

from compile_loop.assemble import ConfigurationError, Job, run_contract_once
from compile_loop.cli import exits, tasks
from compile_loop.cli.job import make_job
from compile_loop.cli.json_output import check_document
from compile_loop.cli.tasks import with_tasks
from compile_loop.contracts.checks import ContractResult
from compile_loop.contracts.counting import MOST_ERRORS, count
from compile_loop.contracts.diagnostics import Diagnostic, Severity
from compile_loop.contracts.protocols import ShadowError
from compile_loop.settings import Settings
from compile_loop.toolchains.sarif import sarif_of

NAME = "check"
EXAMPLE = "Example: `compile-loop check --check 'cargo check'`"

_STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFORMATION: "blue", Severity.HINT: "dim"}


def run(
    files: list[Path] = typer.Argument(None, help="Files from which the check is found, when none is given."),
    check: list[str] = typer.Option([], help="Command to run, or `task: LABEL`. Give it again for more checks."),
    answer: list[str] = typer.Option([], "--input", help=tasks.HELP),
    root: Path = typer.Option(None, exists=True, file_okay=False, help="The workspace. Default: the current folder."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON document (schema compile-loop/check/1)."),
    as_sarif: bool = typer.Option(False, "--sarif", help="Print the diagnostics as a SARIF 2.1.0 log."),
) -> None:
    """Run the check in an isolated copy and print its diagnostics.

    Exit code: 0 passes, 1 fails, 2 usage or configuration, 3 environment, 130 cancelled.
    """
    try:
        missing = next((path for path in files or [] if not path.exists()), None)
        if missing is not None:
            raise ConfigurationError(f"{missing} does not exist.")
        job = with_tasks(make_job(files or [], root, check, "", Settings()), answer)
        result = asyncio.run(_until_cancelled(job))
    except asyncio.CancelledError as cancelled:
        Console(stderr=True).print("Cancelled. Your files are as they were.", highlight=False)
        raise typer.Exit(exits.CANCELLED) from cancelled
    except (ConfigurationError, ShadowError) as error:
        Console(stderr=True).print(f"[red]{escape(str(error))}[/red]", highlight=False, soft_wrap=True)
        raise typer.Exit(exits.USAGE if isinstance(error, ConfigurationError) else exits.ENVIRONMENT) from error
    if as_sarif:
        found = [diagnostic for one in result.results for diagnostic in one.diagnostics]
        typer.echo(json.dumps(sarif_of(found, job.root.resolve()), indent=2, ensure_ascii=False))
    elif as_json:
        typer.echo(json.dumps(check_document(result, job.root.resolve()), indent=2, ensure_ascii=False))
    else:
        _print(result, job)
    raise typer.Exit(exits.GREEN if result.ok else exits.ENVIRONMENT if result.environment else exits.NOT_GREEN)


async def _until_cancelled(job: Job) -> ContractResult:
    """The contract's result; a signal that asks to stop ends the check's processes and removes the copy first."""
    running = asyncio.ensure_future(run_contract_once(job))
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        with contextlib.suppress(NotImplementedError, AttributeError):
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), running.cancel)
    return await running


def _print(result: ContractResult, job: Job) -> None:
    console = Console()
    for check in result.results:
        for diagnostic in check.diagnostics:
            _print_diagnostic(diagnostic, console)
        if len(check.errors) >= MOST_ERRORS:
            left_out = "further ones of kinds that are above are left out"
            console.print(f"[yellow]{count(len(check.errors), 'error')}: {left_out}.[/yellow]", highlight=False)
        verdict = "[green]passes[/green]" if check.ok else f"[red]fails[/red], exit code {check.exit_code}"
        console.print(f"[bold]{escape(check.check)}[/bold]: {verdict}, {check.duration:.1f} s", highlight=False)
        for note in (check.environment, *check.suspicious):
            if note:
                console.print(f"[yellow]{escape(note)}[/yellow]", highlight=False, soft_wrap=True)


def _print_diagnostic(diagnostic: Diagnostic, console: Console) -> None:
    start = diagnostic.range.start
    place = f"{diagnostic.file}:{start.line + 1}:{start.character + 1}: " if diagnostic.file else ""
    code = f" \\[{escape(diagnostic.code)}]" if diagnostic.code else ""
    style = _STYLES[diagnostic.severity]
    console.print(
        f"{escape(place)}[{style}]{diagnostic.severity.value}[/{style}]: {escape(diagnostic.message)}{code}",
        highlight=False,
        soft_wrap=True,
    )
