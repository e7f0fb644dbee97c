"""`compile-loop diagnose`: a tool's raw output on standard input → diagnostics as JSON lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import typer

from compile_loop.cli.json_output import lsp_diagnostic
from compile_loop.toolchains.reading import parse
from compile_loop.toolchains.sources import FolderSources

NAME = "diagnose"
EXAMPLE = "Example: `make 2>&1 | compile-loop diagnose`"


def run(
    tool: str = typer.Option("", help="The tool's name or command line, where the output alone does not tell."),
    cwd: Path = typer.Option(Path(), exists=True, file_okay=False, help="The folder in which the tool ran."),
    root: Path = typer.Option(None, exists=True, file_okay=False, help="The workspace. Default: that folder."),
    exit_code: int = typer.Option(0, help="The exit code that the tool ended with."),
) -> None:
    """Read a tool's output and print its diagnostics, one Language Server Protocol diagnostic a line.

    Each line also has `uri` and `file`. Exit code: 0, also when there are none.
    """
    folder = cwd.resolve()
    workspace = (root or cwd).resolve()
    found = parse(
        sys.stdin.buffer.read(),
        root=str(workspace),
        cwd=str(folder),
        sources=FolderSources(workspace),
        hint=tool or None,
        exit_code=exit_code,
    )
    for diagnostic in found:
        typer.echo(json.dumps(lsp_diagnostic(diagnostic, workspace), ensure_ascii=False))
