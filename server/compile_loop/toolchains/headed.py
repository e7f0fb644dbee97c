"""What most readers of text share: a line that names a place and says what is wrong, then lines that belong to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Related, Severity
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.tree import Place

_MOST_RELATED = 24
_SEVERITIES = {
    "warning": Severity.WARNING,
    "warn": Severity.WARNING,
    "w": Severity.WARNING,
    "info": Severity.INFORMATION,
    "information": Severity.INFORMATION,
    "note": Severity.INFORMATION,
    "notice": Severity.INFORMATION,
    "deprecated": Severity.INFORMATION,
    "style": Severity.INFORMATION,
    "hint": Severity.HINT,
}


def severity_of(word: str | None) -> Severity:
    """The severity that a tool's word means; an error where it says nothing or another word."""
    return _SEVERITIES.get((word or "").lower(), Severity.ERROR)


@dataclass(slots=True)
class Block:
    """A header with what belongs to it so far. `place` is None where the header names no column, or no known file."""

    header: re.Match[str]
    path: str | None
    place: Place | None
    range: Range
    message: list[str]
    severity: Severity
    code: str | None
    lines: list[str]
    related: list[Related] = field(default_factory=list)
    extra: int = 0
    """For a reader's own use: where in the block it is."""


class HeadedReader(Reader):
    """Reads blocks that begin with `header`, a pattern with the groups `file`, `line` and `message`.

    The groups `column`, `end_line`, `end_column`, `kind` and `code` are used where the pattern has them; columns count
    `unit` from one, ends are exclusive. A header whose file does not exist is no header.
    """

    header: ClassVar[re.Pattern[str]]
    unit: ClassVar[Unit] = Unit.CODEPOINTS
    default_phase: ClassVar[Phase] = Phase.TYPE
    most_lines: ClassVar[int] = 80

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: Block | None = None

    def begin(self, line: Line) -> bool:
        """Take a header."""
        found = self.header.match(line.text)
        block = None if found is None else self.open(found, line)
        if block is None:
            return False
        self._block = block
        return True

    def open(self, found: re.Match[str], line: Line) -> Block | None:
        """The block that a header begins; None where it is none after all."""
        parts = found.groupdict()
        path = self.tree.resolve(parts["file"])
        if path is None:
            return None
        message = (parts["message"] or "").strip()
        place = self.place(path, parts, message)
        return Block(
            header=found,
            path=path,
            place=place,
            range=self.span(path, parts, place, message),
            message=[message],
            severity=severity_of(parts.get("kind")),
            code=parts.get("code"),
            lines=[line.text],
        )

    def place(self, path: str, parts: dict[str, str | None], message: str) -> Place | None:
        """Where a header points, if it names a column."""
        if not parts.get("column"):
            return None
        return self.tree.place(path, int(parts["line"] or 1) - 1, int(parts["column"] or 1) - 1, self.unit)

    def span(self, path: str, parts: dict[str, str | None], place: Place | None, message: str) -> Range:
        """What a header is about: up to its end if it names one, else what stands there, else the line."""
        if place is None:
            return self.tree.whole_line(path, int(parts["line"] or 1) - 1, message)
        if not parts.get("end_column"):
            return self.tree.named(place, message)
        end_line = int(parts.get("end_line") or parts["line"] or 1) - 1
        return self.tree.between(place, self.tree.place(path, end_line, int(parts["end_column"] or 1) - 1, self.unit))

    def go_on(self, line: Line) -> bool:
        """Take what belongs to the open block."""
        block = self._block
        if block is None or len(block.lines) > self.most_lines or not self.belongs(block, line.text):
            return False
        block.lines.append(line.text)
        return True

    def belongs(self, block: Block, text: str) -> bool:
        """Whether a line belongs to the block; here it may be added to the message or the related places."""
        return False

    def phase(self, block: Block) -> Phase:
        """How far the tool had come."""
        return self.default_phase

    def tool(self, block: Block) -> str:
        """Whose finding it is, for readers of more than one tool."""
        return self.source

    def end(self) -> list[Diagnostic]:
        """The block as a diagnostic."""
        block, self._block = self._block, None
        return [] if block is None else [self.diagnostic(block)]

    def diagnostic(self, block: Block) -> Diagnostic:
        """The finished block as it is handed over."""
        return Diagnostic(
            message="\n".join(block.message).strip(),
            file=self.tree.shown(block.path),
            range=block.range if block.path else NOWHERE,
            severity=block.severity,
            code=block.code,
            source=self.tool(block),
            phase=self.phase(block),
            related=tuple(dict.fromkeys(block.related))[:_MOST_RELATED],
            rendered="\n".join(block.lines).rstrip(),
        )


_CARET = re.compile(r"^\s*\^(?P<tail>~*)\s*$")
_GUTTER = re.compile(r"^ {0,9}\d* \|")


class SnippetReader(HeadedReader):
    """Reads headers after which the source is shown with a caret below it, and notes of the header's own shape."""

    def belongs(self, block: Block, text: str) -> bool:
        """Take notes as related places, and the snippet; its underline gives the end."""
        if found := self.header.match(text):
            if found.groupdict().get("kind") != "note":
                return False
            path = self.tree.resolve(found["file"])
            if path is not None:
                parts, message = found.groupdict(), found["message"]
                where = self.span(path, parts, self.place(path, parts, message), message)
                block.related.append(Related(self.tree.shown(path), where, message))
            block.extra = 1  # what follows shows the note's place
            return True
        if caret := _CARET.match(text):
            if caret["tail"] and block.place is not None and not block.extra:
                place = block.place
                end = Place(place.path, place.line, place.index + 1 + len(caret["tail"]))
                block.range = self.tree.between(place, end)
            return True
        if _GUTTER.match(text):
            return True
        source = self.tree.line(block.path or "", block.range.start.line)
        return block.extra == 1 or (source is not None and bool(text.strip()) and source.split() == text.split())
