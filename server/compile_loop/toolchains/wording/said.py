"""What a rule about wording is given: the diagnostic, and the text around its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from compile_loop.contracts.diagnostics import Diagnostic, Position, Range, SuggestedEdit, Suggestion
from compile_loop.edits.text import utf16_length

_COMMENTS = {
    "py": "#", "rb": "#", "sh": "#", "pl": "#", "php": "//", "lua": "--", "hs": "--",
}  # fmt: skip
_QUOTES = re.compile(r"[\"'`]")


@dataclass(frozen=True, slots=True)
class Said:
    """A diagnostic in a file whose lines, without their ends, are `lines`."""

    diagnostic: Diagnostic
    file: str
    lines: list[str]

    @property
    def message(self) -> str:
        """What was said."""
        return self.diagnostic.message

    @property
    def row(self) -> int:
        """The line where the diagnostic begins."""
        return self.diagnostic.range.start.line

    @property
    def line(self) -> str:
        """That line's text."""
        return self.lines[self.row] if self.row < len(self.lines) else ""

    def index(self, position: Position) -> int:
        """The index into its line's string of a position."""
        line = self.lines[position.line] if position.line < len(self.lines) else ""
        return len(line.encode("utf-16-le", "surrogatepass")[: position.character * 2].decode("utf-16-le", "ignore"))

    @property
    def span(self) -> tuple[int, int]:
        """The part of `line` that the diagnostic is about."""
        where = self.diagnostic.range
        end = self.index(where.end) if where.end.line == where.start.line else len(self.line)
        return self.index(where.start), end

    def at(self, row: int, start: int, end: int) -> Range:
        """A range of one line, from indices into its string."""
        line = self.lines[row] if row < len(self.lines) else ""
        return Range.of(row, utf16_length(line[:start]), row, utf16_length(line[:end]))

    def whole(self, row: int) -> Range:
        """A line with its end; the last one without."""
        if row + 1 < len(self.lines):
            return Range.of(row, 0, row + 1, 0)
        return self.at(row, 0, len(self.lines[row]))

    def fix(self, words: str, where: Range, text: str) -> Suggestion:
        """The suggestion that puts `text` in the place of a range."""
        return Suggestion(words, (SuggestedEdit(self.file, where, text),))

    def code_end(self, row: int) -> int:
        """Where the code of a line ends, a comment at its end and blanks left out."""
        line = self.lines[row]
        mark = _COMMENTS.get(self.file.rpartition(".")[2], "//")
        at = line.find(f" {mark}")
        if at >= 0 and not _QUOTES.search(line, at):
            line = line[:at]
        return len(line.rstrip())

    def before(self, row: int, index: int) -> tuple[int, int] | None:
        """The place just after the last code before an index: on the same line, or on one above."""
        head = self.lines[row][:index].rstrip() if row < len(self.lines) else ""
        if head:
            return row, len(head)
        for above in range(min(row, len(self.lines)) - 1, -1, -1):
            if end := self.code_end(above):
                return above, end
        return None


Rule = Callable[[Said], Iterator[Suggestion]]
"""Gives the fixes that a diagnostic's words state, the likeliest first."""
