"""Start a command inside a shadow's namespaces, as its user, in a process tree of its own.

The command's exit code and signal become this process's own. Signals to this process reach the command's group; when
this process dies, so does everything that the command started, wherever it went (SPEC K3, Q14).
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from compile_loop.shadow.namespaces import syscalls as system
from compile_loop.shadow.namespaces.execution import NOT_STARTED, execute, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


def main(arguments: list[str]) -> None:
    """`HOLDER FLAGS DIRECTORY COMMAND…`; FLAGS holds `u` for a user namespace and `p` for a PID namespace."""
    holder, flags, directory, *command = arguments
    owner = os.getppid()
    try:
        _enter(holder, flags)
    except OSError as error:
        refuse(f"The isolated copy is gone: {error.strerror}")
    try:
        os.chdir(directory)
    except OSError as error:
        refuse(f"{directory}: {error.strerror}")
    system.die_with_parent(signal.SIGKILL)
    if os.getppid() != owner:
        os._exit(NOT_STARTED)
    if "p" not in flags:
        execute(command)
    _in_own_processes(command)


def _enter(holder: str, flags: str) -> None:
    """Join the namespaces. Everything that this program needs is imported by now: afterwards paths mean other files."""
    kinds = [("user", system.CLONE_NEWUSER)] if "u" in flags else []
    kinds.append(("mnt", system.CLONE_NEWNS))
    descriptors = [(os.open(f"/proc/{holder}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC), kind) for name, kind in kinds]
    for descriptor, kind in descriptors:
        system.setns(descriptor, kind)
        os.close(descriptor)
    if "p" in flags:
        system.unshare(system.CLONE_NEWPID | system.CLONE_NEWNS)
    if "u" in flags:  # where the user is root, it must not take the mounts off again
        system.give_up_capability(system.CAP_SYS_ADMIN)


def _in_own_processes(command: list[str]) -> NoReturn:
    """Run the command below a first process of its own: when that ends, the kernel ends all the others."""
    status_out, status_in = os.pipe()
    alive_out, alive_in = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(status_out)
        os.close(alive_in)
        _first_process(command, status_in, alive_out)
    os.close(status_in)
    os.close(alive_out)
    _forward(lambda number: os.kill(first, number))
    status = os.read(status_out, 16)
    os.waitpid(first, 0)
    _end_like(int(status) if status else signal.SIGKILL)


def _first_process(command: list[str], status_in: int, alive_out: int) -> NoReturn:
    os.setsid()
    system.die_with_parent(signal.SIGKILL)
    if select.select([alive_out], [], [], 0)[0]:
        os._exit(NOT_STARTED)
    system.mount(b"proc", b"/proc", b"proc", system.MS_NOSUID | system.MS_NODEV | system.MS_NOEXEC)
    signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    main_process = os.fork()
    if main_process == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)
        os.setsid()
        execute(command)
    _forward(lambda number: os.killpg(main_process, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)
    while True:
        ended, status = os.wait()
        if ended == main_process:
            os.write(status_in, str(status).encode())
            os._exit(0)


def _forward(send: Callable[[int], None]) -> None:
    def handle(number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(OSError):
            send(number)

    for number in _FORWARDED:
        signal.signal(number, handle)


def _end_like(status: int) -> NoReturn:
    """End as the command did, by the same signal too; a core file is the command's own affair."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))
