"""Why a file could not be written, in words that say where to make room (SPEC L3, W4)."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_FULL = {errno.ENOSPC: "is full", getattr(errno, "EDQUOT", -1): "has no room left for you"}


def why(error: OSError, path: Path) -> str:
    """What the system said, after `path`; of a full disk which one it is. Ends without a full stop."""
    if is_full(error):
        return f"{path}: the disk at {disk_of(path)} {_FULL[error.errno or 0]}. Make room there"
    return f"{path}: {error.strerror or error}"


def is_full(error: OSError) -> bool:
    """Whether there was no room."""
    return error.errno in _FULL


def disk_of(path: Path) -> Path:
    """Where the disk is mounted that a path lies on, whether there is such a file or not."""
    place = Path(os.path.abspath(path))  # noqa: PTH100 - a link's own place is not where the bytes go
    place = next(each for each in (place, *place.parents) if each.exists()).resolve()
    return next(each for each in (place, *place.parents) if os.path.ismount(each))
