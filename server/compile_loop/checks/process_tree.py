"""Ending everything a check started, also what left its group or outlived its parent (SPEC K3, L15).

Every check's processes inherit a mark in their environment; it names the check and the process that owns it. That finds
a grandchild wherever it went, and what a killed owner left behind.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
import uuid
from collections.abc import Iterable, Iterator

import psutil

MARK = "COMPILE_LOOP_CHECK_MARK"
_GRACE = 0.3
_LIMIT = 1.5
_KEEPER_LIMIT = 6.0
_KEEPER = "shadow/namespaces/__main__.py"
"""The program around a check in a shadow, by its command line."""


def new_mark() -> str:
    """A mark for one check: owner's process id and start time, and a name of its own."""
    me = psutil.Process()
    return f"{me.pid}:{me.create_time()}:{uuid.uuid4().hex}"


def end_tree(pid: int, mark: str) -> None:
    """End the process group of `pid` and every process with `mark`.

    Asked first, killed after 0.3 s. Returns when they are gone, at the latest after 1.5 s more. A shadow's own program
    around a check keeps all that the check starts, and ends last by itself: were it killed before the others, what
    those start at that very moment would belong to nobody and be looked for in vain. It gets more time.
    """
    keeper = _is_keeper(pid)
    _signal_group(pid, signal.SIGTERM)
    alive = [*_descendants(pid), *_marked(mark)]
    alive = _left_after(alive, _GRACE)
    until = time.monotonic() + (_KEEPER_LIMIT if keeper else _LIMIT)
    spared = keeper
    while True:
        if hasattr(signal, "SIGKILL") and not spared:
            _signal_group(pid, signal.SIGKILL)
        alive = _running({*alive, *_descendants(pid), *_marked(mark)})  # also those that have lost their parent by now
        for process in alive:
            if not (spared and process.pid == pid):
                with contextlib.suppress(psutil.Error):
                    process.kill()
        alive = _left_after(alive, 0.2)
        if not alive or time.monotonic() > until:
            return
        spared = keeper and (any(process.pid != pid for process in alive) or _has_others(pid))


def _left_after(processes: Iterable[psutil.Process], seconds: float) -> list[psutil.Process]:
    """Those that still run when all are gone or the time is up.

    No child of ours is waited for in the system's sense: its exit code is for whoever started it (asyncio would say
    "Unknown child process pid" and take 255 for it).
    """
    until = time.monotonic() + seconds
    while (alive := _running(processes)) and time.monotonic() < until:
        time.sleep(0.005)
    return alive


def end_stragglers(mark: str) -> list[str]:
    """End what a check left running after it exited; returns the names of those processes."""
    left = list(_marked(mark))
    names = []
    for process in left:
        with contextlib.suppress(psutil.Error):
            names.append(process.name())
            process.kill()
    _left_after(left, _LIMIT)
    return names


def end_orphans() -> int:
    """End check processes whose owner no longer runs, also those that dropped the mark; returns how many.

    A shadow's own program around a check is held while the others end: it becomes the parent of what they start at that
    very moment, and can start nothing itself.
    """
    found = [process for process, mark in _all_marked() if not _owner_runs(mark)]
    keepers = [process for process in found if _is_keeper(process.pid)]
    for keeper in keepers:
        with contextlib.suppress(psutil.Error):
            keeper.suspend()
    ended: set[psutil.Process] = set()
    until = time.monotonic() + _KEEPER_LIMIT
    while time.monotonic() < until:
        alive = _running({*found, *(below for process in found for below in _descendants(process.pid))} - {*keepers})
        for process in alive:
            with contextlib.suppress(psutil.Error):
                process.kill()
        ended.update(alive)
        if not alive:
            break
        _left_after(alive, 0.1)
    for keeper in _running(keepers):
        with contextlib.suppress(psutil.Error):
            keeper.kill()
            ended.add(keeper)
    return len(ended)


def _owner_runs(mark: str) -> bool:
    """Whether the process that a mark names still runs; one that is no mark of ours, or may not be looked at, counts so."""
    try:
        pid, created, _ = mark.split(":")
        return psutil.Process(int(pid)).create_time() == float(created)
    except psutil.NoSuchProcess:
        return False
    except (ValueError, psutil.Error):
        return True


def cpu_seconds(pid: int) -> float:
    """Processor time used so far by `pid` and its living descendants, and by descendants already waited for."""
    total = 0.0
    for process in (psutil.Process(pid), *_descendants(pid)) if psutil.pid_exists(pid) else ():
        with contextlib.suppress(psutil.Error):
            used = process.cpu_times()
            total += (
                used.user + used.system + getattr(used, "children_user", 0.0) + getattr(used, "children_system", 0.0)
            )
    return total


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        process = psutil.Process(pid)
        return [*process.children(recursive=True), *([process] if process.status() != psutil.STATUS_ZOMBIE else [])]
    except psutil.Error:
        return []


def _is_keeper(pid: int) -> bool:
    try:
        return any(word.endswith(_KEEPER) for word in psutil.Process(pid).cmdline()[:6])
    except psutil.Error:
        return False


def _has_others(pid: int) -> bool:
    return any(process.pid != pid for process in _descendants(pid))


def _running(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    found = []
    for process in processes:
        with contextlib.suppress(psutil.Error):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def _marked(mark: str) -> Iterator[psutil.Process]:
    return (process for process, found in _all_marked() if found == mark)


def _all_marked() -> Iterator[tuple[psutil.Process, str]]:
    for process in psutil.process_iter():
        try:
            mark = process.environ().get(MARK)
        except (psutil.Error, OSError):
            continue
        if mark is not None:
            yield process, mark


def _signal_group(pid: int, number: int) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)
