"""Language servers that a user has, asked for fixes: real processes, that behave and that do not (SPEC D5)."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.loop.running import fix, workspace
from tests.support.sleepers import own_seconds, sleeping
from tests.support.tools import ROOT, need, search_path

from compile_loop.checks.process import Finished, run_process
from compile_loop.contracts.diagnostics import Diagnostic, Range, Suggestion
from compile_loop.contracts.events import SuggestionApplied
from compile_loop.contracts.outcome import Ending
from compile_loop.toolchains.answers import with_answer
from compile_loop.toolchains.language_server.quick_fixes import PROGRAM, quick_fixes
from compile_loop.toolchains.sources import FolderSources

pytestmark = pytest.mark.spec("D5")

SERVER = ROOT / "tests" / "support" / "language_server.py"
FINDING = Diagnostic("no valu", "a.go", Range.of(0, 8, 0, 12), source="go")


def asked(root: Path, behaviour: str, *, text: str = "var x = valu\n", seconds: float = 30) -> tuple[Suggestion, ...]:
    """What is offered for the finding; the program that asks is run as a run does."""
    (root / "a.go").write_bytes(text.encode())
    question = quick_fixes(
        (sys.executable, str(SERVER), behaviour), [FINDING], languages={".go": "go"}, seconds=seconds
    )
    done = subprocess.run(question.command, cwd=root, capture_output=True, text=True, timeout=100, check=False)
    assert "Traceback" not in done.stderr
    sources = FolderSources(root)
    (advised,) = with_answer([FINDING], question, done.stdout.splitlines(), root=str(root), sources=sources)
    return advised.suggestions


@pytest.mark.parametrize(
    "behaviour",
    [
        *("push", "pull", "late", "elsewhere", "silent", "resolve", "busy", "applies"),
        *("preferred", "silencing", "same twice"),
    ],
)
def test_quick_fix_is_taken_where_the_server_leaves_no_choice(behaviour: str, tmp_path: Path) -> None:
    safe = [one for one in asked(tmp_path, behaviour) if one.safe]
    assert {(edit.range, edit.new_text) for one in safe for edit in one.edits} == {(FINDING.range, "value")}
    assert {one.by for one in safe} == {Path(sys.executable).stem}


def test_choice_is_shown_and_not_taken(tmp_path: Path) -> None:
    assert [(one.message, one.safe) for one in asked(tmp_path, "choice")] == [("right", False), ("other", False)]


@pytest.mark.parametrize(
    "behaviour",
    [
        *("outside", "dots", "remote", "creates", "odd edit"),
        *("command", "bare command", "disabled", "refactoring"),
    ],
)
def test_what_is_no_edit_of_the_workspaces_files_is_not_offered(behaviour: str, tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    assert asked(root, behaviour) == ()
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["a.go"]


@pytest.mark.spec("E8")
@pytest.mark.parametrize("behaviour", ["binary", "half a pair", "turned about"])
def test_fix_that_would_make_a_file_unreadable_is_not_taken(behaviour: str, tmp_path: Path) -> None:
    assert [one.safe for one in asked(tmp_path, behaviour)] == [False]


@pytest.mark.parametrize(
    "behaviour",
    ["hangs", "dies", "flood", "garbage", "a list", "endless header", "huge", "no object", "deaf"],
)
def test_server_that_fails_offers_nothing(behaviour: str, tmp_path: Path) -> None:
    """Also one that never reads: the text does not fit into the pipe, and writing it must not wait for ever."""
    text = "var x = valu\n" + "// 0123456789\n" * 20_000
    assert asked(tmp_path, behaviour, text=text, seconds=1) == ()


def test_server_that_is_not_there_offers_nothing(tmp_path: Path) -> None:
    question = quick_fixes((str(tmp_path / "none"),), [FINDING], languages={})
    done = subprocess.run(question.command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 1
    assert "cannot be started" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.spec("K3")
@pytest.mark.parametrize("ended", ["by its own limit", "by a cancelled run"])
async def test_server_leaves_no_program_behind(ended: str, tmp_path: Path) -> None:
    """What the server itself started ends, too, whether the program that asks ends it or is ended."""
    mark = own_seconds()
    (tmp_path / "a.go").write_text("var x = valu\n")
    server = (sys.executable, str(SERVER), f"child {mark}")
    cancelled = ended == "by a cancelled run"
    question = quick_fixes(server, [FINDING], languages={}, seconds=90 if cancelled else 4)
    asking = asyncio.create_task(
        run_process(
            question.command,
            cwd=str(tmp_path),
            env={"PATH": search_path()},
            idle_timeout=100,
            total_timeout=100,
            on_lines=lambda lines: lines,
        )
    )
    while not sleeping(mark) and not asking.done():  # noqa: ASYNC110 - a program of another process tells no event
        await asyncio.sleep(0.05)
    if cancelled:
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    else:
        finished = await asking
        assert finished.exit_code == 1
        assert len(finished.stderr.splitlines()) == 1
    assert sleeping(mark) == []


def project(root: Path, behaviour: str) -> Path:
    """A project with a language server of its own."""
    need("ruff")
    root.mkdir()
    server = root / ".venv" / "bin" / "ty"
    server.parent.mkdir(parents=True)
    server.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{SERVER}" {behaviour}\n')
    server.chmod(0o755)
    return workspace(root, a_py="import os\n\nvalue = 1\nprint(valu)\n")


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The programs that were run to ask a language server, as they come."""
    noted: list[Sequence[str]] = []

    async def noting(argv: Sequence[str], **how: Any) -> Finished:
        if str(PROGRAM) in argv:
            noted.append(argv)
        return await run_process(argv, **how)

    monkeypatch.setattr("compile_loop.checks.advisers.run_process", noting)
    monkeypatch.setenv("PATH", search_path())
    return noted


CHECK = "ruff check --isolated --select F --output-format concise a.py"


async def test_run_is_green_by_a_server_of_the_project(tmp_path: Path, starts: list[Sequence[str]]) -> None:
    """The check prints no fix; the server in the project's environment has one, and the check says that it is right."""
    root = project(tmp_path / "w", "push")
    told = await fix(root, targets=["a.py"], checks=(CHECK,))
    outcome = told.outcome
    assert outcome.ending is Ending.GREEN, outcome.failure
    assert outcome.tally.spending.calls == 0
    assert outcome.edit.files[0].after == b"\nvalue = 1\nprint(value)\n"
    assert "right (ty)" in [event.message for event in told.of(SuggestionApplied)]
    assert len(starts) == 1


async def test_server_that_fails_is_asked_once_in_a_run(tmp_path: Path, starts: list[Sequence[str]]) -> None:
    """The linter's own fix leads to a second state in which tools are asked; the server is not started for it again."""
    root = project(tmp_path / "w", "dies")
    told = await fix(root, targets=["a.py"], checks=(CHECK,), settings={"max_rounds": 1})
    assert len(told.of(SuggestionApplied)) == 1
    assert len(starts) == 1


async def test_server_is_not_started_where_suggestions_are_off(tmp_path: Path, starts: list[Sequence[str]]) -> None:
    root = project(tmp_path / "w", "push")
    told = await fix(root, targets=["a.py"], checks=(CHECK,), settings={"suggestions": False, "max_rounds": 1})
    assert told.outcome.ending is Ending.FAILED
    assert starts == []
