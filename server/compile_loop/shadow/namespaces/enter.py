"""Start a command inside a shadow's namespaces, as its user, in a process tree of its own.

The command's exit code and signal become this process's own. Signals to this process reach the command's group; when
this process dies, so does everything that the command started, wherever it went (SPEC K3, Q14).
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from typing import NoReturn

from compile_loop.shadow.namespaces import syscalls as system
from compile_loop.shadow.namespaces.execution import NOT_STARTED, execute, refuse
from compile_loop.shadow.namespaces.supervise import FORWARDED, end_like, forward, supervise


def main(arguments: list[str]) -> None:
    """`OWNER HOLDER FLAGS DIRECTORY COMMAND…`; FLAGS holds `u` for a user namespace, `p` for a PID namespace, and `i`
    for shared memory and queues of its own."""
    parent, holder, flags, directory, *command = arguments
    owner = int(parent)
    try:
        _enter(holder, flags)
    except OSError as error:
        refuse(f"The isolated copy is gone: {error.strerror}")
    try:
        os.chdir(directory)
    except OSError as error:
        refuse(f"{directory}: {error.strerror}")
    if "p" in flags:
        _in_own_processes(command, owner)
    supervise(command, owner)


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
    if "i" in flags:
        with contextlib.suppress(OSError):
            system.unshare(system.CLONE_NEWIPC)
    if "u" in flags:  # where the user is root, it must not take the mounts off again
        system.give_up_capability(system.CAP_SYS_ADMIN)


def _in_own_processes(command: list[str], owner: int) -> NoReturn:
    """Run the command below a first process of its own: when that ends, the kernel ends all the others."""
    system.die_with_parent(signal.SIGKILL)
    if os.getppid() != owner:
        refuse("The run is over")
    status_out, status_in = os.pipe()
    alive_out, alive_in = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(status_out)
        os.close(alive_in)
        _first_process(command, status_in, alive_out)
    os.close(status_in)
    os.close(alive_out)
    forward(lambda number: os.kill(first, number))
    status = os.read(status_out, 16)
    os.waitpid(first, 0)
    end_like(int(status) if status else signal.SIGKILL)


def _first_process(command: list[str], status_in: int, alive_out: int) -> NoReturn:
    os.setsid()
    system.die_with_parent(signal.SIGKILL)
    if select.select([alive_out], [], [], 0)[0]:
        os._exit(NOT_STARTED)
    system.mount(b"proc", b"/proc", b"proc", system.MS_NOSUID | system.MS_NODEV | system.MS_NOEXEC)
    signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    main_process = os.fork()
    if main_process == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
        os.setsid()
        execute(command)
    forward(lambda number: os.killpg(main_process, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    while True:
        ended, status = os.wait()
        if ended == main_process:
            os.write(status_in, str(status).encode())
            os._exit(0)
