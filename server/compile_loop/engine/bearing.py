"""How an edit lies to the failures that it is to repair: whether it can matter to them at all (SPEC K9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import Edit, FileChange
from compile_loop.conversation.languages import language_of
from compile_loop.edits.linediff import changed_runs

_NEAR = 10
"""Rows around a change that belong to what it is about."""
_WORD = re.compile(r"[^\W\d]\w{2,}")
_COMMENT = {
    **dict.fromkeys(("Python", "Ruby", "Perl", "shell", ""), r"#"),
    **dict.fromkeys(("Lua", "Haskell"), r"--"),
    "PHP": r"//|\#|/\*",
}
_INDENTED = ("Python", "Haskell", "")
_OTHERS = r"//|/\*"
_STAR = r"\*(?=[\s/]|$)"
"""How a further row of a comment in blocks begins."""


class Bearing(IntEnum):
    """`NONE`: only comments and white space differ; `FAR`: nothing that the failures speak of; `NEAR`: it may well be."""

    NONE = 0
    FAR = 1
    NEAR = 2


def bearing(edit: Edit, errors: Sequence[Diagnostic], read: Callable[[str], bytes | None]) -> Bearing:
    """How close `edit` comes to `errors`: by place, or by a name that both speak of. `read` has a file's bytes."""
    hunks = [hunk for change in edit.files for hunk in _hunks(change)]
    if not any(hunk.says_something for hunk in hunks):
        return Bearing.NONE
    places = {(error.file, error.range.start.line) for error in errors if error.file}
    places |= {(also.file, also.range.start.line) for error in errors for also in error.related if also.file}
    if any(hunk.is_at(path, row) for hunk in hunks for path, row in places):
        return Bearing.NEAR
    before = {change.path: change.before for change in edit.files}
    files = {path: _lines(before[path] if path in before else read(path)) for path, _ in places}
    told = {word for error in errors for word in _words([error.message])}
    told |= {word for path, row in places for word in _words(files[path][row : row + 1])}
    return Bearing.NEAR if any(not told.isdisjoint(hunk.words) for hunk in hunks) else Bearing.FAR


class _Hunk:
    def __init__(
        self, change: FileChange, old: list[str], new: list[str], was: tuple[int, int], now: tuple[int, int]
    ) -> None:
        self._path, self._was = change.path, was
        language = language_of(change.path)
        comment, indented = _COMMENT.get(language, _OTHERS), language in _INDENTED
        gone, came = old[slice(*was)], new[slice(*now)]
        self.says_something = _said(gone, comment, indented=indented) != _said(came, comment, indented=indented)
        around = old[max(0, was[0] - _NEAR) : was[1] + _NEAR]
        self.words = set(_words([*gone, *came, *around]))

    def is_at(self, path: str, row: int) -> bool:
        return path == self._path and self._was[0] - _NEAR <= row <= self._was[1] + _NEAR


def _hunks(change: FileChange) -> Iterator[_Hunk]:
    old, new = (_lines(data, change.encoding) for data in (change.before, change.after))
    for i, k, j, m in changed_runs(old, new):
        yield _Hunk(change, old, new, (i, k), (j, m))


def _lines(data: bytes | None, encoding: str = "utf-8") -> list[str]:
    return (data or b"").decode(encoding, "replace").splitlines()


def _said(rows: Iterable[str], comment: str, *, indented: bool) -> str:
    """What rows say without white space and comments, as far as that can be told without knowing the language."""
    bare = (_before_comment(row, comment) for row in rows if not re.match(rf"\s*(?:{comment}|{_STAR})", row))
    kept = [row for row in bare if row.strip()]
    if indented:
        return "\n".join(re.sub(r"(?<=\S)\s+", "", row) for row in kept)
    return re.sub(r"\s+", "", "".join(kept))


def _before_comment(row: str, comment: str) -> str:
    for found in re.finditer(rf"\s(?:{comment})", row):
        before = row[: found.start()]
        if all(before.count(quote) % 2 == 0 for quote in "\"'`"):
            return before
    return row


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from _WORD.findall(text)
