"""A reply's SEARCH/REPLACE blocks, read line by line (SPEC E1, E2, E4, Q11).

A block is an opening marker `<<<<<<< SEARCH`, a divider `=======` and an end `>>>>>>> REPLACE`; the opening marker's
width sets the other two's. Lines of other widths are content. With several targets a line `<<< path=RELPATH >>>` stands
before the first block of each file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from compile_loop.edits.paths import PathError, normalise
from compile_loop.edits.text import line_end, split_lines

_OPEN = re.compile(r"[ \t]*(<{3,})[ \t]*SEARCH[ \t]*>?[ \t]*", re.IGNORECASE)
_DIVIDER = re.compile(r"[ \t]*(={3,})[ \t]*")
_END = re.compile(r"[ \t]*(>{3,})[ \t]*REPLACE[ \t]*<?[ \t]*", re.IGNORECASE)
_HEADER = re.compile(r"[ \t]*<{3,}[ \t]*path[ \t]*=(.*[^>])>{3,}[ \t]*", re.IGNORECASE)
_ESCAPED = re.compile(r"[ \t]*\\(?:<{3,}|={3,}|>{3,})(?:[ \t].*)?")
_LONGEST_MARKER = 4096
_MOST_DIVIDERS = 16
_MARKS = ("<<<", "===", ">>>")


class Trouble(str, Enum):
    """What is wrong with a reply's form."""

    NO_HEADER = "no_header"
    REPEATED_HEADER = "repeated_header"
    MISSING_DIVIDER = "missing_divider"
    MISSING_END = "missing_end"
    STRAY_END = "stray_end"
    INNER_MARKER = "inner_marker"
    TOO_MANY_DIVIDERS = "too_many_dividers"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a block: lines of SEARCH and REPLACE without their ends."""

    search: tuple[str, ...]
    replace: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One block; `index` counts from 1, `line` is the opening marker's one-based line in the reply.

    `readings` are all ways to divide it where content looks like the divider too, in the order of the dividers;
    `width` is that of its markers. `header` is the path as the reply wrote it.
    """

    index: int
    line: int
    header: str | None
    width: int
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """A block, or what should have been one, that cannot be read; `detail` is a sentence for the model."""

    index: int
    line: int
    header: str | None
    trouble: Trouble
    detail: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reply holds, in its order."""

    blocks: tuple[Block, ...]
    broken: tuple[Broken, ...]
    headers: tuple[str, ...]


def _may_mark(line: str) -> bool:
    """Whether a line could be a marker or a header, at the first look."""
    return line.lstrip(" \t").startswith(_MARKS)


def _width(pattern: re.Pattern[str], line: str) -> int:
    """The width of the marker that `line` is, else 0."""
    if len(line) > _LONGEST_MARKER:
        return 0
    match = pattern.fullmatch(line)
    return len(match[1]) if match else 0


def parse(reply: str, *, several: bool) -> Parsed:
    """Read every block of a reply. `several`: headers are needed; otherwise they are allowed and carried along."""
    return _Parser(several).parse(reply)


class _Parser:
    def __init__(self, several: bool) -> None:
        self._several = several
        self._blocks: list[Block] = []
        self._broken: list[Broken] = []
        self._headers: list[str] = []
        self._seen: set[str] = set()
        self._repeated = False
        self._count = 0

    def parse(self, reply: str) -> Parsed:
        lines = [line[: len(line) - len(line_end(line))] for line in split_lines(reply)]
        at = 0
        while at < len(lines):
            line = lines[at]
            if not _may_mark(line):
                at += 1
                continue
            if width := _width(_OPEN, line):
                at = self._block(lines, at, width)
                continue
            if _width(_END, line):
                self._stray_end(at)
            elif header := _header(line):
                self._repeated = _plain(header) in self._seen
                self._seen.add(_plain(header))
                self._headers.append(header)
            at += 1
        return Parsed(tuple(self._blocks), tuple(self._broken), tuple(self._headers))

    @property
    def _header(self) -> str | None:
        return self._headers[-1] if self._headers else None

    def _block(self, lines: list[str], opened: int, width: int) -> int:
        """Read the block that opens at line `opened`; gives the line to go on from."""
        self._count += 1
        dividers: list[int] = []
        at = opened + 1
        while at < len(lines):
            line = lines[at]
            if not _may_mark(line):
                at += 1
                continue
            if _width(_OPEN, line) == width:
                return self._unfinished(lines, opened, at, width, dividers)
            if _width(_DIVIDER, line) == width:
                dividers.append(at)
            elif _width(_END, line) == width:
                if not dividers:
                    self._break(
                        opened,
                        Trouble.MISSING_DIVIDER,
                        f"it has no divider line {'=' * width!r} between SEARCH and REPLACE",
                    )
                else:
                    self._accept(lines, opened, at, width, dividers)
                return at + 1
            at += 1
        return self._unfinished(lines, opened, at, width, dividers)

    def _unfinished(self, lines: list[str], opened: int, stop: int, width: int, dividers: list[int]) -> int:
        wanted = f"{'>' * width} REPLACE"
        how = (
            f"another block begins at line {stop + 1} of the reply before"
            if stop < len(lines)
            else "the reply ends before"
        )
        detail = f"{how} its end line {wanted!r}"
        if not dividers:
            detail = f"{how} its divider line {'=' * width!r} and its end line {wanted!r}"
        near = next((row for row in range(opened + 1, stop) if _width(_END, lines[row])), None)
        if near is not None:
            detail += (
                f"; line {near + 1} of the reply has {_width(_END, lines[near])} '>', but the opening line has {width} '<' "
                "and all three marker lines must have the same number"
            )
        self._break(opened, Trouble.MISSING_END if dividers else Trouble.MISSING_DIVIDER, detail)
        return stop

    def _accept(self, lines: list[str], opened: int, end: int, width: int, dividers: list[int]) -> None:
        if len(dividers) > _MOST_DIVIDERS:
            detail = f"{len(dividers)} lines of it could be its divider; give its marker lines another width"
            self._break(opened, Trouble.TOO_MANY_DIVIDERS, detail)
            return
        readings = tuple(
            Reading(tuple(lines[opened + 1 : divider]), tuple(lines[divider + 1 : end])) for divider in dividers
        )
        if self._several and self._header is None:
            self._break(opened, Trouble.NO_HEADER, "no line `<<< path=RELPATH >>>` before it says which file it is for")
        elif self._several and self._repeated:
            self._break(
                opened,
                Trouble.REPEATED_HEADER,
                f"the header for {self._header} stands twice in the reply; put all blocks of a file under one header",
            )
        elif all(_unbalanced(reading.search) or _unbalanced(reading.replace) for reading in readings):
            self._break(
                opened,
                Trouble.INNER_MARKER,
                "its content has marker lines of another width that do not pair up, so its end is unsure",
            )
        else:
            self._blocks.append(Block(self._count, opened + 1, self._header, width, readings))

    def _stray_end(self, at: int) -> None:
        detail = (
            f"line {at + 1} of the reply is an end marker outside of any block; where a block's content has such a line, "
            "give the block's own three marker lines another width, such as 9 characters (an opening line is `<<<<<<< SEARCH` "
            "and nothing else)"
        )
        if self._blocks and self._blocks[-1].index == self._count:
            last = self._blocks.pop()
            self._broken.append(Broken(last.index, last.line, last.header, Trouble.STRAY_END, detail))
        elif not self._broken or self._broken[-1].index != self._count or not self._count:
            self._count += 1
            self._break(at, Trouble.STRAY_END, detail)

    def _break(self, opened: int, trouble: Trouble, detail: str) -> None:
        self._broken.append(Broken(self._count, opened + 1, self._header, trouble, detail))


def _plain(path: str) -> str:
    try:
        return normalise(path)
    except PathError:
        return path


def _header(line: str) -> str | None:
    if len(line) > _LONGEST_MARKER:
        return None
    match = _HEADER.fullmatch(line)
    path = match[1].strip().strip("`'\"").strip() if match else ""
    return path or None


def _unbalanced(lines: Sequence[str]) -> bool:
    """Whether markers of other blocks stand in content without their counterparts.

    A block with a mistyped end would otherwise take in its neighbours.
    """
    opened = 0
    for line in filter(_may_mark, lines):
        if width := _width(_OPEN, line):
            if opened:
                return True
            opened = width
        elif width := _width(_END, line):
            if width != opened:
                return True
            opened = 0
    return bool(opened)


def candidate_readings(block: Block) -> Iterator[Reading]:
    """The readings worth trying: REPLACE may not have more lines like the divider than SEARCH shows there to be.

    Without that, a doubled divider would end up in the file.
    """
    if len(block.readings) == 1:
        yield block.readings[0]
        return
    last = len(block.readings) - 1
    for position, reading in enumerate(block.readings):
        if last - position <= position and not _unbalanced(reading.search) and not _unbalanced(reading.replace):
            yield reading


def unescaped(reading: Reading) -> Reading | None:
    """The same with `\\<<<<<<<`, `\\=======` and `\\>>>>>>>` at the start of a line freed of the backslash, if any is."""
    search, replace = (tuple(map(_without_backslash, part)) for part in (reading.search, reading.replace))
    changed = Reading(search, replace)
    return None if changed == reading else changed


def unescaped_replace(reading: Reading, width: int) -> Reading:
    """The same where only REPLACE escapes, and only lines that would be markers of the block's own width."""
    mark = re.compile(rf"[ \t]*\\([<=>])\1{{{width - 1}}}(?:[ \t].*)?")
    replace = tuple(_without_backslash(line) if mark.fullmatch(line) else line for line in reading.replace)
    return Reading(reading.search, replace)


def _without_backslash(line: str) -> str:
    if len(line) > _LONGEST_MARKER or not _ESCAPED.fullmatch(line):
        return line
    return line.replace("\\", "", 1)
