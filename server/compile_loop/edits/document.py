"""A file's text as edits see it: lines compared without their ends, places given as character offsets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, pairwise

from compile_loop.edits.indent import BLANK, indent_of, is_blank
from compile_loop.edits.index import LineIndex
from compile_loop.edits.lookalikes import fold
from compile_loop.edits.text import split_lines

_ASKED_OFTEN = 40
_SAMPLED = 5000
_SOUGHT_OFTEN = 12
_NEAR = 1000


@dataclass(frozen=True, slots=True)
class Place:
    """`count` whole lines from the zero-based line `first`: characters `start` up to `end` of the text."""

    first: int
    count: int
    start: int
    end: int


def loose_key(line: str) -> str:
    """What is left of a line when white space around it and look-alikes are set aside."""
    if not line.isascii():
        line = fold(line)
    return line.rstrip(BLANK).lstrip(" \t")


def _only_end(text: str) -> str | None:
    """The one line end that a text has, LF or CRLF; None where it has both, or lone CRs."""
    if "\r" not in text:
        return "\n"
    pairs = text.count("\r\n")
    return "\r\n" if pairs == text.count("\n") == text.count("\r") else None


class Document:
    """A text without byte order mark. `normal` is the same with every line end as LF, line for line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._asked = 0
        self._seeks = 0
        self._sought: tuple[tuple[str, ...], bool] = ((), False)
        self._end = _only_end(text)

    @cached_property
    def normal(self) -> str:
        """The text with every line end as LF."""
        if self._end == "\n":
            return self.text
        return self.text.replace("\r\n", "\n").replace("\r", "\n")

    @cached_property
    def lines(self) -> list[str]:
        """Every line without its end."""
        lines = self.text.split(self._end) if self._end else self.normal.split("\n")
        if not lines[-1]:
            lines.pop()
        return lines

    @cached_property
    def loose_keys(self) -> list[str]:
        """`loose_key` of every line."""
        if self.text.isascii():
            return [line.rstrip(BLANK).lstrip(" \t") for line in self.lines]
        return list(map(loose_key, self.lines))

    def loose_key_at(self, row: int) -> str:
        """`loose_key` of one line."""
        return self.loose_keys[row] if "loose_keys" in self.__dict__ else loose_key(self.lines[row])

    @cached_property
    def folded(self) -> str:
        """The text with look-alikes made alike; line for line the same."""
        return self.text if self.text.isascii() else fold(self.text)

    def lacks(self, keys: Sequence[str]) -> bool:
        """Whether one of these loose keys is nowhere in the text, not even inside a line: then no tier matches them.

        Says no as well where that has been asked so often that a table of the lines answers sooner.
        """
        wanted = tuple(filter(None, keys))
        if wanted == self._sought[0]:
            return self._sought[1]
        if self._seeks == _SOUGHT_OFTEN:
            return False
        self._seeks += 1
        self._sought = wanted, self._find_lacking(wanted)
        return self._sought[1]

    def _find_lacking(self, wanted: tuple[str, ...]) -> bool:
        text, near = self.folded, 0
        for key in wanted:
            at = text.find(key, near, near + len(key) + _NEAR)
            if at < 0:
                at = text.find(key)
            if at < 0:
                return True
            near = at + len(key)
        return False

    @property
    def uniform(self) -> bool:
        """Whether every line end is the same, LF or CRLF."""
        return self._end is not None

    @cached_property
    def _index(self) -> LineIndex:
        return LineIndex(self.lines)

    @cached_property
    def loose_index(self) -> LineIndex:
        """Where runs of loose keys stand."""
        return LineIndex(self.loose_keys)

    @cached_property
    def full_lines(self) -> tuple[list[int], LineIndex]:
        """The rows of the lines that are not blank, and where runs of their loose keys stand among them."""
        rows = [row for row, key in enumerate(self.loose_keys) if key]
        return rows, LineIndex([self.loose_keys[row] for row in rows])

    @property
    def work(self) -> int:
        """How many lines were looked at, so far, to find runs of them."""
        made = self.__dict__
        indexes: list[LineIndex] = [made[name] for name in ("_index", "loose_index") if name in made]
        if "full_lines" in made:
            indexes.append(self.full_lines[1])
        return sum(index.work for index in indexes)

    @cached_property
    def stripped_lines(self) -> frozenset[str]:
        """Every line without the white space around it."""
        return frozenset(line.strip() for line in self.lines)

    @cached_property
    def _starts(self) -> list[int]:
        """Character offset of every line in the text, then of its end."""
        if self._end is None:
            return list(accumulate(map(len, split_lines(self.text)), initial=0))
        size = len(self._end)
        starts = list(accumulate((len(line) + size for line in self.lines), initial=0))
        starts[-1] = len(self.text)
        return starts

    def place(self, first: int, count: int) -> Place:
        """The place of `count` lines from `first`."""
        return Place(first, count, self._starts[first], self._starts[first + count])

    def find_whole_lines(self, lines: list[str], limit: int) -> list[Place]:
        """Every place, up to `limit` and overlapping ones too, whose lines equal `lines` exactly; not all are blank.

        Works on the text at once, so that a file's lines are only looked at one by one where something matched, or
        where very many questions are asked.
        """
        self._asked += 1
        if self._asked > _ASKED_OFTEN or self._end is None:
            return [self.place(first, len(lines)) for first in islice(self._index.windows(lines), limit)]
        end, text = self._end, self.text
        needle = end.join(lines)
        found: list[Place] = []
        # After a file's last line end there is no further, empty line.
        may_end_file = lines[-1] != ""
        if text.startswith(needle) and (
            text.startswith(end, len(needle)) or (may_end_file and len(text) == len(needle))
        ):
            found.append(self._place_at(0, len(needle), len(lines)))
        bounded = f"{end}{needle}{end}"
        at = text.find(bounded)
        while at >= 0 and len(found) < limit:
            start = at + len(end)
            found.append(self._place_at(start, start + len(needle), len(lines)))
            at = text.find(bounded, at + 1)
        if len(found) < limit and may_end_file and text.endswith(f"{end}{needle}"):
            found.append(self._place_at(len(text) - len(needle), len(text), len(lines)))
        return found

    def _place_at(self, start: int, end: int, count: int) -> Place:
        """The place of characters `start` to `end` of the text, which are `count` whole lines without the last end."""
        return Place(self.text.count("\n", 0, start), count, start, min(end + len(self._end or ""), len(self.text)))

    def offset(self, at: int) -> int:
        """The offset in the text of character `at` of the normal text."""
        if self._end == "\n":
            return at
        line = self.normal.count("\n", 0, at)
        return self._starts[line] + at - (self.normal.rfind("\n", 0, at) + 1)

    def line_of(self, at: int) -> int:
        """The zero-based line of character `at` of the normal text."""
        return self.normal.count("\n", 0, at)

    @cached_property
    def indent_step(self) -> int:
        """By how many spaces a line is mostly indented further than the one above; 0 where tabs do it, or nothing."""
        widths = [len(indent_of(line)) for line in self.lines[:_SAMPLED] if not is_blank(line) and line[:1] != "\t"]
        steps = Counter(deep - flat for flat, deep in pairwise(widths) if 1 < deep - flat <= 8)
        return steps.most_common(1)[0][0] if steps else 0

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
