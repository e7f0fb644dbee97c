"""Whose record it is: is its run still under way, has it ended, or was it interrupted (SPEC W4)."""

from __future__ import annotations

import json
from pathlib import Path

import psutil

from compile_loop.record import folder as at


def under_way(folder: Path) -> bool:
    """Whether the run has not ended, the process that it belongs to still runs, and the record goes on."""
    if (folder / at.REPORT).exists() or (folder / at.CUT_OFF).exists():
        return False
    try:
        owner = json.loads((folder / at.RUN).read_text("utf-8"))["owner"]
        return bool(psutil.Process(int(owner["pid"])).create_time() == owner["created"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError, psutil.Error):
        return False
