"""The one line model: bytes to text and back, with byte order mark, encoding and every line's own end kept (SPEC E8).

Only CRLF, LF and CR end a line; a form feed, U+0085 or U+2028 does not. Everything that counts lines (edits,
diagnostics, the language server) counts them here.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from compile_loop.contracts.diagnostics import Position

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16 LE, whose mark is its first half
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BOM_OF = {name: bom for bom, name in _BOMS}

# How editors spell encodings where Python's own aliases do not know the name.
_EDITOR_NAMES = {
    "utf8bom": "utf-8",
    "utf16": "utf-16-le",
    "utf16le": "utf-16-le",
    "utf16be": "utf-16-be",
    "ucs2": "utf-16-le",
    "utf32": "utf-32-le",
    "utf32le": "utf-32-le",
    "utf32be": "utf-32-be",
    "utf8sig": "utf-8",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "tis620": "iso8859-11",
    "macroman": "mac-roman",
}
_NUMBERED = re.compile(r"(windows|cp|iso8859)(\d+)")


class UndecodableError(ValueError):
    """A file's bytes are no text in its encoding. The message is the reason alone, without the file's name."""


def codec_name(encoding: str) -> str:
    """Python's name for an encoding as an editor spells it (`utf8bom`, `windows1252`, `iso88591`, `utf16le`).

    Raises `UndecodableError` for a name that stands for no text encoding.
    """
    plain = re.sub(r"[^a-z0-9]", "", encoding.lower())
    name = _EDITOR_NAMES.get(plain, encoding)
    if numbered := _NUMBERED.fullmatch(plain):
        family, number = numbered.groups()
        name = f"iso8859-{number}" if family == "iso8859" else f"cp{number}"
    try:
        info = codecs.lookup(name)
    except LookupError:
        raise UndecodableError(f"its encoding {encoding!r} is not known") from None
    if not getattr(info, "_is_text_encoding", True):
        raise UndecodableError(f"{encoding!r} is no text encoding")
    return info.name


def split_lines(text: str) -> list[str]:
    """The lines of `text`, each with its end (CRLF, LF or CR); the last may have none; joined they are `text` again."""
    if "\r" in text:
        return _LINE.findall(text)
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    if last:
        lines.append(last)
    return lines


def line_end(line: str) -> str:
    """The end of one line as `split_lines` gives it: `\\r\\n`, `\\n`, `\\r` or nothing."""
    if line.endswith("\r\n"):
        return "\r\n"
    return line[-1:] if line.endswith(("\n", "\r")) else ""


def utf16_length(text: str) -> int:
    """How many UTF-16 code units `text` takes."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True)
class SourceText:
    """A file's text without its byte order mark; `encoding` is the Python codec name; `encode()` gives the bytes back."""

    text: str
    bom: bytes = b""
    encoding: str = "utf-8"

    def encode(self, text: str | None = None) -> bytes:
        """The whole file's bytes, with `text` in place of its own where given. Raises `UnicodeEncodeError`."""
        return self.bom + (self.text if text is None else text).encode(self.encoding)

    @cached_property
    def lines(self) -> list[str]:
        """Every line with its end."""
        return split_lines(self.text)

    @cached_property
    def _bounds(self) -> list[int]:
        """Byte offset of each line's start, then of the end of the file."""
        if self.text.isascii() and self.encoding in ("utf-8", "ascii", "iso8859-1", "cp1252"):
            lengths = list(map(len, self.lines))
        else:
            lengths = [len(line.encode(self.encoding)) for line in self.lines]
        return list(accumulate(lengths, initial=len(self.bom)))

    def position_at(self, offset: int) -> Position:
        """The position of a byte offset in the file; one inside the mark, a character or a CRLF goes to its start."""
        lines, bounds = self.lines, self._bounds
        offset = max(len(self.bom), min(offset, bounds[-1]))
        index = bisect_right(bounds, offset) - 1
        if index >= len(lines):
            if not lines or line_end(lines[-1]):
                return Position(len(lines), 0)
            index = len(lines) - 1
        line = lines[index]
        inside = line.encode(self.encoding)[: offset - bounds[index]].decode(self.encoding, "ignore")
        body = len(line) - len(line_end(line))
        return Position(index, utf16_length(line[: min(len(inside), body)]))

    def offset_at(self, position: Position) -> int:
        """The byte offset of a position, clamped to the line's and the file's end; half a surrogate pair rounds down."""
        lines, bounds = self.lines, self._bounds
        if position.line < 0:
            return len(self.bom)
        if position.line >= len(lines):
            return bounds[-1]
        line = lines[position.line]
        body = line[: len(line) - len(line_end(line))]
        units = max(0, position.character)
        if body.isascii():
            before = body[:units]
        else:
            before = body.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore")
        return bounds[position.line] + len(before.encode(self.encoding))


def decode(data: bytes, encoding: str | None = None) -> SourceText:
    """Read a file's bytes as text.

    `encoding` is what the editor says; without it a byte order mark decides, else UTF-8. Raises `UndecodableError`
    where the bytes are no such text or would not come back the same.
    """
    bom = b""
    if encoding is None:
        name = "utf-8"
        for mark, of in _BOMS:
            if data.startswith(mark) and (not of.startswith("utf-32") or len(data) % 4 == 0):
                bom, name = mark, of
                break
        else:
            _refuse_unmarked_utf16(data)
    else:
        name = codec_name(encoding)
        mark = _BOM_OF.get(name, b"")
        if mark and data.startswith(mark):
            bom = mark
    try:
        text = data[len(bom) :].decode(name)
    except UnicodeDecodeError as error:
        where = len(bom) + error.start
        bad = data[where : where + 1].hex().upper() or "nothing"
        named = "" if encoding else "; name its encoding"
        raise UndecodableError(f"it is not valid {name.upper()} (byte 0x{bad} at offset {where}){named}") from None
    if name not in ("utf-8", "ascii", "iso8859-1") and text.encode(name, "replace") != data[len(bom) :]:
        raise UndecodableError(f"its bytes would not survive a round trip through {name.upper()}")
    return SourceText(text, bom, name)


def _refuse_unmarked_utf16(data: bytes) -> None:
    """UTF-16 without a mark is valid UTF-8 full of NULs; an edit in UTF-8 would ruin it."""
    if b"\0" not in data:
        return
    nulls = data.count(0)
    if nulls < 2 or nulls * 5 < len(data) * 2 or len(data) % 2:
        return
    even = data[0::2].count(0)
    if even in (0, nulls):
        raise UndecodableError("it looks like UTF-16 without a byte order mark; name its encoding")
