"""A process's output as lines, in bounded memory (SPEC K3, D6)."""

from __future__ import annotations

import codecs
from collections import deque

MAX_LINE = 1 << 16
MAX_JSON_LINE = 1 << 23
_HALF = 32_000


class LineSplitter:
    """Bytes in pieces → lines without their ends.

    A line longer than 64 KiB is cut into several; one that is JSON, which some tools print whole, only beyond 8 MiB. Not
    UTF-8: replaced, never dropped.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes) -> list[str]:
        """Lines that are complete now."""
        *lines, self._rest = (self._rest + self._decoder.decode(data)).split("\n")
        longest = MAX_JSON_LINE if self._rest.startswith(("{", "[")) else MAX_LINE
        while len(self._rest) > longest:
            lines.append(self._rest[:longest])
            self._rest = self._rest[longest:]
        return lines

    @property
    def unfinished(self) -> str:
        """The start of a line whose end has not come: often a prompt."""
        return self._rest

    def close(self) -> list[str]:
        """What is left when the stream ends."""
        rest = self._rest + self._decoder.decode(b"", final=True)
        self._rest = ""
        return [rest] if rest else []


class HeadAndTail:
    """The first and the last 32,000 characters of a text of any length, in whole lines."""

    def __init__(self) -> None:
        self._head: list[str] = []
        self._head_room = _HALF
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._dropped = 0

    def add(self, line: str) -> None:
        """One more line, without its end."""
        if len(line) > MAX_LINE:
            line = (
                f"{line[: MAX_LINE // 4]}[… {len(line) - MAX_LINE // 2} characters left out …]{line[-MAX_LINE // 4 :]}"
            )
        size = len(line) + 1
        if self._head_room >= size and not self._tail:
            self._head.append(line)
            self._head_room -= size
            return
        self._tail.append(line)
        self._tail_size += size
        while self._tail_size > _HALF and len(self._tail) > 1:
            self._tail_size -= len(self._tail.popleft()) + 1
            self._dropped += 1

    def text(self) -> str:
        """What was kept, with a line that counts what was not."""
        gap = [f"[… {self._dropped} lines left out …]"] if self._dropped else []
        lines = [*self._head, *gap, *self._tail]
        return "\n".join(lines) + ("\n" if lines else "")
