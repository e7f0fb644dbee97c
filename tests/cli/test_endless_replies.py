"""A reply of more than 64 MiB is ended, and owed: a call, and tokens by our estimate (SPEC L5, M3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_commands import BROKEN, GCC, cli
from tests.loop.running import workspace
from tests.support.model_server import Answer, ModelServer, chunk


@pytest.mark.spec("L5", "M3")
def test_a_reply_beyond_the_limit_is_booked(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, a_c=BROKEN)
    piece = chunk({"reasoning_content": "hm " * 340_000})
    with ModelServer(Answer((piece,) * 70, then="hold_open")) as server:
        done = cli(root, "fix", "a.c", "--check", GCC, "--model", "openai:m", "--base-url", server.base_url, "--json")
        assert len(server.requests) == 1
    outcome = json.loads(done.stdout)
    assert done.returncode == 2 and "more than 64 MiB" in outcome["failure"]["message"], done.stderr
    spent = outcome["spending"]
    assert spent["calls"] == 1 and spent["completion_tokens"] > 10_000_000 and spent["estimated"] is True
