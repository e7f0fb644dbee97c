"""Looking at a file by a path whose links a program under test may have made."""

from __future__ import annotations

import contextlib
import os
import stat

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def look(path: bytes, most: int) -> tuple[bytes, bytes | None, int, int]:
    """Where a path's links lead, the bytes of the regular file there if they are at most `most`, its size and names.

    Place and bytes are of one opened file, whatever becomes of the links meanwhile.
    """
    place = os.path.realpath(path)
    try:
        descriptor = os.open(place, _READ)
    except OSError:
        return place, None, 0, 1
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        with contextlib.suppress(OSError):  # where there is no such folder, the path as it was resolved above
            place = os.fsencode(os.readlink(f"/proc/self/fd/{descriptor}"))
        data = None
        if stat.S_ISREG(status.st_mode) and status.st_size <= most:
            with contextlib.suppress(OSError):
                data = file.read()
        return place, data, status.st_size, status.st_nlink
