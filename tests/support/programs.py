"""The red programs in `tests/data/programs`: their sources, recorded outputs and expected diagnostics."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.tools import CACHE, search_path

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Range
from compile_loop.toolchains.reading import parse
from compile_loop.toolchains.sources import FolderSources

DATA = Path(__file__).parent.parent / "data" / "programs"
ABOUT = frozenset(
    {
        "cmd.txt",
        "cmd_json.txt",
        "output.txt",
        "output_json.txt",
        "expected.json",
        "expected_json.json",
        "meta.json",
        "fixed",
    }
)
NEEDS = {"py": "python3", "python": "python3"}
"""The program to look for, where it is not called as the tool is."""
UNATTENDED = {
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "CARGO_TERM_COLOR": "never",
    "TERM": "dumb",
    "RUST_BACKTRACE": "1",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}


@dataclass(frozen=True)
class Program:
    """One folder of the data."""

    name: str

    @property
    def folder(self) -> Path:
        return DATA / self.name

    @property
    def meta(self) -> dict[str, Any]:
        return json.loads((self.folder / "meta.json").read_text())

    def modes(self) -> list[str]:
        """The endings of the modes that were recorded: plain, and machine-readable."""
        return [mode for mode in ("", "_json") if (self.folder / f"output{mode}.txt").exists()]

    def command(self, mode: str = "") -> str:
        return (self.folder / f"cmd{mode}.txt").read_text().strip()

    def output(self, root: Path, mode: str = "") -> bytes:
        """What was printed, as if it had been printed in `root`."""
        data = (self.folder / f"output{mode}.txt").read_bytes()
        return data.replace(f"/ws/{self.name}".encode(), str(root).encode())

    def expected(self, mode: str = "") -> list[dict[str, Any]]:
        path = self.folder / f"expected{mode}.json"
        return json.loads((path if path.exists() else self.folder / "expected.json").read_text())

    def sources(self) -> list[str]:
        """The files that the expected diagnostics name, else all of its sources."""
        named = {entry["file"] for entry in self.expected() if entry["file"]}
        return sorted(named or set(self.meta["files"]))

    def copy(self, to: Path, *, fixed: bool = False) -> Path:
        """The sources alone, or those of the green twin."""
        if fixed:
            shutil.copytree(self.folder / "fixed", to)
        else:
            shutil.copytree(
                self.folder, to, ignore=lambda at, names: ABOUT & set(names) if Path(at) == self.folder else []
            )
        if self.meta["tool"] in {"eslint", "tsc"}:  # a user's project has its own
            (to / "node_modules").symlink_to(CACHE / "node_modules")
        return to


def detectable(program: Program) -> bool:
    """Whether the check that is found for its files shows the program's faults.

    What shows only when something is linked, run or tested is not what a check of a file finds; gcc goes before clang;
    ruff and mypy are asked only where the project sets them up.
    """
    elsewhere = {"gcc_linker_undefined", "cargo_test_panic", "py_traceback_chain", "go_test_fail", "node_runtime_stack"}
    return program.name not in elsewhere and program.meta["tool"] not in {"clang", "ruff", "mypy"}


PROGRAMS = [Program(path.name) for path in sorted(DATA.iterdir()) if (path / "meta.json").exists()]


def read(output: bytes, root: Path, hint: str, exit_code: int = 1) -> list[Diagnostic]:
    return parse(output, root=str(root), cwd=str(root), sources=FolderSources(root), hint=hint, exit_code=exit_code)


def range_of(found: Mapping[str, Any] | None) -> Range:
    if found is None:
        return NOWHERE
    start, end = found["start"], found["end"]
    return Range.of(start["line"], start["character"], end["line"], end["character"])


def plain_quotes(text: str) -> str:
    return text.replace("‘", "'").replace("’", "'")


def missing(found: Iterable[Diagnostic], expected: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is expected and was not found, each with the nearest that was."""
    rest, lost = list(found), []
    for entry in expected:
        match = next((diagnostic for diagnostic in rest if _is(diagnostic, entry)), None)
        if match is None:
            lost.append(f"{json.dumps(entry, ensure_ascii=False)}\n  not in {rest}")
        else:
            rest.remove(match)
    return lost


def _is(diagnostic: Diagnostic, entry: Mapping[str, Any]) -> bool:
    places = {(related.file, related.range.start.line) for related in diagnostic.related}
    return (
        diagnostic.file == entry["file"]
        and diagnostic.range == range_of(entry["range"])
        and diagnostic.severity.value == entry["severity"]
        and diagnostic.code in {entry["code"], *entry.get("other_codes", ())}
        and plain_quotes(entry["message_contains"]) in plain_quotes(diagnostic.message)
        and places >= {(related["file"], related["line"]) for related in entry["related"]}
    )


def run(command: str | Sequence[str], cwd: Path, env: Mapping[str, str] | None = None) -> tuple[int, bytes]:
    """Run a command to its end: exit code, and both streams as they came."""
    done = subprocess.run(
        command,
        check=False,
        shell=isinstance(command, str),
        cwd=cwd,
        env={**os.environ, **UNATTENDED, **(env or {}), "PATH": search_path()},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=100,
    )
    return done.returncode, done.stdout
