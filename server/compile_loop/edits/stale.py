"""Blocks written for lines that a tool call of the same reply has changed since (SPEC E7, Q10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from compile_loop.edits.blocks import Reading
from compile_loop.edits.document import Document
from compile_loop.edits.linediff import common_runs
from compile_loop.edits.locate import Located, locate
from compile_loop.edits.result import Target
from compile_loop.edits.text import UndecodableError, decode


@dataclass(frozen=True, slots=True)
class _Past:
    document: Document
    runs: list[tuple[int, int, int]]

    def row_now(self, first: int, count: int) -> int | None:
        """Where `count` unchanged rows from `first` are now; None where one of them changed."""
        inside = ((i, j) for i, j, size in self.runs if i <= first and first + count <= i + size)
        return next((j + first - i for i, j in inside), None)


@dataclass
class StaleGuard:
    """Knows the files' contents as they were when the reply began."""

    at_reply_start: Mapping[str, bytes | None]
    _past: dict[str, _Past | None] = field(default_factory=dict)

    def moved(self, target: Target, now: Document, reading: Reading, location: Located) -> str | None:
        """Why `location` is not the place that the block was written for; None where it is.

        The lines that the model saw may be gone, so that a twin of them elsewhere is now the only match: it is not meant.
        """
        start = self.at_reply_start.get(target.path)
        if start is None or start == target.content:
            return None
        if target.path not in self._past:
            self._past[target.path] = _past(start, target, now)
        past = self._past[target.path]
        if past is None:
            return None
        meant = locate(past.document, reading.search, reading.replace)
        if not isinstance(meant, Located):
            return None
        for then, found in zip(meant.pieces, location.pieces, strict=False):
            if past.row_now(then.place.first, then.place.count) != found.place.first:
                first, last = then.place.first + 1, then.place.first + then.place.count
                span = f"line {first}" if first == last else f"lines {first}–{last}"
                return (
                    f"an edit that you made earlier in the same reply changed {span}, for which its SEARCH was written."
                )
        return None


def _past(start: bytes, target: Target, now: Document) -> _Past | None:
    try:
        document = Document(decode(start, target.encoding).text)
    except UndecodableError:
        return None
    return _Past(document, common_runs(document.lines, now.lines))
