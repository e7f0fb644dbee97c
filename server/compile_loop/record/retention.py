"""How long records stay: 30 days or 1 GiB, the oldest go first, never that of a run under way (SPEC R1)."""

from __future__ import annotations

import os
import shutil
import time
import uuid
from pathlib import Path

from compile_loop.record import folder as at
from compile_loop.record.owner import under_way

DAYS = 30.0
ROOM = 1 << 30
_GOING = ".going-"


def prune(runs: Path, *, days: float = DAYS, room: int = ROOM, now: float | None = None) -> list[str]:
    """Remove what is too old, then what is too much; returns the names of the records that went. Never raises.

    `room` is in bytes over all records, `now` in seconds since the epoch.
    """
    try:
        folders = [Path(entry.path) for entry in os.scandir(runs) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    for left in [folder for folder in folders if folder.name.startswith(_GOING)]:
        shutil.rmtree(left, ignore_errors=True)
    records = sorted((_last_written(f), f, size_of(f)) for f in folders if not f.name.startswith(_GOING))
    too_old = (time.time() if now is None else now) - days * 86400
    used = sum(size for _, _, size in records)
    gone = []
    for written, folder, size in records:
        if (written < too_old or used > room) and not under_way(folder):
            remove(folder)
            gone.append(folder.name)
            used -= size
    return gone


def remove(folder: Path) -> None:
    """Remove one record, in one step as others see it. Raises nothing; what cannot go now goes with a later prune."""
    going = folder.with_name(f"{_GOING}{uuid.uuid4().hex}")
    try:
        folder.rename(going)
    except OSError:
        going = folder
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
