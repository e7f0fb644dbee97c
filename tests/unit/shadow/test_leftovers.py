"""A run that is killed leaves nothing that the next start does not remove (SPEC W4)."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from compile_loop.checks.process_tree import end_orphans
from compile_loop.shadow.leftovers import sweep
from compile_loop.shadow.places import PREFIX, abandoned, new_folder

from .conftest import Workspace, everything, run
from .test_commands_inside import FOLLOWER, sleeping

pytestmark = pytest.mark.spec("W4")

KILLS = int(os.environ.get("SHADOW_TESTS_KILLS", "12"))

VICTIM = """
import asyncio, os, sys
from pathlib import Path
from compile_loop.checks.process import run_process
from compile_loop.checks.process_tree import MARK
from compile_loop.shadow.probe import choose

async def main():
    root, strategy, script = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    while True:
        shadow = choose(root, {"a.c": b"typed"}, strategy)
        print("step", flush=True)
        await shadow.open()
        await shadow.write("a.c", b"written")
        argv, cwd = shadow.command(["/bin/sh", "-c", script], ".")
        run = run_process(argv, cwd=cwd, env=shadow.environment(os.environ), idle_timeout=5, total_timeout=5, on_lines=list)
        check = asyncio.create_task(run)
        await asyncio.sleep(0.15)
        await shadow.renew({"a.c": b"edit"})
        check.cancel()
        await asyncio.wait([check])
        await shadow.close()

asyncio.run(main())
"""


def processes_of(owner: int, scratch: Path) -> list[psutil.Process]:
    """Processes that see a mount of a shadow of the process `owner`, or were started to work in its folder."""
    found = []
    for process in psutil.process_iter():
        try:
            table = Path(f"/proc/{process.pid}/mountinfo").read_text()
            words = process.cmdline()
        except (OSError, psutil.Error):
            continue
        if re.search(rf" {PREFIX}\d+-{owner}-", table) or any(str(scratch) in word for word in words):
            found.append(process)
    return found


def mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()


@pytest.mark.timeout(60 + 5 * KILLS)
async def test_killed_at_any_moment(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    workspace.shadow()  # skips where it does not work
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    before = everything(workspace.root)
    seconds = f"57.{['overlay', 'clone', 'copy'].index(workspace.strategy)}5"
    chance = random.Random(1)
    for _ in range(KILLS):
        victim = subprocess.Popen(  # noqa: ASYNC220
            [
                sys.executable,
                "-c",
                VICTIM,
                str(workspace.root),
                workspace.strategy,
                FOLLOWER.format(seconds) + "sleep 5",
            ],
            env={**os.environ, "TMPDIR": str(scratch)},
            stdout=subprocess.PIPE,
        )
        assert victim.stdout is not None and victim.stdout.readline() == b"step\n"
        await asyncio.sleep(chance.uniform(0, 0.6))
        victim.kill()
        victim.wait()
        victim.stdout.close()
        sweep()
        end_orphans()
        until = time.monotonic() + 2
        while (sleeping(seconds) or processes_of(victim.pid, scratch)) and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        assert not sleeping(seconds)
        assert not processes_of(victim.pid, scratch)
        assert list(scratch.iterdir()) == []
        assert str(scratch) not in mounts()
    assert everything(workspace.root) == before


async def test_a_closed_shadow_leaves_nothing(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.shadow()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    shadow = await workspace.opened()
    await run(
        shadow, "mkdir -p deep/er && touch deep/er/f && chmod 0 deep/er deep; mkdir shut; touch shut/f; chmod 500 shut"
    )
    await shadow.renew({"a.c": b"1"})
    await run(shadow, "mkdir -p deep/er && chmod 0 deep")
    await shadow.close()
    assert list(scratch.iterdir()) == [] and not processes_of(os.getpid(), scratch)


async def test_closing_while_it_is_being_laid_out(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.shadow()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    for number in range(300):
        workspace.file(f"many/{number}.c")
    for delay in (0, 0.002, 0.01, 0.03):
        shadow = workspace.shadow()
        opening = asyncio.create_task(shadow.open())
        await asyncio.sleep(delay)
        opening.cancel()
        await asyncio.wait([opening])
        await shadow.close()
        assert list(scratch.iterdir()) == [] and not processes_of(os.getpid(), scratch)


def test_folders_of_the_living_and_of_others_stay(tmp_path: Path) -> None:
    mine = new_folder(tmp_path)
    dead = subprocess.run(
        [sys.executable, "-c", f"from pathlib import Path\nfrom compile_loop.shadow.places import new_folder\n"
         f"print(new_folder(Path({str(tmp_path)!r})))"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    (tmp_path / "compile-loop-else").mkdir()
    (tmp_path / "compile-loop-a-b-c-d").mkdir()
    elsewhere = tmp_path / f"{PREFIX}12345-1-1-x"
    elsewhere.mkdir()
    assert abandoned(tmp_path) == [Path(dead.stdout.strip())]
    os.utime(elsewhere, (1, 1))
    assert set(abandoned(tmp_path)) == {Path(dead.stdout.strip()), elsewhere}
    assert mine.is_dir()


def test_a_start_time_survives_a_change_of_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_folder(tmp_path)
    monkeypatch.setattr("time.time", lambda: 0.0)
    assert abandoned(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_to_the_terminal_s_group_does_not_end_the_holder(workspace: Workspace, number: int) -> None:
    if workspace.strategy != "overlay":
        pytest.skip("only an overlay has a holder")
    shadow = await workspace.opened()
    for process in psutil.Process().children():
        if "holder" in process.cmdline():
            process.send_signal(number)
    await asyncio.sleep(0.1)
    assert await shadow.read("a.c") == b"int a;\n"
