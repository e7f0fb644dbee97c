"""`compile-loop demo`: the whole loop on a bundled broken program, with no key and no network."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape

from compile_loop.assemble import ConfigurationError, Job, start
from compile_loop.cli import exits, options
from compile_loop.cli.fix import Result, report, settle, watch
from compile_loop.contracts.outcome import Outcome
from compile_loop.demo.program import CHECK, copy_to
from compile_loop.demo.server import RecordedServer
from compile_loop.settings import Settings

NAME = "demo"
EXAMPLE = "Example: `compile-loop demo`, or with a model of yours: `compile-loop demo --model openai:NAME`"


def run(
    model: str = typer.Option(
        "", envvar="COMPILE_LOOP_MODEL", help="PROVIDER:NAME of a live model instead of the recorded replies."
    ),
    base_url: options.BaseUrl = "",
    keep: bool = typer.Option(False, help="Keep the folder with the program."),
) -> None:
    """Fix a bundled broken program of several files.

    First what the compiler itself suggests, then a model. Without `--model` its replies are recorded ones, served over
    HTTP on this machine; everything else is real: the compiler, the isolated copy, the edits. Exit code: as `fix`.
    """
    console = Console()
    missing = [program for program in ("make", "cc") if shutil.which(program) is None]
    if missing:
        console.print(
            f"[red]The demo builds a C program and needs {' and '.join(missing)}.[/red] Install a C compiler and make "
            "(Debian and Ubuntu: apt-get install gcc make; macOS: xcode-select --install), then run it again.",
            highlight=False,
        )
        raise typer.Exit(exits.ENVIRONMENT)
    folder = Path(tempfile.mkdtemp(prefix="broken-program-"))
    try:
        copy_to(folder)
        console.print(
            f"A broken C program of several files lies in {folder}; its check is `{CHECK}`.",
            highlight=False,
            soft_wrap=True,
        )
        if model:
            console.print(f"Live model: [bold]{escape(model)}[/bold]\n", highlight=False)
        else:
            console.print(
                "[bold]Recorded replies, no live model[/bold]: a small server on this machine plays back what was recorded "
                "for this demo, over the same HTTP as a live model. Use --model PROVIDER:NAME for a live one.\n",
                highlight=False,
                soft_wrap=True,
            )
        job, outcome = asyncio.run(_fix(folder, model, base_url, console))
        report(outcome, console)
        _, code = settle(outcome, job, Result.APPLY, console, to_stdout=False)
        after = "stays" if keep else "is removed again; --keep keeps it"
        console.print(f"The demo is over: {folder} {after}.", highlight=False, soft_wrap=True)
    except ConfigurationError as error:
        console.print(f"[red]{escape(str(error))}[/red]", highlight=False, soft_wrap=True)
        code = exits.USAGE
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    raise typer.Exit(code)


async def _fix(folder: Path, model: str, base_url: str, console: Console) -> tuple[Job, Outcome]:
    async with _endpoint(model, base_url) as (name, address):
        settings = Settings(model=name, base_url=address)
        job = Job(root=folder, targets=(), settings=settings, scope="workspace", checks=(CHECK,))
        return job, await watch(start(job), console)


@contextlib.asynccontextmanager
async def _endpoint(model: str, base_url: str) -> AsyncIterator[tuple[str, str]]:
    if model:
        yield model, base_url
        return
    async with RecordedServer() as server:
        yield "openai:recorded", server.base_url
