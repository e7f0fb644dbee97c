"""Messages between the run and the holder of its namespaces: a length, then a marshalled value.

Both ends are the same interpreter, one of them the other's child; marshal costs no import.
"""

from __future__ import annotations

import marshal
from typing import Any, BinaryIO

_LENGTH = 8
NOT_ALLOWED = "not allowed here"
"""In the words of an error that stays the same as long as a process runs."""


def send(stream: BinaryIO, value: Any) -> None:
    """Write one message. Raises `OSError` where the other end is gone."""
    data = marshal.dumps(value)
    stream.write(len(data).to_bytes(_LENGTH, "big") + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message. Raises `EOFError` where the other end is gone."""
    length = stream.read(_LENGTH)
    if len(length) < _LENGTH:
        raise EOFError
    data = stream.read(int.from_bytes(length, "big"))
    return marshal.loads(data)
