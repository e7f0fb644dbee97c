"""Reading files that a workspace's owner, or a program, may have put anything in the place of.

A named pipe would be waited for without end, a device has none, and a sparse file of many GiB takes all memory.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LARGEST = 64 << 20
"""Bytes that a file may have to be read as a text of people's."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def data_of(path: Path, most: int = LARGEST, *, start: int | None = None) -> bytes:
    """A regular file's bytes, or its first `start`. Raises `OSError` at once for anything else, and for a larger one."""
    _must_be_regular(path, os.stat(path))  # noqa: PTH116 (before it is opened: that alone tells a device something)
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        status = os.fstat(file.fileno())
        _must_be_regular(path, status)
        if start is not None:
            return file.read(start)
        if status.st_size > most:
            raise OSError(
                errno.EFBIG, f"it is too large ({status.st_size:,} bytes; at most {most:,} are read)", str(path)
            )
        return file.read()


def _must_be_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def text_in(path: Path, errors: str = "replace") -> str:
    """A regular file's text, in UTF-8. Raises `OSError` as `data_of` does."""
    return data_of(path).decode("utf-8", errors)
