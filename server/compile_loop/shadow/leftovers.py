"""Temporary folders that a killed run left behind.

Each names its owner, and the next start removes those whose owner is gone (SPEC W4).
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import psutil

PREFIX = "compile-loop-"
_OWNER = "owner"


def claim(folder: Path) -> None:
    """Write this process's name into a temporary folder."""
    me = psutil.Process()
    (folder / _OWNER).write_text(f"{me.pid} {me.create_time()}")


def sweep() -> list[Path]:
    """Remove this user's temporary folders whose owner no longer runs; returns them."""
    removed = []
    for folder in Path(tempfile.gettempdir()).glob(PREFIX + "*"):
        if _abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)
            removed.append(folder)
    return removed


def _abandoned(folder: Path) -> bool:
    try:
        pid, created = (folder / _OWNER).read_text().split()
        return psutil.Process(int(pid)).create_time() != float(created)
    except psutil.NoSuchProcess:
        return True
    except (OSError, ValueError, psutil.Error):
        return False
