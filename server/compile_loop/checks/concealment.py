"""Keeping this process's model keys from the checks it starts (SPEC Z1).

A process of the same user may read another's first environment in `/proc/PID/environ`. Where a check has no `/proc` of
its own, it could read ours there. The variables stay usable in this process; only the block that the kernel shows is wiped.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterable, MutableMapping
from pathlib import Path

from compile_loop.checks.child_environment import model_keys

_ENVIRONMENT_START, _ENVIRONMENT_END = 50, 51
"""Places in `/proc/self/stat` (proc(5) counts them from one, the name of the program as the second)."""


def hide_from_processes(environment: MutableMapping[str, str], secrets: Iterable[str]) -> None:
    """Wipe the values of keys from what the kernel shows of this process. `secrets` are further names of variables."""
    names = model_keys(environment, secrets)
    if sys.platform != "linux" or not names:
        return
    for name in names:
        environment[name] = environment[name]  # moves the process's own copy out of the block
    with contextlib.suppress(OSError, ValueError, IndexError):
        _wipe({os.fsencode(name) for name in names})


def _wipe(names: set[bytes]) -> None:
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = (int(fields[number - 3]) for number in (_ENVIRONMENT_START, _ENVIRONMENT_END))
    if not 0 < start < end:
        return
    block = ctypes.string_at(start, end - start)
    at = 0
    for entry in block.split(b"\0"):
        name, equals, value = entry.partition(b"=")
        if equals and name in names:
            ctypes.memset(start + at + len(name) + 1, ord("x"), len(value))
        at += len(entry) + 1
