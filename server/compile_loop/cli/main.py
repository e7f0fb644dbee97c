"""`compile-loop`: the entry point and its commands, one file each."""

from __future__ import annotations

import sys

import typer

from compile_loop.assemble import state_folder
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
    _put_back()


def _put_back() -> None:
    """Whatever is asked: first put back what a process that was killed left half written (SPEC W4)."""
    journals = state_folder() / "journals"
    if journals.is_dir() and any(journals.iterdir()):
        from compile_loop.shadow.journal import recover

        for path in recover(journals):
            typer.echo(f"{path} is as it was before a run that was killed.", err=True)


def main() -> None:
    """Run the command line; the exit code says how it went."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app()
