"""The column units that tools count in, and the way from each to an index into the line.

Every tool has its own: bytes, code points, UTF-16 units, terminal cells. An index here is an index into the Python
string of one line, without its end and without a byte order mark.
"""

from __future__ import annotations

import unicodedata
from enum import Enum


class Unit(Enum):
    """What one column is."""

    BYTES = "bytes"
    CODEPOINTS = "codepoints"
    UTF16 = "utf16"
    DISPLAY = "display"
    """Terminal cells: a tab goes to the next multiple of eight, wide characters take two, combining ones none."""
    UTF16_TAB8 = "utf16_tab8"
    CODEPOINTS_TAB8 = "codepoints_tab8"


_VISIBLE_FORMATS = frozenset(
    "\u00ad\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
_TABBED = frozenset({Unit.DISPLAY, Unit.UTF16_TAB8, Unit.CODEPOINTS_TAB8})


def cells(char: str) -> int:
    """How many terminal cells a character takes: 0, 1 or 2."""
    if char < "\u0300" or char in _VISIBLE_FORMATS:
        return 1
    category = unicodedata.category(char)
    if category in {"Mn", "Me", "Cf"} or "\u1160" <= char <= "\u11ff":  # the latter: second parts of Hangul syllables
        return 0
    return 2 if category != "Cn" and unicodedata.east_asian_width(char) in "WF" else 1


def size(char: str, unit: Unit, encoding: str) -> int:
    """How many columns of `unit` a character other than a tab takes."""
    if unit is Unit.BYTES:
        return len(char.encode(encoding, "surrogateescape")) if char > "\x7f" else 1
    if unit in (Unit.UTF16, Unit.UTF16_TAB8):
        return 2 if char > "\uffff" else 1
    return cells(char) if unit is Unit.DISPLAY else 1


def index_of(line: str, column: int, unit: Unit, *, encoding: str = "utf-8", tab: int = 8) -> int:
    """The index of the character that zero-based `column` falls in, clamped to the line.

    `encoding` is the file's, for bytes; `tab` is the distance between tab stops, for units that expand tabs.
    """
    if column <= 0:
        return 0
    if line.isascii() and (unit not in _TABBED or "\t" not in line):
        return min(column, len(line))
    if unit is Unit.CODEPOINTS:
        return min(column, len(line))
    at = 0
    for index, char in enumerate(line):
        at += tab - at % tab if char == "\t" and unit in _TABBED else size(char, unit, encoding)
        if at > column:
            return index
    return len(line)


def column_of(line: str, index: int, unit: Unit, *, encoding: str = "utf-8", tab: int = 8) -> int:
    """The zero-based column of the character at `index`."""
    if line.isascii() and "\t" not in line:
        return min(index, len(line))
    at = 0
    for char in line[:index]:
        at += tab - at % tab if char == "\t" and unit in _TABBED else size(char, unit, encoding)
    return at


def utf16(line: str, index: int) -> int:
    """How many UTF-16 units lie before `index`, as the Language Server Protocol counts."""
    head = line[:index]
    return index if head.isascii() else index + sum(char > "\uffff" for char in head)


def index_in_expanded(line: str, column: int, tab: int) -> int:
    """The index of the character at terminal cell `column` of a line that is printed with `tab` blanks for each tab."""
    at = 0
    for index, char in enumerate(line):
        at += tab if char == "\t" else cells(char)
        if at > column:
            return index
    return len(line)
