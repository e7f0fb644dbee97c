"""`compile-loop mcp`: the loop as a tool for other agents, on standard input and output."""

from __future__ import annotations

from pathlib import Path

import typer

from compile_loop.cli import exits, options
from compile_loop.cli.choosing import with_model
from compile_loop.mcp.entry import MissingExtraError, serve
from compile_loop.mcp.options import Options
from compile_loop.settings import Settings

NAME = "mcp"
EXAMPLE = "Example: `compile-loop mcp --root . --model openai:gpt-5`, as the command of an MCP client."


def run(
    root: Path = typer.Option(
        None,
        exists=True,
        file_okay=False,
        help="The only folder to work in. Default: the client's roots, else the current.",
    ),
    check: list[str] = typer.Option(
        [], help="Command that decides. With it, callers can name no command of their own. Give it again for more."
    ),
    caller_checks: bool = typer.Option(
        True, help="Let callers name the command. Without: the given ones, else the one that is found in the project."
    ),
    model: options.Model = "",
    base_url: options.BaseUrl = "",
    api_key_env: options.ApiKeyEnv = "",
    consult: options.Consult = "",
    consult_base_url: options.ConsultBaseUrl = "",
    max_rounds: options.MaxRounds = 5,
    deadline: float = typer.Option(900.0, min=1, help="Seconds for a whole run."),
    allow_new_files: bool = typer.Option(False, help="Let the edit create files."),
    record: bool = typer.Option(True, help="Write each run down on this machine, without keys; see `runs`."),
) -> None:
    """Offer the tool `fix_until_it_compiles` to any client of the Model Context Protocol.

    Exit code: 0 once the client is gone, 2 where the extra `mcp` is not installed.
    """
    settings = Settings(
        model=model,
        base_url=base_url,
        api_key_env=api_key_env,
        consult_model=consult,
        consult_base_url=consult_base_url,
        max_rounds=max_rounds,
        deadline_seconds=deadline,
        allow_new_files=allow_new_files,
        record=record,
    )
    settings, why = with_model(settings, may_ask=False)
    try:
        serve(Options(settings, root.absolute() if root else None, tuple(check), why, caller_checks))
    except MissingExtraError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(exits.USAGE) from error
