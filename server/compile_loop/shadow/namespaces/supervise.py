"""Running a command so that whatever it started ends with it, where there is no PID namespace to see to that.

This process becomes the parent of everything below it that loses its own, so that nothing gets away.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from compile_loop.shadow.namespaces import syscalls as system
from compile_loop.shadow.namespaces.execution import execute, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_LIMIT = 1.5
"""Seconds in which what was killed must be gone."""


def supervise(command: list[str], owner: int) -> NoReturn:
    """Run the command and end as it did; `owner` is the process that started this one, and ends everything by ending."""
    system.adopt_orphans()
    signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    main_process = os.fork()
    if main_process == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
        os.setsid()
        execute(command)

    def pass_on(number: int) -> None:
        if os.getppid() != owner:
            _end_descendants()
            os._exit(1)
        os.killpg(main_process, number)

    forward(pass_on)
    system.die_with_parent(signal.SIGTERM)
    if os.getppid() != owner:
        _end_descendants()
        refuse("The run is over")
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    ended = 0
    while ended != main_process:
        ended, status = os.wait()
    _end_descendants()
    end_like(status)


def forward(send: Callable[[int], None]) -> None:
    """Let `send` have the signals that ask a command to end."""

    def handle(number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(OSError):
            send(number)

    for number in FORWARDED:
        signal.signal(number, handle)


def end_like(status: int) -> NoReturn:
    """End as the command did, by the same signal too; a core file is the command's own affair."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def _end_descendants() -> None:
    until = time.monotonic() + _LIMIT
    while time.monotonic() < until:
        for process in _descendants():
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _descendants() -> list[int]:
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    found = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found - {os.getpid()})
