"""Disks that are full or read-only, for one process and what it starts; needs root on Linux."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

needs_root = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root on Linux can mount disks for a test"
)
_CODE = """
import os, sys
from compile_loop.shadow.namespaces import syscalls as s
s.unshare(s.CLONE_NEWNS)
s.mount(b"none", b"/", b"", s.MS_REC | s.MS_PRIVATE)
for word in sys.argv[1].split("\\n"):
    kind, _, place = word.partition(" ")
    place = os.fsencode(place)
    if kind == "read-only":
        s.mount(place, place, b"", s.MS_BIND)
        s.make_read_only(place)
    else:
        s.mount(b"t", place, b"tmpfs", 0, b"mode=777,size=" + kind.encode())
os.execvp(sys.argv[2], sys.argv[2:])
"""


def on_disks(*disks: tuple[str, Path]) -> tuple[str, ...]:
    """What comes before a command to start it with these disks, each `read-only` or an empty one of that size (`64k`)."""
    return (sys.executable, "-c", _CODE, "\n".join(f"{kind} {place}" for kind, place in disks))
