"""Start a command that can write to some folders only, by Landlock: needs no rights and no namespaces (Linux 5.19)."""

from __future__ import annotations

import os

from compile_loop.shadow.namespaces import syscalls as system
from compile_loop.shadow.namespaces.execution import refuse
from compile_loop.shadow.namespaces.supervise import supervise

_WRITES: int = sum(1 << bit for bit in (1, *range(4, 13)))
"""Write a file; remove and make entries of every kind."""
_REFER = 1 << 13
_TRUNCATE = 1 << 14
NEEDED = 2
"""The first version that lets files be moved between folders at all."""


def version() -> int:
    """Which version of Landlock the kernel has; 0 where it has none."""
    try:
        return system.landlock_version()
    except OSError:
        return 0


def rights(landlock: int) -> int:
    """What is forbidden outside the folders, as far as this version knows it."""
    return _WRITES | _REFER | (_TRUNCATE if landlock >= 3 else 0)


def main(arguments: list[str]) -> None:
    """`OWNER COUNT FOLDER… COMMAND…`: the process that ends it, the folders that may be written to, then the command."""
    owner, count = int(arguments[0]), int(arguments[1])
    folders, command = arguments[2 : count + 2], arguments[count + 2 :]
    try:
        _restrict(folders)
    except OSError as error:
        refuse(f"The check could not be kept to the isolated copy: {error.strerror}")
    supervise(command, owner)


def _restrict(folders: list[str]) -> None:
    allowed = rights(version())
    ruleset = system.landlock_ruleset(allowed)
    for folder in folders:
        try:
            descriptor = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        system.landlock_allow(ruleset, descriptor, allowed if os.path.isdir(folder) else allowed & _files_only())
        os.close(descriptor)
    system.landlock_restrict(ruleset)
    os.close(ruleset)


def _files_only() -> int:
    return 1 << 1 | _TRUNCATE
