"""The files as the tool saw them: names to paths, and the tool's lines and columns to ranges."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from compile_loop.contracts.diagnostics import Position, Range
from compile_loop.edits.text import SourceText, UndecodableError, decode, line_end, utf16_length
from compile_loop.toolchains.columns import Unit, column_of, index_of, utf16
from compile_loop.toolchains.names import Names
from compile_loop.toolchains.sources import Sources
from compile_loop.toolchains.tokens import only_place, quoted, stands_at, token_end, trimmed

_KEPT = 64
_LARGEST = 8 * 1024 * 1024


class Text:
    """A file's lines without their ends; a last line that is empty counts, as it does for compilers and editors."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.lines = [line.removesuffix(line_end(line)) for line in source.lines]
        if not source.lines or line_end(source.lines[-1]):
            self.lines.append("")

    @property
    def encoding(self) -> str:
        """The Python codec name of the file's bytes."""
        return self.source.encoding


@dataclass(frozen=True, slots=True)
class Place:
    """A character in a file: an absolute path, a zero-based line, and an index into that line's string."""

    path: str
    line: int
    index: int


class Tree:
    """Names and texts of the user's files, as readers need them. Keeps the last few texts, bounded."""

    def __init__(self, *, root: str, cwd: str, sources: Sources) -> None:
        self.names = Names(root=root, cwd=cwd, sources=sources)
        self._sources = sources
        self._texts: OrderedDict[str, Text | None] = OrderedDict()

    def resolve(self, name: str, *bases: str) -> str | None:
        """The absolute path of the file that a tool called `name`, or None."""
        return self.names.resolve(name, *bases)

    def shown(self, path: str | None) -> str | None:
        """An absolute path as diagnostics name it."""
        return None if path is None else self.names.shown(path)

    def read(self, path: str) -> bytes | None:
        """A file's bytes, for readers that look into a manifest."""
        return self._sources.read(path)

    def text(self, path: str) -> Text | None:
        """A file's text, or None if it is gone or far too large to be source."""
        if path in self._texts:
            self._texts.move_to_end(path)
            return self._texts[path]
        data = self._sources.read(path)
        text = _decode(data) if data is not None and len(data) <= _LARGEST else None
        self._texts[path] = text
        if len(self._texts) > _KEPT:
            self._texts.popitem(last=False)
        return text

    def line(self, path: str, line: int) -> str | None:
        """The zero-based `line` of a file, without its end."""
        text = self.text(path)
        return text.lines[line] if text and 0 <= line < len(text.lines) else None

    def place(self, path: str, line: int, column: int, unit: Unit) -> Place:
        """The character at a tool's zero-based `line` and `column`, clamped to the file's end."""
        text = self.text(path)
        if text is None:
            return Place(path, max(line, 0), max(column, 0))
        if line >= len(text.lines):
            last = len(text.lines) - 1
            return Place(path, last, len(text.lines[last]))
        line = max(line, 0)
        return Place(path, line, index_of(text.lines[line], column, unit, encoding=text.encoding))

    def position_of_byte(self, path: str, offset: int) -> Position | None:
        """The position of a byte offset into the file, its byte order mark included."""
        text = self.text(path)
        return None if text is None else text.source.position_at(offset)

    def position_of_utf16(self, path: str, offset: int) -> Position | None:
        """The position of an offset in UTF-16 units into the file's text, its byte order mark left out."""
        if (text := self.text(path)) is None:
            return None
        for number, line in enumerate(text.source.lines):
            length = utf16_length(line)
            if offset < length:
                return Position(number, min(offset, utf16_length(text.lines[number])))
            offset -= length
        return Position(len(text.lines) - 1, utf16_length(text.lines[-1]))

    def place_by_units(self, path: str, line: int, column: int, units: tuple[Unit, ...], message: str) -> Place:
        """The character at a position whose unit is one of `units`: the first under which the quoted name stands there.

        Where no unit fits, the first of `units` is believed.
        """
        first = self.place(path, line, column, units[0])
        text = self.line(path, first.line)
        if text is None or (text.isascii() and "\t" not in text):
            return first
        names = quoted(message)
        for unit in units:
            place = self.place(path, line, column, unit)
            if any(stands_at(text, place.index, name) for name in names):
                return place
        return first

    def repaired(self, place: Place, message: str) -> Place:
        """`place`, moved to the name that the message quotes if that stands once on the line, and not there."""
        if (text := self.line(place.path, place.line)) is None:
            return place
        names = quoted(message)
        if any(stands_at(text, place.index, name) for name in names):
            return place
        for name in names:
            if (index := only_place(text, name)) is not None:
                return Place(place.path, place.line, index)
        return place

    def position(self, place: Place) -> Position:
        """A place in the units of the Language Server Protocol."""
        text = self.line(place.path, place.line)
        return Position(place.line, place.index if text is None else utf16(text, place.index))

    def between(self, start: Place, end: Place) -> Range:
        """From one place up to another, which is not before it."""
        first, last = self.position(start), self.position(end)
        return Range(first, max(first, last))

    def token(self, place: Place, *, bang: bool = False) -> Range:
        """The token that starts at a place."""
        text = self.line(place.path, place.line)
        end = place.index if text is None else token_end(text, place.index, bang=bang)
        return self.between(place, Place(place.path, place.line, end))

    def named(self, place: Place, message: str) -> Range:
        """What the message quotes, if that stands at the place; else the token there."""
        text = self.line(place.path, place.line)
        for name in quoted(message) if text is not None else ():
            if text is not None and stands_at(text, place.index, name):
                return self.between(place, Place(place.path, place.line, place.index + len(name)))
        return self.token(place)

    def cells(self, place: Place, width: int, *, tab: int = 8) -> Range:
        """From a place on, `width` terminal cells wide."""
        text = self.line(place.path, place.line)
        if text is None:
            return self.between(place, Place(place.path, place.line, place.index + width))
        column = column_of(text, place.index, Unit.DISPLAY, tab=tab) + width
        end = index_of(text, column, Unit.DISPLAY, tab=tab)
        return self.between(place, Place(place.path, place.line, end))

    def whole_line(self, path: str, line: int, message: str = "") -> Range:
        """A zero-based line without the white space around it, or the quoted name in it if that stands there once."""
        if (found := self.text(path)) is None:
            return Range.of(max(line, 0), 0, max(line, 0), 0)
        line = min(max(line, 0), len(found.lines) - 1)
        text = found.lines[line]
        for name in quoted(message):
            if (index := only_place(text, name)) is not None:
                return self.between(Place(path, line, index), Place(path, line, index + len(name)))
        start, end = trimmed(text)
        return self.between(Place(path, line, start), Place(path, line, end))


def _decode(data: bytes) -> Text:
    try:
        return Text(decode(data))
    except UndecodableError:
        return Text(decode(data, "iso8859-1"))
