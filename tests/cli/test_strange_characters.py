"""Neither a model's edit nor a tool's fix makes a text binary (SPEC D5, E7, E8)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_commands import BROKEN, GCC, SEMICOLON, cli
from tests.loop.running import block, workspace
from tests.support.model_server import ModelServer, says

GOOD = BROKEN.replace("n * 2", "n * 2;")


@pytest.mark.spec("E7", "E8")
def test_a_models_edit_with_a_nul_is_refused_and_it_is_told(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, a_c=BROKEN)
    binary = block("    int r = n * 2\n", "    int r = n * 2; /* \0 */\n")
    with ModelServer(says(binary), says(SEMICOLON)) as server:
        done = cli(
            root,
            "fix",
            "a.c",
            "--check",
            GCC,
            "--model",
            "openai:m",
            "--base-url",
            server.base_url,
            "--apply",
            "--json",
        )
        told = server.requests[1].json["messages"][-1]["content"]
    assert "it would put the character U+0000 into a.c" in told
    assert json.loads(done.stdout)["ending"] == "green", done.stdout + done.stderr
    assert (root / "a.c").read_text() == GOOD


@pytest.mark.spec("D5", "E8")
def test_a_tools_fix_with_a_nul_is_not_taken(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, a_c=BROKEN)
    # Any NUL would do for this check, which stands for a tool that is wrong or hostile.
    fix = 'a.c:3:17: error: expected a NUL\nfix-it:"a.c":{3:18-3:18}:"; /* \\000 */"\n'
    (root / "said.txt").write_text(fix)
    check = "grep -qa 'n [*] 2;' a.c || { cat said.txt >&2; exit 1; }"
    with ModelServer(says(SEMICOLON)) as server:
        done = cli(
            root,
            "fix",
            "a.c",
            "--check",
            check,
            "--model",
            "openai:m",
            "--base-url",
            server.base_url,
            "--apply",
            "--json",
        )
        assert len(server.requests) == 1, "the fix was taken"
    assert json.loads(done.stdout)["ending"] == "green", done.stdout + done.stderr
    assert (root / "a.c").read_text() == GOOD
