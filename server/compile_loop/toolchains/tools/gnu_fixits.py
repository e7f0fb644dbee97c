"""The fix-its of gcc and clang (SPEC D5): `fix-it:` lines, and the row below a caret that shows the replacement."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import SuggestedEdit, Suggestion
from compile_loop.toolchains.columns import Unit, column_of
from compile_loop.toolchains.tokens import quoted, stands_at
from compile_loop.toolchains.tree import Place, Tree

_FIXIT = re.compile(
    r'^fix-it:"(?P<file>(?:\\.|[^"\\])*)":\{(?P<l1>\d{1,9}):(?P<c1>\d{1,9})-(?P<l2>\d{1,9}):(?P<c2>\d{1,9})\}:"(?P<text>.*)"$'
)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)")
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f", b"b": b"\b", b"a": b"\a"}


def _unescaped(text: str) -> str:
    def one(match: re.Match[bytes]) -> bytes:
        body = match[1]
        return bytes([int(body, 8) & 255]) if body.isdigit() and body < b"8" else _LETTERS.get(body, body)

    return _ESCAPE.sub(one, text.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")


@dataclass(slots=True)
class FixIts:
    """The fix-its of one header; all of them together are one suggestion."""

    lines: list[re.Match[str]] = field(default_factory=list)
    row: SuggestedEdit | None = None

    def take(self, text: str) -> bool:
        """Whether the line is a fix-it in its parseable form; columns are bytes, the end is exclusive."""
        if not text.startswith("fix-it:") or not (found := _FIXIT.match(text)):
            return False
        self.lines.append(found)
        return True

    def take_row(self, row: str, caret: int, tree: Tree, place: Place, message: str) -> None:
        """Take the replacement that a snippet shows below its caret, where the message confirms what it replaces.

        A row alone does not say whether it replaces or is inserted, so only "‘old’ …; did you mean ‘new’" counts,
        with `old` standing where the row points.
        """
        names, new = quoted(message), row.strip()
        if "did you mean" not in message or len(names) < 2 or names[-1] != new:
            return
        line = tree.line(place.path, place.line)
        if line is None:
            return
        column = column_of(line, place.index, Unit.DISPLAY) + len(row) - len(row.lstrip()) - caret
        start = tree.place(place.path, place.line, column, Unit.DISPLAY)
        for old in names[-2::-1]:
            if stands_at(line, start.index, old):
                end = Place(place.path, place.line, start.index + len(old))
                self.row = SuggestedEdit(tree.shown(place.path) or "", tree.between(start, end), new)
                return

    def suggestion(self, tree: Tree, message: str, *, safe: bool) -> Suggestion | None:
        """All fix-its of the header as one suggestion; None where there are none or a file is not known."""
        if not self.lines:
            return Suggestion(message, (self.row,), safe) if self.row else None
        edits: list[SuggestedEdit] = []
        for fixit in self.lines:
            path = tree.resolve(_unescaped(fixit["file"]))
            if path is None:
                return None
            start = tree.place(path, int(fixit["l1"]) - 1, int(fixit["c1"]) - 1, Unit.BYTES)
            end = tree.place(path, int(fixit["l2"]) - 1, int(fixit["c2"]) - 1, Unit.BYTES)
            edits.append(SuggestedEdit(tree.shown(path) or "", tree.between(start, end), _unescaped(fixit["text"])))
        return Suggestion(message, tuple(edits), safe)
