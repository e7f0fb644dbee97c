"""A process's output as lines, in bounded memory (SPEC K3, D6)."""

from __future__ import annotations

from collections import deque

MAX_LINE = 1 << 16
MAX_JSON_LINE = 1 << 23
_HALF = 32_000


class LineSplitter:
    """Bytes in pieces → lines without their ends, a carriage return before the end included.

    A line longer than 64 KiB is cut into several; one that is JSON, which some tools print whole, only beyond 8 MiB. What
    is not UTF-8 is in `encoding` (a console's code page), where one is given; what is in neither is replaced, never
    dropped.
    """

    def __init__(self, encoding: str | None = None) -> None:
        self._encoding = encoding
        self._rest: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[str]:
        """Lines that are complete now."""
        whole, end, rest = data.rpartition(b"\n")
        if not end:
            return self._unended(data)
        whole = b"".join((*self._rest, whole))
        self._rest, self._size = ([rest], len(rest)) if rest else ([], 0)
        return self._lines(whole)

    def _unended(self, data: bytes) -> list[str]:
        """A piece of a line that goes on; cut off where it is too long to keep."""
        self._rest.append(data)
        self._size += len(data)
        longest = MAX_JSON_LINE if self._rest[0].startswith((b"{", b"[")) else MAX_LINE
        if self._size <= longest:
            return []
        text = b"".join(self._rest)
        cut = longest
        while cut > longest - 4 and text[cut] & 0xC0 == 0x80:  # not within a character
            cut -= 1
        self._rest, self._size = [text[cut:]], len(text) - cut
        return self._lines(text[:cut])

    def _lines(self, data: bytes) -> list[str]:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return [self._one(line) for line in data.split(b"\n")]
        lines = text.split("\n")
        return [line.removesuffix("\r") for line in lines] if "\r" in text else lines

    def _one(self, line: bytes) -> str:
        """One line of an output that is not all UTF-8: each line may come from another program."""
        try:
            text = line.decode()
        except UnicodeDecodeError:
            text = line.decode(self._encoding or "utf-8", "replace")
        return text.removesuffix("\r")

    @property
    def unfinished(self) -> str:
        """The start of a line whose end has not come: often a prompt."""
        return b"".join(self._rest).decode("utf-8", "replace") if self._size <= MAX_LINE else ""

    def close(self) -> list[str]:
        """What is left when the stream ends."""
        rest, self._rest, self._size = b"".join(self._rest), [], 0
        return self._lines(rest) if rest else []


class HeadAndTail:
    """The first and the last 32,000 characters of a text of any length, in whole lines."""

    def __init__(self) -> None:
        self._head: list[str] = []
        self._head_room = _HALF
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._dropped = 0

    def add(self, lines: list[str]) -> None:
        """Further lines, without their ends."""
        taken = 0
        while taken < len(lines) and not self._tail:
            line = _shortened(lines[taken])
            if self._head_room <= len(line):
                break
            self._head.append(line)
            self._head_room -= len(line) + 1
            taken += 1
        rest = lines[taken:]
        size, first = 0, len(rest)
        while first > 0 and size <= _HALF:
            first -= 1
            size += len(rest[first]) + 1
        if size > _HALF:  # what came before goes anyway
            self._dropped += len(self._tail) + first
            self._tail.clear()
            self._tail_size = 0
        for line in map(_shortened, rest[first:]):
            self._tail.append(line)
            self._tail_size += len(line) + 1
        while self._tail_size > _HALF and len(self._tail) > 1:
            self._tail_size -= len(self._tail.popleft()) + 1
            self._dropped += 1

    def text(self) -> str:
        """What was kept, with a line that counts what was not."""
        gap = [f"[… {self._dropped} lines left out …]"] if self._dropped else []
        lines = [*self._head, *gap, *self._tail]
        return "\n".join(lines) + ("\n" if lines else "")


def _shortened(line: str) -> str:
    if len(line) <= MAX_LINE:
        return line
    quarter = MAX_LINE // 4
    return f"{line[:quarter]}[… {len(line) - 2 * quarter} characters left out …]{line[-quarter:]}"
