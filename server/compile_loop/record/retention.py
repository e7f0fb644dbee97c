"""How long records stay: 30 days or 1 GiB, the oldest go first, never that of a run under way (SPEC R1).

Nothing but records goes: what else lies in their folder, by a link or put there by hand, is somebody's own.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import stat
import time
import uuid
from pathlib import Path

from compile_loop.record import folder as at
from compile_loop.record.owner import under_way

DAYS = 30.0
ROOM = 1 << 30
_GOING = re.compile(r"\.going-[0-9a-f]{32}")
_OURS = "compile-loop/run/"


def prune(runs: Path, *, days: float = DAYS, room: int = ROOM, now: float | None = None) -> list[str]:
    """Remove what is too old, then what is too much; returns the names of the records that went. Never raises.

    `room` is in bytes over all records, `now` in seconds since the epoch.
    """
    try:
        if runs.is_symlink():
            return []
        folders = [Path(entry.path) for entry in os.scandir(runs) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    for left in [folder for folder in folders if _GOING.fullmatch(folder.name)]:
        _clear(left)
    records = sorted((_last_written(f), f, size_of(f)) for f in folders if f.name[:1] != "." and _may_go(f))
    too_old = (time.time() if now is None else now) - days * 86400
    used = sum(size for _, _, size in records)
    gone = []
    for written, folder, size in records:
        if (written < too_old or used > room) and not under_way(folder):
            remove(folder)
            gone.append(folder.name)
            used -= size
    return gone


def is_record(folder: Path) -> bool:
    """Whether a run of ours wrote this folder: no link, and in it a `run.json` that says so."""
    try:
        if not stat.S_ISDIR(folder.lstat().st_mode) or not stat.S_ISREG((folder / at.RUN).lstat().st_mode):
            return False
        return str(json.loads((folder / at.RUN).read_bytes())["schema"]).startswith(_OURS)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def is_damaged(folder: Path) -> bool:
    """Whether a folder is a record of which only `run.json` cannot be read: beside it lie our files, and nothing else."""
    try:
        if not all(stat.S_ISREG((folder / name).lstat().st_mode) for name in (at.RUN, at.EVENTS)):
            return False
        return not is_record(folder) and all(entry.name in at.ALL for entry in os.scandir(folder))
    except OSError:
        return False


def _may_go(folder: Path) -> bool:
    return is_record(folder) or (at.NAMED.fullmatch(folder.name) is not None and is_damaged(folder))


def may_be_record(folder: Path) -> bool:
    """Whether a folder is a record as far as a damaged one can be told: no link, and named or filled like one."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    return at.NAMED.fullmatch(folder.name) is not None or (folder / at.RUN).is_file()


def remove(folder: Path) -> None:
    """Remove one record, in one step as others see it. Raises nothing; what cannot go now goes with a later prune."""
    going = folder.with_name(f".going-{uuid.uuid4().hex}")
    try:
        folder.rename(going)
    except OSError:
        going = folder
    _clear(going, whole=True)


def _clear(going: Path, *, whole: bool = False) -> None:
    """Remove a record that is on its way out, what it is known by last: as long as that is there, a later prune knows the rest."""
    if not whole and not (is_record(going) or is_damaged(going)):
        with contextlib.suppress(OSError):
            going.rmdir()
        return
    try:
        entries = [Path(entry.path) for entry in os.scandir(going) if entry.name not in (at.RUN, at.EVENTS)]
    except OSError:
        return
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                entry.unlink()
    if not any(os.path.lexists(entry) for entry in entries):
        shutil.rmtree(going, ignore_errors=True)


def size_of(folder: Path) -> int:
    """Bytes of all files below."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(place) / name).lstat().st_size
            except OSError:
                continue
    return total


def _last_written(folder: Path) -> float:
    """When the run last told something, in seconds since the epoch."""
    for place in (folder / at.EVENTS, folder / at.RUN, folder):
        try:
            return place.stat().st_mtime
        except OSError:
            continue
    return 0.0
