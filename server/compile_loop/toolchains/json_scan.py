"""JSON as tools print it into their output: found while it streams, object by object, also where it is cut off.

A document may be on one line or on thousands, may begin after other text on its line, and may never end. Whatever
object is complete can be read; nothing but the open objects is kept.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)|[{}\[\]]')
_PART_OF_JSON = re.compile(r'\s*(?:["{}\[\],:]|-?\d|true\b|false\b|null\b|$)')
_HEAD = 4096
_LARGEST = 32 * 1024 * 1024
"""Characters of one object that are kept; a longer one is not read."""
_DEEPEST = 64
"""Containers in one another; more are no report of a tool, but text with braces that never close."""
_PATIENCE = 200
"""Lines in a row of other streams that an open document survives."""

Wanted = Callable[[int, str], bool]
"""Given an object's depth (0 for the outermost) and its first 4096 characters: whether its text is asked for."""


@dataclass(slots=True)
class _Container:
    start: int
    kept: bool
    judged: bool = False


class JsonScanner:
    """Finds the objects of one JSON document. `wanted` decides which are worth keeping."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._lines: deque[str] = deque()
        self._first = 0  # how many characters came before the first kept line
        self._end = 0
        self._open: list[_Container] = []
        self._begun = False
        self._foreign = 0

    @property
    def complete(self) -> bool:
        """Whether the outermost container is closed, or nothing can come of it any more."""
        return self._begun and (not self._open or len(self._open) > _DEEPEST or self._foreign > _PATIENCE)

    def continues(self, line: str) -> bool:
        """Whether a line can belong to the open document at all; another stream's text cannot."""
        if _PART_OF_JSON.match(line) is None:
            self._foreign += 1
            return False
        self._foreign = 0
        return not self.complete

    def feed(self, line: str) -> Iterator[tuple[int, str]]:
        """Take the next line; yields depth and text of each wanted object that it completes."""
        at = self._end
        self._lines.append(line)
        self._end += len(line)
        for token in _TOKEN.finditer(line):
            mark = token[0]
            if mark in ("{", "["):
                self._begun = True
                self._open.append(_Container(at + token.start(), kept=mark == "{"))
            elif mark in ("}", "]") and self._open:
                closed = self._open.pop()
                if closed.kept and self._judge(closed, len(self._open), at + token.end()):
                    yield len(self._open), self._text(closed.start, at + token.end())
                if not self._open:
                    break
        self._forget()

    def _judge(self, container: _Container, depth: int, end: int) -> bool:
        if not container.judged:
            container.judged = True
            container.kept = self._wanted(depth, self._text(container.start, min(end, container.start + _HEAD)))
        return container.kept

    def _text(self, start: int, end: int) -> str:
        parts, at = [], self._end
        for line in reversed(self._lines):
            at -= len(line)
            if at < end:
                parts.append(line[max(start - at, 0) : end - at])
            if at <= start:
                break
        return "".join(reversed(parts))

    def _forget(self) -> None:
        """Drop what no open object needs."""
        for depth, container in enumerate(self._open):
            size = self._end - container.start
            if size > _LARGEST:
                container.kept = False
            elif size > _HEAD and container.kept:
                self._judge(container, depth, self._end)
        needed = min((container.start for container in self._open if container.kept), default=self._end)
        while self._lines and self._first + len(self._lines[0]) <= needed:
            self._first += len(self._lines.popleft())
