"""Why a SEARCH is not in the file, where the reason can be told (SPEC E7). Hints are words; nothing is applied by them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from compile_loop.edits.ambiguity import clipped
from compile_loop.edits.blocks import Reading
from compile_loop.edits.document import Document, loose_key
from compile_loop.edits.indent import is_blank
from compile_loop.edits.locate import numbered_lines
from compile_loop.edits.match import Found, find_lines
from compile_loop.edits.nearest import Nearest
from compile_loop.edits.result import Target
from compile_loop.edits.text import UndecodableError, decode

_OTHER_BYTES = 16 * 1024 * 1024
_DIFF_SIGN = re.compile(r"[-+ ]")


@dataclass(frozen=True, slots=True)
class Context:
    """What is known around a block: its file's path, the other targets, and earlier contents of the file."""

    path: str
    others: Sequence[tuple[str, Target]]
    at_reply_start: bytes | None
    before_last_edit: bytes | None
    encoding: str | None
    tool: bool


def hint(document: Document, reading: Reading, context: Context, close: Nearest | None) -> str | None:
    """The first hint that holds, as a sentence; `close` is what comes closest to SEARCH."""
    return next(_hints(document, reading, context, close), None)


def _hints(document: Document, reading: Reading, context: Context, close: Nearest | None) -> Iterator[str]:
    search, replace = list(reading.search), list(reading.replace)
    yield from _stale(search, context)
    old = frozenset(search)
    new = [loose_key(line) for line in replace if line not in old]
    row = None if document.lacks(new) else _row(document, replace)
    if row is not None:
        yield f"REPLACE's lines are in {context.path} already, at line {row + 1}: this edit may be applied already."
    if row := _found(document, _each(search, lambda line: line.replace("\\\\", "\\"))):
        yield f"SEARCH is escaped once too often: with single backslashes it is at line {row}."
    if row := _found(document, _each(search, lambda line: line.replace('\\"', '"').replace("\\'", "'"))):
        yield f"SEARCH is escaped once too often: without the backslashes before quotes it is at line {row}."
    if row := _found(document, "\n".join(search).replace("\\t", "\t").replace("\\n", "\n").split("\n"), search):
        yield f"SEARCH has the two characters \\n or \\t where the file has a line break or a tab: see line {row}."
    if row := _found(document, _each(search, html.unescape)):
        yield f"SEARCH has HTML entities where the file has the characters themselves: see line {row}."
    if numbered_lines(search) or sum(bool(numbered_lines([line])) for line in search) * 2 > len(search):
        yield "SEARCH's lines begin with line numbers; leave them out."
    fenced = len(search) > 2 and search[0].lstrip().startswith("```") and search[-1].strip() == "```"
    if fenced and (row := _found(document, search[1:-1], search)):
        yield f"SEARCH has code fences around it; without them it is at line {row}."
    if all(_DIFF_SIGN.match(line) for line in search if line) and any(line[:1] in "+-" for line in search):
        kept = [line[1:] for line in search if not line.startswith("+")]
        if row := _found(document, kept, search):
            yield f"SEARCH has the signs of a diff before its lines; leave them out: see line {row}."
    if close:
        row = close.first + 1
        if _alike_by(document, search, close, str.casefold):
            yield f"SEARCH differs from line {row} on only in upper and lower case; copy it as it is."
        if _alike_by(document, search, close, lambda key: "".join(key.split())):
            yield f"SEARCH differs from line {row} on only in the spaces inside its lines; copy them as they are."
    yield from _fragment(document, search, context)
    yield from _elsewhere(search, context)


def _each(lines: Sequence[str], change: Callable[[str], str]) -> list[str] | None:
    changed = [change(line) for line in lines]
    return None if changed == list(lines) else changed


def _row(document: Document, lines: Sequence[str]) -> int | None:
    """The zero-based row where `lines` stand by the line tiers, if it is one place."""
    if not lines or all(map(is_blank, lines)):
        return None
    found = find_lines(document, list(lines))
    return found.place.first if isinstance(found, Found) else None


def _found(document: Document, lines: Sequence[str] | None, unchanged: Sequence[str] | None = None) -> int | None:
    """The one-based line where changed lines stand."""
    if lines is None or list(lines) == unchanged:
        return None
    row = _row(document, lines)
    return None if row is None else row + 1


def _alike_by(document: Document, search: Sequence[str], close: Nearest, key: Callable[[str], str]) -> bool:
    """Whether the closest lines and SEARCH are the same by some key."""
    theirs = document.lines[close.first : close.first + close.count]
    for ours, other in zip(search[close.differs :], theirs[close.differs :], strict=False):
        if key(loose_key(ours)) != key(loose_key(other)):
            return False
    return [key(loose_key(line)) for line in theirs] == [key(loose_key(line)) for line in search]


def _stale(search: Sequence[str], context: Context) -> Iterator[str]:
    for data, when in (
        (context.at_reply_start, "before an edit that you made earlier in the same reply"),
        (context.before_last_edit, "before your last edit"),
    ):
        if data is None:
            continue
        try:
            document = Document(decode(data, context.encoding).text)
        except UndecodableError:
            continue
        if _row(document, search) is not None:
            yield f"SEARCH is stale: it is how {context.path} was {when}. Copy the lines as they are now."


def _fragment(document: Document, search: Sequence[str], context: Context) -> Iterator[str]:
    full = [line for line in search if not is_blank(line)]
    if len(full) != 1 or context.tool:
        return
    text = full[0].strip()
    at = document.normal.find(text)
    if at >= 0:
        row = document.line_of(at)
        yield f"SEARCH is only a part of line {row + 1}; copy the whole line: {clipped(document.lines[row])}"


def _elsewhere(search: Sequence[str], context: Context) -> Iterator[str]:
    budget = _OTHER_BYTES
    for path, target in context.others:
        budget -= len(target.content or b"")
        if budget < 0:
            return
        try:
            document = Document(decode(target.content or b"", target.encoding).text)
        except UndecodableError:
            continue
        if (row := _row(document, search)) is not None:
            yield f"{path} has this text, at line {row + 1}; if you mean that file, put its header before the block."
            return
