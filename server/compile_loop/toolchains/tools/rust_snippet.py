"""The snippets below rustc's ` --> file:line:column`: which characters the `^^^` and `---` of each row mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import Range
from compile_loop.toolchains.columns import index_in_expanded
from compile_loop.toolchains.tree import Place, Tree

_SOURCE_ROW = re.compile(r"^ *(?P<number>\d{1,9}) [|] ?(?P<text>.*)$")
_MARK_ROW = re.compile(r"^ *[|] ?(?P<text>.*)$")
_OTHER_ROW = re.compile(r"^(?: *(?:\d+ )?[+~-] .*|\.\.\.| *= .*| *\d+ [|]?$| *[|]$)")
_MARKS = re.compile(r"[-^]+")
_TAB = 4


@dataclass(slots=True)
class Mark:
    """One underlined piece of source. `column` is the terminal column where it starts in its row."""

    path: str
    line: int
    start: int
    end: int
    primary: bool
    column: int
    label: str = ""

    def range(self, tree: Tree) -> Range:
        """Where it lies."""
        return tree.between(Place(self.path, self.line, self.start), Place(self.path, self.line, self.end))


@dataclass(slots=True)
class Snippet:
    """Reads the rows of one snippet; `path` is the file of the last ` -->` or `:::`."""

    tree: Tree
    path: str | None = None
    marks: list[Mark] = field(default_factory=list)
    _line: int = -1
    _shift: int = 0
    _row: list[Mark] = field(default_factory=list)

    def take(self, text: str) -> bool:
        """Whether the line is a row of a snippet; if so its marks are taken."""
        if source := _SOURCE_ROW.match(text):
            self._line, self._row = int(source["number"]) - 1, []
            line = self._source()
            # Multi-line marks are drawn left of the source and push it to the right.
            shown = "" if line is None else line.replace("\t", " " * _TAB)
            self._shift = max(source["text"].find(shown), 0) if shown else 0
            return True
        if marks := _MARK_ROW.match(text):
            self._take_marks(marks["text"])
            return True
        return bool(_OTHER_ROW.match(text))

    def _source(self) -> str | None:
        return None if self.path is None else self.tree.line(self.path, self._line)

    def _take_marks(self, text: str) -> None:
        line = self._source()
        if line is None or self.path is None:
            return
        found = [mark for mark in _MARKS.finditer(text) if not text[: mark.start()].strip(" |_-^")]
        if not found:
            stripped = text.strip(" |")
            column = text.find(stripped)
            for mark in self._row:
                if stripped and mark.column == column and not mark.label:
                    mark.label = stripped
            return
        for piece in found:
            start = index_in_expanded(line, piece.start() - self._shift, _TAB)
            end = index_in_expanded(line, piece.end() - self._shift, _TAB)
            if text[: piece.start()].endswith("_"):  # the last character of several lines
                start = end
            self._row.append(Mark(self.path, self._line, start, end, "^" in piece[0], piece.start()))
        self._row[-1].label = text[found[-1].end() :].strip()
        self.marks += self._row[-len(found) :]
