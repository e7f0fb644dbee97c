"""Something missing between two tokens: `';' expected`, `missing ',' before newline`, `'end' expected near <eof>`.

Where a message names alternatives (`expected ‘,’ or ‘;’`), either may compile and only one is meant: nothing is offered. Go's
comma before a line's end is no such case: it is needed there in front of whatever closes the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compile_loop.contracts.diagnostics import Phase, Suggestion
from compile_loop.toolchains.tokens import only_place, quoted
from compile_loop.toolchains.wording.said import Said

_WHAT = r"(?P<what>(?:a )?(?:'[^']+'|‘[^’]+’|\"[^\"]+\"|`[^`']+[`']|[;,)\]:]))"
_SHAPES = (
    re.compile(rf"^(?:syntax error, |SyntaxError: )?{_WHAT} expected\b"),
    re.compile(
        rf"^(?:SyntaxError: )?[Ee]xpect(?:ed|ing) {_WHAT}"
        r"(?: (?:before|after|to close|near|at end|at start)\b.*|, found .*|\.|;.*)?$"
    ),
    re.compile(rf"\b(?:expecting|expected) {_WHAT}$"),
    re.compile(rf"\bmissing {_WHAT} (?:before newline|after argument list)"),
    re.compile(
        r"unexpected newline in (?:argument list|composite literal|parameter list); possibly missing (?P<what>comma) or"
    ),
)
_MARKS = {";", ",", ")", "]", ":"}
_WORDS = {"then", "do", "end"}
_UNEXPECTED = re.compile(r"(?:unexpected (?:token )?|near )(?:\"([^\"]+)\"|'([^']+)')")
_AT_THE_END = re.compile(r"near '?<eof>'?|unexpected end of file|end of input")


def expected(said: Said) -> Iterator[Suggestion]:
    """Insert what is missing behind the last token before the place."""
    text = _wanted(said.message.split("\n")[0])
    place = _place(said) if text else None
    if text is None or place is None or said.diagnostic.phase is not Phase.PARSE:
        return
    row, index = place
    yield (
        _word(said, row, index, text)
        if text in _WORDS
        else said.fix(f"insert {text}", said.at(row, index, index), text)
    )


def _wanted(message: str) -> str | None:
    """The mark or word that is missing, if it is one that can be inserted."""
    for shape in _SHAPES:
        if found := shape.search(message):
            what = found["what"].removeprefix("a ")
            text = "," if what == "comma" else next(iter(quoted(what)), what)
            return text if text in _MARKS | _WORDS else None
    return None


def _place(said: Said) -> tuple[int, int] | None:
    """Behind the last token before what was not expected."""
    if _AT_THE_END.search(said.message):
        return said.before(len(said.lines), 0)
    start, end = said.span
    unexpected = _UNEXPECTED.search(said.message)
    line_only = said.line[:start].strip() == "" and end >= len(said.line.rstrip())
    if unexpected and line_only:  # the tool names a line and a token, and no column
        at = only_place(said.line, unexpected[1] or unexpected[2])
        if at is not None:
            return said.before(said.row, at)
    return said.before(said.row, start)


def _word(said: Said, row: int, index: int, word: str) -> Suggestion:
    """A word stands apart; one that closes a block stands on a line of its own, indented as the line that opened it."""
    if word != "end":
        return said.fix(f"insert {word}", said.at(row, index, index), f" {word}")
    opened = re.search(r"at line (\d{1,9})\)", said.message)
    above = said.lines[int(opened[1]) - 1] if opened and int(opened[1]) <= len(said.lines) else ""
    indent = above[: len(above) - len(above.lstrip())]
    return said.fix("insert end", said.at(row, index, index), f"\n{indent}end")
