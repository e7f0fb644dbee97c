"""What the writable layer of an overlay holds: every file that somebody wrote, removed or renamed there."""

from __future__ import annotations

import hashlib
import os
import stat

_HIDES_ALL = ("trusted.overlay.opaque", "user.overlay.opaque")
_MOVED = ("trusted.overlay.redirect", "user.overlay.redirect")


_TRACELESS = (0,)


def changed(upper: bytes, root: bytes) -> list[tuple[bytes, bool, tuple[int, ...]]]:
    """Paths below `root` that the layer `upper` decides about.

    True: what was there before is gone, with all that lay in it. A folder that was renamed counts with all its files.
    The numbers are others after every write to a file of the layer.
    """
    found: list[tuple[bytes, bool, tuple[int, ...]]] = []
    pending = [b""]
    while pending:
        below = pending.pop()
        with os.scandir(os.path.join(upper, below)) as entries:
            for entry in entries:
                path = os.path.join(below, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path)
                    if _has(entry.path, _HIDES_ALL):
                        found.append((path, True, _TRACELESS))
                    if _has(entry.path, _MOVED):
                        moved = _files(os.path.join(root, path))
                        found += [(os.path.relpath(place, root), False, _TRACELESS) for place in moved]
                else:
                    status = entry.stat(follow_symlinks=False)
                    gone = stat.S_ISCHR(status.st_mode) and status.st_rdev == 0
                    found.append((path, gone, (status.st_ino, status.st_ctime_ns, status.st_mtime_ns)))
    return found


def mark(path: bytes) -> tuple[bytes | None, bytes]:
    """A digest of a file's bytes, or of where a link leads, and the first 32 bytes; None where there is no file."""
    try:
        if os.path.islink(path):
            return hashlib.blake2b(b"link " + os.readlink(path), digest_size=16).digest(), b""
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None, b""
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None, b""
    digest, head = hashlib.blake2b(digest_size=16), b""
    with open(descriptor, "rb") as file:
        try:
            while data := file.read(1 << 20):
                head = head or data[:32]
                digest.update(data)
        except OSError:
            return None, b""
    return digest.digest(), head


def _has(path: bytes, names: tuple[str, ...]) -> bool:
    for name in names:
        try:
            if os.getxattr(path, name, follow_symlinks=False):
                return True
        except OSError:
            continue
    return False


def _files(folder: bytes) -> list[bytes]:
    return [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
