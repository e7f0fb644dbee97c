"""Reading and writing files of the shadow, from inside its mount namespace: links lead where a check sees them lead."""

from __future__ import annotations

import os
import stat

from compile_loop.shadow.namespaces.mounts import is_below

NOT_SEARCHED = frozenset((b".git", b"node_modules", b".venv", b"venv", b"__pycache__", b"target"))
_MOST = 200_000


class RefusedError(Exception):
    """A path leads out of the workspace; the message is a sentence."""


def read(path: bytes) -> bytes | None:
    """A regular file's bytes; None where there is none, or it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        try:
            return file.read()
        except OSError:
            return None


def take(root: bytes, path: bytes) -> bytes | None:
    """Read a file, and from now on keep it as it is: what is saved underneath no longer shows through."""
    place = os.path.realpath(path)
    if is_below(place, root):
        try:
            if stat.S_ISREG(os.stat(place).st_mode):
                os.close(os.open(place, os.O_WRONLY | os.O_CLOEXEC))  # copies it up
        except OSError:
            pass  # of another owner, or away: the reading below says
    return read(place)


def write(root: bytes, path: bytes, data: bytes | None) -> None:
    """Set a file's bytes; None removes it. Raises `OSError`, or `RefusedError` for a link that leads out of `root`."""
    folder = os.path.realpath(os.path.dirname(path))
    if not is_below(folder, root):
        raise RefusedError(f"{os.fsdecode(path)} lies outside the workspace by a link and is not written.")
    place = os.path.join(folder, os.path.basename(path))
    if data is None:
        if os.path.lexists(place):
            os.unlink(place)
        return
    place = os.path.realpath(place)
    if not is_below(place, root):
        raise RefusedError(f"{os.fsdecode(path)} is a link out of the workspace and is not written.")
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if os.path.lexists(place) and not os.path.isdir(place) and not stat.S_ISREG(os.stat(place).st_mode):
        os.unlink(place)  # a check put a pipe or a socket there: opening it would wait for ever
    try:
        _overwrite(place, data)
    except FileNotFoundError:
        raise
    except OSError:
        # Read-only, or of an owner that this namespace does not know: replaced, if its folder allows that.
        _replace(place, data)


def _overwrite(place: bytes, data: bytes) -> None:
    with open(place, "wb") as file:
        file.write(data)


def _replace(place: bytes, data: bytes) -> None:
    mode = stat.S_IMODE(os.stat(place).st_mode)
    # A name that a check cannot have laid a link at.
    beside = os.path.join(os.path.dirname(place), b".compile-loop-" + os.urandom(16).hex().encode())
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(descriptor, mode)
        os.rename(beside, place)
    except OSError:
        os.unlink(beside)
        raise


def names_below(root: bytes) -> dict[bytes, list[bytes]]:
    """The workspace's files by their last name, of at most 200,000 files; installed packages and caches are not searched."""
    found: dict[bytes, list[bytes]] = {}
    count = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - NOT_SEARCHED)
        for name in files:
            found.setdefault(name, []).append(os.path.join(folder, name))
        count += len(files)
        if count > _MOST:
            break
    return found
