"""What a killed run left behind: temporary folders, and processes inside their mounts.

Each folder names its owner, and the next start removes those whose owner is gone (SPEC W4). Mounts live only in the
namespaces of the processes that use them, so they are gone with those.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

from compile_loop.shadow.places import abandoned, temporary_places
from compile_loop.shadow.removal import remove_tree


def sweep() -> list[Path]:
    """Remove this user's folders whose process no longer runs, and what lives in their mounts; returns the folders."""
    removed = [folder for place in temporary_places() for folder in abandoned(place)]
    if removed:
        end_inhabitants(removed)
    for folder in removed:
        remove_tree(folder)
    return removed


def end_inhabitants(folders: Iterable[Path]) -> int:
    """End every process that has a mount made for one of `folders`; returns how many there were.

    Finds also what left its parent, its group and its environment behind. Returns when they are gone, or after 2 s.
    """
    if sys.platform != "linux":
        return 0
    labels = [label_of(folder) for folder in folders]
    ours = _mount_namespace("self")
    found = []
    for process in psutil.process_iter():
        if _mount_namespace(str(process.pid)) not in (ours, None) and _sees_mount(process.pid, labels):
            found.append(process)
            with contextlib.suppress(psutil.Error):
                process.kill()
    until = time.monotonic() + 2.0
    while any(map(_runs, found)) and time.monotonic() < until:
        time.sleep(0.005)
    return len(found)


def _runs(process: psutil.Process) -> bool:
    """Whether it has not ended; whose child it is takes its exit code, and nobody else."""
    try:
        return process.is_running() and bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def label_of(folder: Path) -> bytes:
    """What the mounts of a temporary folder are called in the system's table."""
    return folder.name.encode()


def _mount_namespace(pid: str) -> str | None:
    try:
        return str(Path(f"/proc/{pid}/ns/mnt").readlink())
    except OSError:
        return None


def _sees_mount(pid: int, labels: list[bytes]) -> bool:
    try:
        table = Path(f"/proc/{pid}/mountinfo").read_bytes()
    except OSError:
        return False
    return any(b" " + label + b" " in table for label in labels)
