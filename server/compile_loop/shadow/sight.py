"""Where a path of a copy leads, in the workspace's own terms (SPEC E10)."""

from __future__ import annotations

import os
from pathlib import Path

from compile_loop.contracts.protocols import Sight


def sight_of(found: tuple[bytes, bytes | None, int, int], copy: Path, root: Path) -> Sight:
    """What was found at a place of the `copy` of `root`, as `look` tells it; outside nothing of it is kept."""
    raw, data, size, names = found
    place = Path(os.fsdecode(raw))
    if not place.is_relative_to(copy):
        return Sight(None)
    inside = place.relative_to(copy)
    return Sight(inside.as_posix(), data, size, names > 1 and data != bytes_at(root / inside))


def bytes_at(place: Path) -> bytes | None:
    """A regular file's bytes; None where there is none that can be read."""
    try:
        return place.read_bytes() if place.is_file() else None
    except OSError:
        return None
