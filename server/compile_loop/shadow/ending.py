"""Being asked to end while files are written where they are (SPEC P1, W4)."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_NAMES = ("SIGTERM", "SIGHUP")


@contextlib.contextmanager
def before_ending(restore: Callable[[], object]) -> Iterator[None]:
    """Call `restore` where a signal ends this process meanwhile, and then let it.

    Only signals that would end it at once are taken: a program with handlers of its own sees to itself.
    """
    taken: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(Exception):
            restore()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    if threading.current_thread() is threading.main_thread():
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, end)
                taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            if signal.getsignal(number) is end:
                signal.signal(number, signal.SIG_DFL)
