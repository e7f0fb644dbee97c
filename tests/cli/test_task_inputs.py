"""What a task of tasks.json asks, on the command line: options, a person at a terminal, or a sentence (SPEC D1, P3)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.test_commands import cli
from tests.loop.running import workspace

pytestmark = pytest.mark.spec("D1")
INPUTS = [
    {"id": "std", "type": "pickString", "description": "Which C?", "options": ["c99", "c17"], "default": "c17"},
    {"id": "word", "type": "promptString", "description": "Pass phrase", "password": True},
]
TASK = {
    "label": "compile",
    "command": "test ${input:word} = hunter22 && gcc -fsyntax-only -std=${input:std} a.c",
    "group": "build",
    "problemMatcher": "$of-an-extension",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = workspace(tmp_path / "ws", a_c="int one(void) { return 1 }\n")
    (folder / ".vscode").mkdir()
    (folder / ".vscode" / "tasks.json").write_text(json.dumps({"tasks": [TASK], "inputs": INPUTS}))
    return folder


def test_answers_are_given_by_options(root: Path) -> None:
    done = cli(root, "check", "--json", "--input", "std=c99", "--input", "word=hunter22")
    (check,) = json.loads(done.stdout)["checks"]
    assert (check["name"], done.returncode) == ("compile", 1)
    assert [each["message"] for each in check["diagnostics"]] == ["expected ‘;’ before ‘}’ token"]
    named = cli(root, "check", "--check", "task: compile", "--input", "std=c99", "--input", "word=hunter22")
    assert "a.c:1:25: error" in named.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            [],
            "The task “compile” asks for ${input:word} (Pass phrase). Answer with --input word=VALUE, or give another",
        ),
        (["--input", "word=x", "--input", "std=c11"], "'c11' is no answer to ${input:std}. It can be 'c99', 'c17'."),
        (["--input", "word"], "--input word names no value. Write it as ID=VALUE."),
        (["--input", "std=c99", "--input", "nope=1"], "No check of this run asks for nope (--input)."),
        (["--check", "task: gone"], "There is no task “gone” in .vscode/tasks.json."),
        (["--check", "true", "--input", "std=c99"], "No check of this run asks for std (--input)."),
    ],
)
def test_what_is_not_answered_is_said_with_the_option(options: list[str], words: str, root: Path) -> None:
    for command in ("check", "fix"):
        done = cli(root, command, "a.c", *options)
        assert (done.returncode, words in done.stderr) == (2, True), done.stderr


@pytest.mark.spec("Z1")
def test_a_run_with_a_password_is_recorded_without_it(root: Path, tmp_path: Path) -> None:
    given = ["--input", "std=c99", "--input", "word=hunter22"]
    done = cli(root, "fix", "a.c", "--model", "none", "--apply", *given)
    assert done.returncode == 0, done.stderr
    assert "return 1; }" in (root / "a.c").read_text()
    assert "test ${input:word} = hunter22" in done.stdout and "-std=c99" in done.stdout
    kept = [path.read_text("utf-8", "replace") for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert any("-std=c99" in text for text in kept)
    leaks = [text for text in kept if "test hunter22" in text]
    assert not leaks and "test hunter22" not in done.stdout
    runs = json.loads(cli(root, "runs", "--json").stdout)["runs"]
    again = cli(root, "replay", runs[0]["id"])
    assert again.returncode == 2 and "was given a password, which no record keeps" in again.stderr
    checked = cli(root, "replay", runs[0]["id"], "--original-files", "--check", "gcc -fsyntax-only a.c")
    assert "password" not in checked.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_person_at_the_terminal_is_asked(root: Path) -> None:
    shown = at_terminal(
        root, ("word: ", "hunter22\n"), ("std [2]: ", "\n")
    )  # getpass writes the space, once it drops nothing any more
    assert "asks: Pass phrase" in shown and "asks: Which C?" in shown and "  1  c99" in shown
    assert "a.c:1:25: " in shown and "hunter22" not in shown


OWNED = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
"""Makes the terminal the process's own, so that a hidden prompt finds it, and goes on as the command."""


def at_terminal(folder: Path, *answers: tuple[str, str]) -> str:
    """What a terminal shows of `check`; each answer is typed once its prompt is there."""
    ours, theirs = os.openpty()
    words = [sys.executable, "-c", OWNED, sys.executable, "-m", "compile_loop", "check"]
    child = subprocess.Popen(words, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    shown, waiting = "", list(answers)
    while piece := read(ours):
        shown += piece
        if waiting and waiting[0][0] in shown:
            os.write(ours, waiting.pop(0)[1].encode())
    assert child.wait(60) == 1
    os.close(ours)
    return shown


def read(terminal: int) -> str:
    """What came next; empty at the end."""
    try:
        return os.read(terminal, 4096).decode("utf-8", "replace")
    except OSError:  # how Linux says that the other end is closed
        return ""
