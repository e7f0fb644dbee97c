"""Real processes: output, timeouts, and that nothing is left running (SPEC K3)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.sleepers import own_seconds, sleeping

from compile_loop.checks.process import Finished, Stop, run_process
from compile_loop.checks.process_tree import end_tree
from compile_loop.contracts.unbroken import unbroken

PYTHON = sys.executable


async def run(
    tmp_path: Path, *argv: str, idle: float = 20, total: float = 20, lines: list[str] | None = None, **more: Any
) -> Finished:
    def keep(new: list[str]) -> list[str]:
        if lines is not None:
            lines.extend(new)
        return new

    return await run_process(
        argv, cwd=str(tmp_path), env=dict(os.environ), idle_timeout=idle, total_timeout=total, on_lines=keep, **more
    )


@pytest.mark.spec("K3")
async def test_output_of_both_streams_and_the_exit_code(tmp_path: Path) -> None:
    lines: list[str] = []
    done = await run(tmp_path, "/bin/sh", "-c", "echo out; echo err >&2; printf 'no end'; exit 7", lines=lines)
    assert (done.exit_code, done.stdout, done.stderr) == (7, "out\nno end\n", "err\n")
    assert sorted(lines) == ["err", "no end", "out"]


@pytest.mark.spec("K3")
async def test_there_is_no_input(tmp_path: Path) -> None:
    done = await run(tmp_path, "/bin/sh", "-c", "read x || echo end of input")
    assert done.stdout == "end of input\n"


@pytest.mark.spec("K3")
async def test_lines_come_while_the_command_runs(tmp_path: Path) -> None:
    lines: list[str] = []
    task = asyncio.create_task(run(tmp_path, "/bin/sh", "-c", "echo first; sleep 1.5; echo second", lines=lines))
    await asyncio.sleep(0.7)
    assert lines == ["first"]
    await task
    assert lines == ["first", "second"]


@pytest.mark.spec("K3", "D6")
async def test_a_flood_is_read_in_bounded_memory_with_head_and_tail_kept(tmp_path: Path) -> None:
    done = await run(
        tmp_path, PYTHON, "-c", "import sys\nfor i in range(300000): sys.stdout.write(f'line {i} ' + 'x' * 60 + '\\n')"
    )
    assert len(done.stdout) < 80_000
    assert done.stdout.startswith("line 0 ") and "line 299999 " in done.stdout and "lines left out" in done.stdout


@pytest.mark.spec("K3")
async def test_one_endless_line_stays_bounded(tmp_path: Path) -> None:
    done = await run(tmp_path, PYTHON, "-c", "import sys\nfor _ in range(200): sys.stdout.write('x' * 100000)")
    assert len(done.stdout) < 150_000


@pytest.mark.spec("K3")
async def test_idle_timeout_ends_a_silent_command_but_not_a_busy_one(tmp_path: Path) -> None:
    silent = await run(tmp_path, "/bin/sh", "-c", "sleep 61.5", idle=1)
    assert silent.stopped is Stop.IDLE and silent.seconds < 4
    busy = await run(tmp_path, PYTHON, "-c", "import time\nend=time.time()+2.5\nwhile time.time()<end: pass", idle=1)
    assert busy.stopped is None and busy.exit_code == 0


@pytest.mark.spec("K3")
async def test_total_timeout_ends_a_talkative_command(tmp_path: Path) -> None:
    done = await run(tmp_path, "/bin/sh", "-c", "while :; do echo tick; sleep 0.2; done", total=1.5)
    assert done.stopped is Stop.TOTAL and "tick" in done.stdout and done.seconds < 4


LEAVES_GROUP = """
import os, subprocess, sys
subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(SECONDS)'], start_new_session=True)
if sys.argv[1] == 'stay': import time; time.sleep(SECONDS)
"""


@pytest.mark.spec("K3")
@pytest.mark.parametrize("how", ["stay", "leave"])
async def test_a_grandchild_that_left_the_group_and_holds_the_pipe_is_ended(tmp_path: Path, how: str) -> None:
    began = time.monotonic()
    seconds = own_seconds()
    done = await run(tmp_path, PYTHON, "-c", LEAVES_GROUP.replace("SECONDS", seconds), how, idle=1)
    assert (done.stopped is Stop.IDLE) == (how == "stay")
    assert time.monotonic() - began < 5
    assert sleeping(seconds) == []
    if how == "leave":
        assert done.left_running


@pytest.mark.spec("K3")
async def test_a_command_that_ignores_sigterm_is_killed_within_two_seconds(tmp_path: Path) -> None:
    seconds = own_seconds()
    task = asyncio.create_task(run(tmp_path, "/bin/sh", "-c", f"trap '' TERM; while :; do sleep {seconds}; done"))
    await asyncio.sleep(0.5)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 2
    assert sleeping(seconds) == []


@pytest.mark.spec("L15")
async def test_a_cancel_right_at_the_start_leaves_nothing(tmp_path: Path) -> None:
    seconds = own_seconds()
    for delay in (0, 0.001, 0.003, 0.01):
        task = asyncio.create_task(run(tmp_path, "/bin/sh", "-c", f"sleep {seconds}"))
        await asyncio.sleep(delay)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await asyncio.sleep(0.2)
    assert sleeping(seconds) == []


@pytest.mark.spec("K2")
async def test_a_command_that_cannot_start_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await run(tmp_path, "no-such-program-here")


@pytest.mark.spec("K3")
async def test_output_that_is_not_utf8_is_replaced_not_lost(tmp_path: Path) -> None:
    done = await run(tmp_path, "/bin/sh", "-c", r"printf 'caf\351 ok\n'")
    assert done.stdout == "caf� ok\n"


@pytest.mark.spec("K3")
async def test_lines_in_a_code_page_are_read_beside_lines_in_utf8(tmp_path: Path) -> None:
    """C12: a compiler of the console's code page, and a tool beside it that prints UTF-8."""
    (tmp_path / "said").write_bytes(bytes.fromhex("612e632833293a20aee8a8a1aaa0") + "\r\nüber 😀\n".encode())
    done = await run(tmp_path, "/bin/cat", "said", encoding="cp866")
    assert done.stdout == "a.c(3): ошибка\nüber 😀\n"


@pytest.mark.spec("D4")
async def test_a_pause_is_told_once_after_each_time_that_output_came(tmp_path: Path) -> None:
    """Until the command goes on, which it does only when the pause was told."""
    pauses: list[str] = []

    def pause() -> None:
        pauses.append("pause")
        (tmp_path / f"go{len(pauses)}").touch()

    wait = "while [ ! -e {0} ]; do sleep 0.05; done; "
    script = "echo one; " + wait.format("go1") + "echo two; " + wait.format("go2")
    await run(tmp_path, "/bin/sh", "-c", script, on_pause=pause)
    assert len(pauses) == 2


@pytest.mark.spec("L15")
@pytest.mark.skipif(os.name != "posix", reason="signals")
async def test_who_started_a_process_gets_its_exit_code_also_where_it_is_ended(
    capfd: pytest.CaptureFixture[str],
) -> None:
    started = [await asyncio.create_subprocess_exec("sleep", "300", start_new_session=True) for _ in range(10)]
    await asyncio.gather(*(asyncio.to_thread(end_tree, process.pid, "no-such-mark") for process in started))
    assert [await process.wait() for process in started] == [-signal.SIGTERM] * 10
    assert "Unknown child process" not in capfd.readouterr().err


@pytest.mark.spec("L15", "K3")
@pytest.mark.skipif(os.name != "posix", reason="signals")
async def test_a_cancel_while_a_process_starts_leaves_its_exit_code_to_asyncio(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Also a second one, while the first is being seen to, and of a process that ends at once."""
    for number in range(60):
        going = asyncio.ensure_future(run(tmp_path, "/bin/true"))
        for _ in range(number % 5 + 1):
            await asyncio.sleep(0)
        going.cancel()
        for _ in range(number % 7):
            await asyncio.sleep(0.001)
            going.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await going
    assert "Unknown child process" not in caplog.text


@pytest.mark.spec("L15")
async def test_work_that_is_not_to_be_broken_off_ends_before_the_cancel_comes_up() -> None:
    go_on = asyncio.Event()

    async def work() -> int:
        await go_on.wait()
        return 7

    waiting = asyncio.ensure_future(unbroken(work()))
    for _ in range(3):
        await asyncio.sleep(0)
        waiting.cancel()
    await asyncio.sleep(0)
    assert not waiting.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await unbroken(work()) == 7
