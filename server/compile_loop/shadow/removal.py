"""Removing a folder of our own with everything in it, whatever modes a check or the kernel left there."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path


def remove_tree(folder: Path) -> None:
    """Remove `folder`; links in it are not followed. What cannot be removed stays, for a later sweep."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.is_dir() or folder.is_symlink():
        return
    closed = [folder]
    while closed:
        place = closed.pop()
        with contextlib.suppress(OSError):
            place.chmod(0o700)
            with os.scandir(place) as entries:
                closed.extend(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    shutil.rmtree(folder, ignore_errors=True)
