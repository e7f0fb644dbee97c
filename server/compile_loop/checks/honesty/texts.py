"""A file before and after as rows of text, and which rows differ."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from compile_loop.contracts.edits import FileChange
from compile_loop.edits.linediff import changed_runs


class Text:
    """A file's text with line ends unified; rows count from 0. A file that does not exist is empty."""

    def __init__(self, data: bytes | None, encoding: str) -> None:
        self.exists = data is not None
        self.text = _decode(data or b"", encoding)
        self.rows = self.text.split("\n")

    @cached_property
    def data(self) -> bytes:
        """The text as UTF-8, for a parser; a row here is a row there."""
        return self.text.encode("utf-8", "replace")

    def row(self, number: int) -> str:
        """A row's text, empty beyond the end."""
        return self.rows[number] if 0 <= number < len(self.rows) else ""


def _decode(data: bytes, encoding: str) -> str:
    try:
        codec = codecs.lookup(encoding).name
    except LookupError:
        codec = "utf-8"
    text = data.decode(codec, "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True, slots=True)
class RowHunk:
    """Rows `old_start` up to `old_end` became rows `new_start` up to `new_end`; either side may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class Change:
    """One file's change, row by row."""

    def __init__(self, change: FileChange) -> None:
        self.path = change.path
        self.old = Text(change.before, change.encoding)
        self.new = Text(change.after, change.encoding)
        self.hunks = _hunks(self.old.rows, self.new.rows)
        self.added = frozenset(row for h in self.hunks for row in range(h.new_start, h.new_end))
        self.removed = frozenset(row for h in self.hunks for row in range(h.old_start, h.old_end))
        self._starts = [h.new_start for h in self.hunks]

    @cached_property
    def punctuates(self) -> bool:
        """Whether no letter came, went or moved, so that only signs between words differ."""
        return re.sub(r"\W+", "", self.old.text) == re.sub(r"\W+", "", self.new.text)

    def touches(self, first: int, last: int) -> bool:
        """Whether new rows `first` to `last`, both included, hold an added row or enclose a place where rows vanished."""
        at = bisect_right(self._starts, last)
        for hunk in reversed(self.hunks[:at]):
            if hunk.new_end > hunk.new_start:
                if hunk.new_end > first:
                    return True
                if hunk.new_end < first:
                    return False
            elif first < hunk.new_start <= last:
                return True
            elif hunk.new_start < first:
                return False
        return False

    def old_span(self, row: int) -> tuple[int, int]:
        """The old rows, first and last, that a new row stands for: its own, or those that its hunk replaced."""
        shift = 0
        for hunk in self.hunks:
            if row < hunk.new_start:
                break
            if row < hunk.new_end:
                return hunk.old_start, max(hunk.old_start, hunk.old_end - 1)
            shift = hunk.old_end - hunk.new_end
        return row + shift, row + shift

    def kept_as(self, old_row: int) -> int | None:
        """The new row that an unchanged old row became; None where it was changed or removed."""
        shift = 0
        for hunk in self.hunks:
            if old_row < hunk.old_start:
                break
            if old_row < hunk.old_end:
                return None
            shift = hunk.new_end - hunk.old_end
        return old_row + shift


def _hunks(old: list[str], new: list[str]) -> tuple[RowHunk, ...]:
    return tuple(RowHunk(*run) for run in changed_runs(old, new))
