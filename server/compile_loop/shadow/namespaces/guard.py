"""Start a command that can write to some folders only, and not read some places, by Landlock (Linux 5.19).

It needs no rights and no namespaces.
"""

from __future__ import annotations

import os

from compile_loop.shadow.namespaces import syscalls as system
from compile_loop.shadow.namespaces.execution import refuse
from compile_loop.shadow.namespaces.supervise import supervise

_WRITES: int = sum(1 << bit for bit in (1, *range(4, 13)))
"""Write a file; remove and make entries of every kind."""
_READ_FILE = 1 << 2
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
    """`OWNER COUNT FOLDER… COUNT PLACE… COMMAND…`.

    The process that ends it, the folders that may be written to, the places that may not be read, then the command.
    """
    owner, rest = int(arguments[0]), arguments[1:]
    folders, rest = rest[1 : int(rest[0]) + 1], rest[int(rest[0]) + 1 :]
    unseen, command = rest[1 : int(rest[0]) + 1], rest[int(rest[0]) + 1 :]
    try:
        _restrict(folders, unseen)
    except OSError as error:
        refuse(f"The check could not be kept to the isolated copy: {error.strerror}")
    supervise(command, owner)


def _restrict(folders: list[str], unseen: list[str]) -> None:
    allowed = rights(version())
    ruleset = system.landlock_ruleset(allowed | (_READ_FILE if unseen else 0))
    for folder in folders:
        _allow(ruleset, folder, allowed)
    for place in _others(unseen):
        _allow(ruleset, place, _READ_FILE)
    system.landlock_restrict(ruleset)
    os.close(ruleset)


def _allow(ruleset: int, place: str, accesses: int) -> None:
    """Allow accesses to a file, or below a folder; what is away or of no such kind is left out."""
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        whole = os.path.isdir(place)
        system.landlock_allow(ruleset, descriptor, accesses if whole else accesses & (_files_only() | _READ_FILE))
    finally:
        os.close(descriptor)


def _others(unseen: list[str]) -> list[str]:
    """Everything but some places: what lies beside them, and beside each folder on the way to them."""
    ways = {place for each in unseen for place in _way_to(each)}
    found = []
    for folder in sorted(ways - set(unseen)):
        try:
            with os.scandir(folder) as entries:
                found += [entry.path for entry in entries if entry.path not in ways and not entry.is_symlink()]
        except OSError:
            continue
    return found


def _way_to(place: str) -> list[str]:
    """A place and every folder above it."""
    found = [place]
    while found[-1] != os.path.dirname(found[-1]):
        found.append(os.path.dirname(found[-1]))
    return found


def _files_only() -> int:
    return 1 << 1 | _TRUNCATE
