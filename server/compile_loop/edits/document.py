"""A file's text as edits see it: lines compared without their ends, places given as character offsets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from compile_loop.edits.indent import BLANK
from compile_loop.edits.lookalikes import fold
from compile_loop.edits.text import split_lines


@dataclass(frozen=True, slots=True)
class Place:
    """`count` whole lines from the zero-based line `first`: characters `start` up to `end` of the text."""

    first: int
    count: int
    start: int
    end: int


def loose_key(line: str) -> str:
    """What is left of a line when white space around it and look-alikes are set aside."""
    return fold(line).rstrip(BLANK).lstrip(" \t")


class Document:
    """A text without byte order mark. `normal` is the same with every line end as LF, line for line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.normal = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    @cached_property
    def lines(self) -> list[str]:
        """Every line without its end."""
        lines = self.normal.split("\n")
        if not lines[-1]:
            lines.pop()
        return lines

    @cached_property
    def loose_keys(self) -> list[str]:
        """`loose_key` of every line."""
        if self.normal.isascii():
            return [line.rstrip(BLANK).lstrip(" \t") for line in self.lines]
        return list(map(loose_key, self.lines))

    @cached_property
    def _starts(self) -> list[int]:
        """Character offset of every line in the text, then of its end."""
        if len(self.text) == len(self.normal) and "\r" not in self.text:
            starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
            starts[-1] = len(self.text)
            return starts
        return list(accumulate(map(len, split_lines(self.text)), initial=0))

    @cached_property
    def _uniform_crlf(self) -> bool:
        return len(self.text) - len(self.normal) == self.normal.count("\n")

    def place(self, first: int, count: int) -> Place:
        """The place of `count` lines from `first`."""
        return Place(first, count, self._starts[first], self._starts[first + count])

    def find_whole_lines(self, lines: list[str], limit: int) -> list[Place]:
        """Every place, up to `limit` and overlapping ones too, whose lines equal `lines` exactly.

        Works on the text at once, so that a file's lines are only looked at one by one where something matched.
        """
        needle, text = "\n".join(lines), self.normal
        found: list[Place] = []
        if text.startswith(needle) and text[len(needle) : len(needle) + 1] in ("", "\n"):
            found.append(self._place_at(0, len(needle), len(lines)))
        bounded = f"\n{needle}\n"
        at = text.find(bounded)
        while at >= 0 and len(found) < limit:
            found.append(self._place_at(at + 1, at + 1 + len(needle), len(lines)))
            at = text.find(bounded, at + 1)
        if len(found) < limit and len(text) > len(needle) and text.endswith(f"\n{needle}") and needle:
            found.append(self._place_at(len(text) - len(needle), len(text), len(lines)))
        return found

    def _place_at(self, start: int, end: int, count: int) -> Place:
        """The place of characters `start` to `end` of the normal text, which are `count` whole lines."""
        first = self.normal.count("\n", 0, start)
        end = min(end + 1, len(self.normal))
        if len(self.text) == len(self.normal) and "\r" not in self.text:
            return Place(first, count, start, end)
        if self._uniform_crlf:
            ends = count if self.normal[end - 1 : end] == "\n" else count - 1
            return Place(first, count, start + first, end + first + ends)
        return self.place(first, count)

    def offset(self, at: int) -> int:
        """The offset in the text of character `at` of the normal text."""
        if "\r" not in self.text:
            return at
        line = self.normal.count("\n", 0, at)
        return self._starts[line] + at - (self.normal.rfind("\n", 0, at) + 1)

    def line_of(self, at: int) -> int:
        """The zero-based line of character `at` of the normal text."""
        return self.normal.count("\n", 0, at)

    @cached_property
    def longest_line(self) -> int:
        """Characters of the longest line."""
        return max(map(len, self.lines), default=0)

    @cached_property
    def usual_end(self) -> str:
        """The line end that most lines have; LF where there is none."""
        pairs = self.text.count("\r\n")
        feeds, returns = self.text.count("\n") - pairs, self.text.count("\r") - pairs
        most = max(pairs, feeds, returns)
        if not most or feeds == most:
            return "\n"
        return "\r\n" if pairs == most else "\r"
