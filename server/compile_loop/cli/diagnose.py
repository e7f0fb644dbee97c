"""`compile-loop diagnose`: a tool's raw output on standard input → diagnostics as JSON lines or SARIF."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import typer

from compile_loop.checks.lines import LineSplitter
from compile_loop.cli.json_output import lsp_diagnostic
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.toolchains.matchers import Matcher, MatcherError, matchers_of, plainly
from compile_loop.toolchains.reading import OutputReader
from compile_loop.toolchains.sarif import sarif_of
from compile_loop.toolchains.sources import FolderSources
from compile_loop.toolchains.variables import Variables

NAME = "diagnose"
EXAMPLE = "Example: `make 2>&1 | compile-loop diagnose`"


def run(
    tool: str = typer.Option("", help="The tool's name or command line, where the output alone does not tell."),
    cwd: Path = typer.Option(Path(), exists=True, file_okay=False, help="The folder in which the tool ran."),
    root: Path = typer.Option(None, exists=True, file_okay=False, help="The workspace. Default: that folder."),
    exit_code: int = typer.Option(
        0, help="The exit code that the tool ended with: output without a readable error then counts as one."
    ),
    matcher: list[str] = typer.Option(
        [], help="A problem matcher of VS Code for lines that are not known: its name ($gcc), or the object as JSON."
    ),
    as_sarif: bool = typer.Option(False, "--sarif", help="Print a SARIF 2.1.0 log instead."),
) -> None:
    """Read a tool's output and print its diagnostics as they come, one Language Server Protocol diagnostic a line.

    Each line also has `uri` and `file`. Exit code: 0, also when there are none; 2 for a matcher that cannot be used.
    """
    workspace = (root or cwd).resolve()
    try:
        matchers = _matchers(matcher, workspace)
    except (MatcherError, ValueError) as error:
        raise typer.BadParameter(str(error), param_hint="--matcher") from error
    reader = OutputReader(
        root=str(workspace),
        cwd=str(cwd.resolve()),
        sources=FolderSources(workspace),
        hint=tool or None,
        matchers=matchers,
    )
    found = _read(reader, exit_code)
    if as_sarif:
        typer.echo(json.dumps(sarif_of(found, workspace), indent=2, ensure_ascii=False))
        return
    for diagnostic in found:
        typer.echo(json.dumps(lsp_diagnostic(diagnostic, workspace), ensure_ascii=False))
        sys.stdout.flush()


def _read(reader: OutputReader, exit_code: int) -> Iterator[Diagnostic]:
    splitter = LineSplitter()

    def fed(lines: Iterable[str]) -> Iterator[Diagnostic]:
        for line in lines:
            yield from reader.feed(line.removesuffix("\r"))

    while data := os.read(sys.stdin.fileno(), 1 << 16):
        yield from fed(splitter.feed(data))
    yield from fed(splitter.close())
    yield from reader.close(exit_code)


def _matchers(declared: list[str], workspace: Path) -> list[Matcher]:
    variables = Variables(workspace.as_posix())
    values = [json.loads(one) if one.lstrip().startswith(("{", "[")) else one for one in declared]
    return matchers_of(plainly(values, variables.resolve))
