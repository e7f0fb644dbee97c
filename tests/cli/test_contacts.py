"""Whom the product itself contacts: the configured endpoint and nobody else, and without a model nobody (SPEC M8, Q26).

An audit hook in the real process notes every connection that is tried, every name that is looked up and every program
that is started, whatever library does it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.loop.running import block, workspace
from tests.support.model_server import ModelServer, fails, says

BROKEN = "int twice(int n) { return n * two; }\n"
GCC = "gcc -Wall -fsyntax-only a.c"
WATCHED = """
import json, sys
def note(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        place = args[1] if event == "socket.connect" or event == "socket.sendto" else args[:2]
        with open(NOTES, "a") as notes:
            notes.write(json.dumps([event, str(place)]) + "\\n")
sys.addaudithook(note)
from compile_loop.cli.main import main
main()
"""


def contacts(root: Path, *args: str) -> tuple[list[list[str]], subprocess.CompletedProcess[str]]:
    """What a run of the command line contacted."""
    notes = root.parent / "notes.jsonl"
    environ = {k: v for k, v in os.environ.items() if not k.endswith(("_KEY", "_MODEL")) and "proxy" not in k.lower()}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED.replace("NOTES", repr(str(notes))), *args],
        cwd=root,
        env={**environ, "XDG_STATE_HOME": str(root.parent / "state")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    lines = notes.read_text("utf-8").splitlines() if notes.exists() else []
    return [json.loads(line) for line in lines], done


@pytest.mark.spec("M8")
@pytest.mark.spec("Q26")
def test_only_the_configured_endpoint_is_contacted(tmp_path: Path) -> None:
    root = workspace(tmp_path / "ws", a_c=BROKEN)
    with ModelServer(fails(503, "busy"), says(block(BROKEN, BROKEN.replace("two", "2")))) as server:
        where = urlsplit(server.base_url)
        told, done = contacts(
            root, "fix", "a.c", "--check", GCC, "--model", "openai:m", "--base-url", server.base_url, "--apply"
        )
    assert done.returncode == 0, done.stdout + done.stderr
    connected = [place for event, place in told if event == "socket.connect"]
    assert set(connected) == {f"('127.0.0.1', {where.port})"}
    assert {event for event, _ in told} <= {"socket.connect", "socket.getaddrinfo"}
    assert all("127.0.0.1" in place for _, place in told)


@pytest.mark.spec("Q26")
@pytest.mark.parametrize("command", ["fix", "check"])
def test_without_a_model_nobody_is_contacted(command: str, tmp_path: Path) -> None:
    root = workspace(tmp_path / "ws", a_c=BROKEN)
    told, done = contacts(root, command, "a.c", "--check", GCC)
    assert done.returncode in (1, 2), done.stdout + done.stderr
    assert told == []
