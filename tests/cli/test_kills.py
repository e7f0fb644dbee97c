"""kill −9 at any moment of a run or of its applying (SPEC W4).

A quick sample here; `npm run test:kills` for the whole.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.loop.running import snapshot, workspace
from tests.support.killing import BROKEN, CHECK, FIRST, KILLS, OTHER, SECOND, left_behind

from compile_loop.again.resume import resume
from compile_loop.assemble import clear_up
from compile_loop.cli.records import store
from compile_loop.contracts.events import RunFinished
from compile_loop.contracts.outcome import Ending
from compile_loop.record.store import Record

TRIES = KILLS or 8
VICTIM = """
import os, signal, sys, threading
from compile_loop.contracts import events
from compile_loop.engine.handle import Run
from compile_loop.shadow import journal

at, later, reached = int(sys.argv[1]), float(sys.argv[2]), 0

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def point():
    global reached
    reached += 1
    if reached == at:
        timer = threading.Timer(later, kill)
        timer.daemon = True
        timer.start() if later else kill()

def counted(function):
    def call(*arguments, **named):
        point()
        return function(*arguments, **named)
    return call

Run._tell = counted(Run._tell)
for name in ("_write", "replace_file", "_mark"):
    setattr(journal, name, counted(getattr(journal, name)))
sys.argv[1:] = sys.argv[3:]
from compile_loop.cli.main import main
try:
    main()
finally:
    print("points", reached, flush=True)
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    return workspace(tmp_path / "ws", a_c=BROKEN, b_c=OTHER)


def victim(root: Path, at: int, later: float) -> subprocess.Popen[str]:
    replies = root.parent / "replies.json"
    if not replies.exists():
        replies.write_text(json.dumps([FIRST, SECOND, SECOND]))
    options = ["fix", "a.c", "b.c", "--check", CHECK, "--no-suggestions", "--model", f"scripted:{replies}", "--apply"]
    command = [sys.executable, "-c", VICTIM, str(at), str(later), *options]
    return subprocess.Popen(command, cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


async def go_on(record: Record) -> Ending:
    made, _ = resume(record)
    last = [event async for event in made][-1]
    assert isinstance(last, RunFinished)
    return last.outcome.ending


@pytest.mark.spec("W4")
@pytest.mark.timeout(60 + 10 * TRIES)
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_killed_at_any_moment(root: Path) -> None:
    before = snapshot(root)
    whole = victim(root, -1, 0)
    said, _ = whole.communicate()
    assert whole.returncode == 0, said
    points = int(said.split()[-1])
    after = snapshot(root)
    assert after != before and points > 40 and left_behind(root.parent / "scratch", whole.pid) == []
    chance, figures = random.Random(TRIES), Counter[str]()
    for _ in range(TRIES):
        for name, data in before.items():
            (root / name).write_bytes(data)
        shutil.rmtree(root.parent / "state", ignore_errors=True)  # killed before it was made
        killed = victim(root, chance.randint(1, points), chance.choice([0, chance.uniform(0, 0.2)]))
        killed.communicate()
        figures["killed" if killed.returncode == -signal.SIGKILL else "ended before it"] += 1
        torn = snapshot(root)
        clear_up()
        until = time.monotonic() + 20
        while left_behind(root.parent / "scratch", killed.pid) and time.monotonic() < until:
            time.sleep(0.05)
        assert left_behind(root.parent / "scratch", killed.pid) == []
        now = snapshot(root)
        assert now in (before, after), "a file is neither as it was nor as it was to be"
        figures["put back" if torn != now else "applied whole" if now == after else "untouched"] += 1
        assert list((root.parent / "state/compile-loop/journals").glob("*")) == []
        records = store().all()
        if not records:
            figures["nothing recorded yet"] += 1
        elif not records[0].resumable:
            figures["was over"] += 1
        elif chance.random() < 0.5:
            assert asyncio.run(go_on(records[0])) is Ending.GREEN
            assert snapshot(root) == now
            figures["resumed"] += 1
        else:
            store().delete(records[0])
            assert store().all() == []
            figures["dropped"] += 1
    print(f"\n{TRIES} kills at {points} points: " + ", ".join(f"{count} {what}" for what, count in figures.items()))
