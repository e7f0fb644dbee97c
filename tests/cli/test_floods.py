"""A flood of errors is cut, and never told as if that were all of it (SPEC D6, Q1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_commands import cli
from tests.loop.running import block, workspace
from tests.support.model_server import ModelServer, says

FLOOD = "seq 1 2500 | sed 's/.*/b.c:&:1: error: ‘v&’ undeclared/'; exit 1"
"""What a compiler without a limit of its own prints."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "300")
    folder = tmp_path / "ws"
    folder.mkdir()
    return workspace(folder, a_c="one\n", b_c="x\n" * 2500, run_sh=f"grep -q two a.c || {{ {FLOOD}; }}\n")


@pytest.mark.spec("D6")
def test_every_command_says_at_least(root: Path) -> None:
    with ModelServer(says("I do not know.")) as server:
        line = ("--check", "sh run.sh", "--model", "openai:m", "--base-url", server.base_url, "--max-rounds", "1")
        red = cli(root, "fix", "b.c", *line)
    assert "at least 1000 errors" in red.stderr + red.stdout and "… and at least 9" in red.stderr + red.stdout
    with ModelServer(says("<<< path=a.c >>>\n" + block("one\n", "two\n"))) as server:
        line = ("--check", "sh run.sh", "--model", "openai:m", "--base-url", server.base_url)
        green = cli(root, "fix", "a.c", "b.c", *line, "--json")
        assert "at least 9" in server.requests[0].body.decode(), "the model is told so, too"
    assert json.loads(green.stdout)["errorsBefore"] == 1000 and "at least 1000 → 0 errors" in green.stderr, green.stderr
    assert "at least 1000 → 0" in cli(root, "runs").stdout
    assert "→ 0 errors" in cli(root, "show", "last").stdout
    checked = cli(root, "check", "b.c", "--check", "sh run.sh").stdout
    assert "at least 1000 errors: further ones of kinds that are above are left out." in checked


@pytest.mark.spec("D6", "Q1")
def test_a_new_error_behind_a_flood_elsewhere_is_not_green(root: Path) -> None:
    """It is of a kind that the flood has, but in a file that it has not."""
    (root / "run.sh").write_text(f"f() {{ {FLOOD.replace('; exit 1', '')}; }}; f\n. ./more.sh\nexit 1\n")
    (root / "more.sh").write_text("grep -n three a.c | sed 's/:.*/:1: error: ‘w’ undeclared/; s/^/a.c:/'\n")
    with ModelServer(says(block("one\n", "three\n"))) as server:
        line = ("--check", "sh run.sh", "--model", "openai:m", "--base-url", server.base_url, "--max-rounds", "1")
        done = cli(root, "fix", "a.c", "--spec", "Write another number.", *line, "--json")
    outcome = json.loads(done.stdout)
    assert outcome["ending"] == "failed" and outcome["failure"]["kind"] == "max_rounds", done.stderr
