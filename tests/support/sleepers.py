"""Programs that sleep, told apart from those of tests that run at the same time, in another process or under another user."""

from __future__ import annotations

import itertools
import os

import psutil

_count = itertools.count()


def own_seconds() -> str:
    """A length of time for `sleep` that no other test waits."""
    return f"300.{os.getpid():07}{next(_count):04}"


def sleeping(seconds: str) -> list[psutil.Process]:
    """The programs that sleep so long, those apart that are dead and not yet taken notice of."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = process.info["cmdline"] or ()
        waits = seconds in words or any(f"sleep({seconds})" in word for word in words)
        if waits and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found
