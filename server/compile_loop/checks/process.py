"""Running one command: own group, no input, output read as it comes, ended as a whole (SPEC K3)."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from compile_loop.checks.lines import HeadAndTail, LineSplitter
from compile_loop.checks.process_tree import MARK, cpu_seconds, end_stragglers, end_tree, new_mark
from compile_loop.contracts.unbroken import Late, unbroken

_WATCH_INTERVAL = 0.025
_AT_ONCE = 1 << 16
CMD = ("cmd", "/d", "/s", "/c")
"""How a line is handed to the shell of Windows."""
_DRAIN_SECONDS = 1.0


class Stop(str, Enum):
    """Why a process was ended by us."""

    IDLE = "idle"
    TOTAL = "total"


@dataclass(frozen=True, slots=True)
class Finished:
    """How a process ended.

    `exit_code` is negative for a signal; `stopped` says that a timeout ended it; `last_line` is what it said last.
    """

    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    stopped: Stop | None
    last_line: str
    left_running: tuple[str, ...]


@dataclass(slots=True)
class _Activity:
    at: float
    line: str = ""
    cpu: float = 0.0
    told: bool = True


async def run_process(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    idle_timeout: float,
    total_timeout: float,
    on_lines: Callable[[list[str]], Iterable[str]],
    on_pause: Callable[[], None] = lambda: None,
    encoding: str | None = None,
) -> Finished:
    """Run a command to its end.

    `on_lines` gets the lines of both streams as they come and returns them as they should be kept. `on_pause` is called
    once after each time that output came and then none for a moment. `encoding` is the console's code page, in which
    lines are that are no UTF-8.

    Raises `OSError` where it cannot start. Being cancelled ends the whole tree before it raises.
    """
    mark = new_mark()
    started = time.monotonic()
    process = await _start(argv, cwd, {**env, MARK: mark}, mark)
    activity = _Activity(started)
    out, err = HeadAndTail(), HeadAndTail()
    readers = asyncio.gather(
        _read(process.stdout, out, activity, on_lines, encoding),
        _read(process.stderr, err, activity, on_lines, encoding),
    )
    readers.add_done_callback(lambda done: done.cancelled() or done.exception())  # looked at, so that nobody logs it
    left: list[str] | None = None
    try:
        stopped = await _wait(process, readers, activity, started, idle_timeout, total_timeout, on_pause)
        if stopped is None:
            left = await asyncio.to_thread(end_stragglers, mark)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(readers, _DRAIN_SECONDS)
    finally:
        readers.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await asyncio.wait_for(asyncio.shield(readers), 0.5)  # one that nobody looks at is reported as a fault
        await _end(process, mark, swept=left is not None)
    return Finished(
        exit_code=process.returncode if process.returncode is not None else -1,
        stdout=out.text(),
        stderr=err.text(),
        seconds=time.monotonic() - started,
        stopped=stopped,
        last_line=activity.line,
        left_running=tuple(left or ()),
    )


async def _start(argv: Sequence[str], cwd: str, env: Mapping[str, str], mark: str) -> asyncio.subprocess.Process:
    own_group = {"creationflags": 0x00000200} if sys.platform == "win32" else {"start_new_session": True}
    how: dict[str, Any] = {
        **own_group,
        "cwd": cwd,
        "env": env,
        "stdin": asyncio.subprocess.DEVNULL,
        "stdout": asyncio.subprocess.PIPE,
        "stderr": asyncio.subprocess.PIPE,
    }
    line = cmd_line(argv)
    starting = (
        asyncio.create_subprocess_exec(*argv, **how) if line is None else asyncio.create_subprocess_shell(line, **how)
    )
    try:
        return await unbroken(starting)
    except Late as late:
        assert isinstance(late.result, asyncio.subprocess.Process)
        await _end(late.result, mark)
        raise


def cmd_line(argv: Sequence[str]) -> str | None:
    """The line that a vector hands to cmd.exe, which must get it as it is: a vector's quotes are not cmd's."""
    return argv[-1] if tuple(argv[:-1]) == CMD else None


async def _read(
    stream: asyncio.StreamReader | None,
    kept: HeadAndTail,
    activity: _Activity,
    on_lines: Callable[[list[str]], Iterable[str]],
    encoding: str | None,
) -> None:
    assert stream is not None
    splitter = LineSplitter(encoding)
    while data := await stream.read(_AT_ONCE):
        activity.at = time.monotonic()
        activity.told = False
        _take(splitter.feed(data), kept, activity, on_lines)
        activity.line = splitter.unfinished or activity.line
        await asyncio.sleep(0)  # a flood must not keep the loop from its other work
    _take(splitter.close(), kept, activity, on_lines)


def _take(
    lines: list[str], kept: HeadAndTail, activity: _Activity, on_lines: Callable[[list[str]], Iterable[str]]
) -> None:
    if not lines:
        return
    lines = list(on_lines(lines))
    kept.add(lines)
    activity.line = next((line for line in reversed(lines) if line.strip()), activity.line)


async def _wait(
    process: asyncio.subprocess.Process,
    readers: asyncio.Future[tuple[None, None]],
    activity: _Activity,
    started: float,
    idle_timeout: float,
    total_timeout: float,
    on_pause: Callable[[], None],
) -> Stop | None:
    """Wait for the process to exit; a pipe that a straggler holds open is no reason to wait on."""
    ended = asyncio.ensure_future(process.wait())
    try:
        while True:
            await asyncio.wait([ended], timeout=_WATCH_INTERVAL)
            if process.returncode is not None:  # `wait` also waits for the pipes, which a straggler may hold
                await asyncio.wait([readers], timeout=0.1)
                return None
            now = time.monotonic()
            if not activity.told and now - activity.at >= _WATCH_INTERVAL:
                activity.told = True
                on_pause()
            if now - started > total_timeout:
                return Stop.TOTAL
            if now - activity.at > min(idle_timeout, 5.0):
                used = await asyncio.to_thread(cpu_seconds, process.pid)
                if used > activity.cpu + 0.05:
                    activity.cpu, activity.at = used, now
            if now - activity.at > idle_timeout:
                return Stop.IDLE
    finally:
        ended.cancel()


async def _end(process: asyncio.subprocess.Process, mark: str, *, swept: bool = False) -> None:
    """End what still runs, also when this task is being cancelled."""
    try:
        if process.returncode is None:
            await unbroken(_end_all(process, mark))
        elif not swept:
            await unbroken(asyncio.to_thread(end_stragglers, mark))
    finally:
        transport = getattr(process, "_transport", None)
        if transport is not None and process.returncode is not None:
            transport.close()  # it looks whether the process has ended, which is for asyncio's own watcher to say
        elif transport is not None:
            for stream in (1, 2):
                if (pipe := transport.get_pipe_transport(stream)) is not None:
                    pipe.close()


async def _end_all(process: asyncio.subprocess.Process, mark: str) -> None:
    await asyncio.to_thread(end_tree, process.pid, mark)
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(process.wait(), 1.0)
