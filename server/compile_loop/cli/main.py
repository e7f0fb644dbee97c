"""`compile-loop`: the entry point and its commands, one file each."""

from __future__ import annotations

import sys

import typer

from compile_loop.cli import (
    check,
    demo,
    diagnose,
    doctor,
    edit,
    evaluate,
    fix,
    mcp,
    models,
    replay,
    resume,
    runs,
    serve,
    show,
)
from compile_loop.version import VERSION

app = typer.Typer(
    name="compile-loop",
    help="Fix code until its check passes.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for command in (fix, check, edit, diagnose, models, runs, show, replay, resume, evaluate, doctor, serve, mcp, demo):
    app.command(name=command.NAME, epilog=command.EXAMPLE)(command.run)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"compile-loop {VERSION}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


def main() -> None:
    """Run the command line; the exit code says how it went."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app()
