"""`compile-loop doctor`: what was found on this machine, and what is missing."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import shutil
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import typer
from rich.markup import escape
from rich.table import Table

from compile_loop.assemble import state_folder, unasked
from compile_loop.cli.listing import listing_console
from compile_loop.mcp.entry import missing
from compile_loop.models.choice import advice
from compile_loop.models.find import find_keys, find_servers
from compile_loop.shadow.probe import explain
from compile_loop.toolchains.language_server.servers import server_program
from compile_loop.toolchains.manifest import installed
from compile_loop.toolchains.registry import known_tools, language_servers, way_to_get
from compile_loop.version import VERSION

NAME = "doctor"
EXAMPLE = "Example: `compile-loop doctor`"
LEAST_FREE = 1 << 20
"""Bytes that a state folder must have left."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked for. `found` is what it is and where, `advice` how to get it where it is missing."""

    part: str
    name: str
    ok: bool
    found: str
    advice: str = ""


def run(
    as_json: bool = typer.Option(False, "--json", help="Print one JSON document (schema compile-loop/doctor/1)."),
) -> None:
    """Say what was found: Python, toolchains, models, isolation; and what is missing.

    Exit code: 0 if a run is possible, 3 if not.
    """
    findings = [
        finding if not finding.ok else replace(finding, advice="")
        for finding in (*_python(), *_isolation(), *_state(), *_toolchains(), *_servers(), *_models(), *_extras())
    ]
    possible = all(f.ok for f in findings if f.part == "python") and all(
        any(f.ok for f in findings if f.part == part) for part in ("isolation", "toolchain")
    )
    if as_json:
        document = {"schema": "compile-loop/doctor/1", "possible": possible, "findings": [asdict(f) for f in findings]}
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        _print(findings, possible)
    raise typer.Exit(0 if possible else 3)


def _print(findings: list[Finding], possible: bool) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    for finding in findings:
        mark = "[green]found[/green]" if finding.ok else "[yellow]missing[/yellow]"
        table.add_row(finding.part, finding.name, mark, escape(finding.found if finding.ok else finding.advice))
    console = listing_console()
    console.print(table)
    console.print(
        "\nRuns are possible here." if possible else "\nA run is not possible yet: see what is missing above."
    )


def _python() -> list[Finding]:
    version = platform.python_version()
    return [
        Finding(
            "python",
            "Python",
            sys.version_info >= (3, 10),
            f"{version}, {sys.executable}",
            "Python 3.10 or newer is needed.",
        ),
        Finding("python", "compile-loop", True, f"{VERSION}, {Path(__file__).parents[1]}"),
    ]


def _isolation() -> list[Finding]:
    """Every way of keeping edits from the files of the current folder; one that works is enough."""
    return [Finding("isolation", name, ok, reason, reason) for name, ok, reason in explain(Path.cwd())]


def _state() -> list[Finding]:
    """The folder without which runs are not recorded, and results are shown but not written."""
    folder = state_folder()
    place = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    free = shutil.disk_usage(place).free if place.exists() else 0
    ok = os.access(place, os.W_OK) and free > LEAST_FREE
    advice = (
        f"{folder} cannot be written to, or its disk is full: runs are not recorded, and `fix` cannot write its result. "
        "Make room, make it writable, or set XDG_STATE_HOME."
    )
    return [Finding("state", "records, originals", ok, str(folder), advice)]


def _toolchains() -> list[Finding]:
    findings = []
    for tool, programs, how in known_tools():
        place = next((found for program in programs if (found := installed(program, Path.cwd()))), None)
        findings.append(Finding("toolchain", tool, place is not None, place or "", how))
    return findings


def _servers() -> list[Finding]:
    """The language servers that a run asks for fixes: of those for one language the first that is here."""
    findings = []
    for servers in language_servers():
        names = [server.command[0] for server in servers]
        found = next(((name, place) for name in names if (place := server_program(name, Path.cwd()))), None)
        name, place = found or (names[0], "")
        findings.append(Finding("language server", name, found is not None, place, way_to_get(servers[0].package)))
    return findings


def _extras() -> list[Finding]:
    """What is only needed where it is asked for."""
    return [Finding("extra", "mcp", missing() is None, "`compile-loop mcp` can serve other agents", missing() or "")]


def _models() -> list[Finding]:
    """The model that `fix` asks unasked, the keys by name, and the servers of this machine that answer."""
    choice = unasked()
    asked = f"{choice.model}: {choice.why}" if choice else ""
    return [
        Finding("model", "fix asks", choice is not None, asked, advice(os.environ)),
        *(Finding("model", key.provider, True, f"{key.variable} is set") for key in find_keys(os.environ)),
        *(
            Finding("model", server.name, True, f"{len(server.models)} models at {server.base_url}")
            for server in asyncio.run(find_servers())
        ),
    ]
