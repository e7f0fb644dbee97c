"""Standard input and output, kept for the protocol alone.

Whatever else writes to file descriptor 1 (`print`, a library's warning, a C extension, a child process) lands on
standard error, and nothing but the server reads descriptor 0. Reading and writing each have a daemon thread, so that a
client that stops reading cannot hold up the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import queue
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

CHUNK = 65536
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
LONGEST_HEADER = 1 << 20
MOST_UNREAD = 256 << 20
"""Bytes that may wait for a client that does not read before it is given up."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The descriptors that the protocol uses."""

    stdin: int
    stdout: int


def guard() -> Streams:
    """Move the protocol's streams away from descriptors 0 and 1. Children inherit neither."""
    streams = Streams(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin = io.StringIO()
    sys.stdout = sys.stderr
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (streams.stdin, streams.stdout):
            msvcrt.setmode(descriptor, os.O_BINARY)
    return streams


class Reader:
    """Bytes from the client, as pygls' reading loop wants them: an empty result is the end."""

    def __init__(self, descriptor: int, loop: asyncio.AbstractEventLoop) -> None:
        self._descriptor = descriptor
        self._loop = loop
        self._stream = asyncio.StreamReader(limit=LONGEST_HEADER, loop=loop)
        self._ended = False
        self.body = b""
        """The message that was read last."""
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def readline(self) -> bytes:
        """One line of a head with its end; the length as pygls' loop looks for it, however it was written."""
        line = await self._stream.readline()
        length = _LENGTH.fullmatch(line)
        return line if length is None else b"Content-Length: %s\r\n" % length[1]

    async def readexactly(self, n: int) -> bytes:
        """`n` bytes, or none where the input ends before."""
        try:
            self.body = await self._stream.readexactly(n)
        except asyncio.IncompleteReadError:
            self.body = b""
        return self.body

    def end(self) -> None:
        """Behave as if the input had ended."""
        if not self._ended:
            self._ended = True
            self._stream.feed_eof()

    def _feed(self, chunk: bytes) -> None:
        if not self._ended:
            self._stream.feed_data(chunk)

    def _read(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed already
            with contextlib.suppress(OSError):
                while chunk := os.read(self._descriptor, CHUNK):
                    self._loop.call_soon_threadsafe(self._feed, chunk)
            self._loop.call_soon_threadsafe(self.end)


class Writer:
    """Bytes to the client, in order; `lost` is called, from another thread, once nobody reads any more."""

    def __init__(self, descriptor: int, lost: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._lost = lost
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unread = 0
        self._broken = False
        self._thread = threading.Thread(target=self._write, name="stdout", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue one message; returns at once."""
        if self._broken:
            return
        self._unread += len(data)
        if self._unread > MOST_UNREAD:
            self._give_up()
            return
        self._waiting.put(data)

    def close(self) -> None:
        """Write out what is queued, for at most two seconds."""
        self._waiting.put(None)
        self._thread.join(timeout=2)

    def _give_up(self) -> None:
        self._broken = True
        self._lost()

    def _write(self) -> None:
        while (data := self._waiting.get()) is not None:
            rest = memoryview(data)
            try:
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
            except OSError:
                self._give_up()
                return
            self._unread -= len(data)
