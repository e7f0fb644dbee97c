"""What Python's `^^^^` rows mean.

Rows below the frames of a traceback count terminal cells. Those below a syntax error count whatever the version's bugs
made of the offset: code points (up to 3.8, from 3.13, and for tokens that cannot be read), bytes (3.9 to 3.12), or one
column more for each character that is not ASCII (3.9 to 3.12, through compileall).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from compile_loop.toolchains.columns import Unit, index_of
from compile_loop.toolchains.tokens import token_end

_RUN = re.compile(r"[~^]+")


def underlined(line: str, marks: str) -> tuple[int, int] | None:
    """The start and end of what a traceback's row of `~` and `^` underlines; the row is without its indentation."""
    run = _RUN.search(marks)
    if run is None:
        return None
    indent = len(line) - len(line.lstrip())
    body = line[indent:]
    start = index_of(body, run.start(), Unit.DISPLAY)
    return indent + start, indent + max(index_of(body, run.end(), Unit.DISPLAY), start)


def _skewed(line: str, column: int) -> int:
    at = 0
    for index, char in enumerate(line):
        at += 1 if char.isascii() else 2
        if at > column:
            return index
    return len(line)


_UNITS: tuple[Callable[[str, int], int], ...] = (
    lambda line, column: min(column, len(line)),
    lambda line, column: index_of(line, column, Unit.BYTES),
    _skewed,
)


def syntax_range(line: str, marks: str) -> tuple[int, int] | None:
    """The start and end of a syntax error; the row is without its indentation.

    On a line with characters that are not ASCII, the first unit under which the marks begin and end at tokens is taken.
    """
    run = _RUN.search(marks)
    if run is None:
        return None
    indent = len(line) - len(line.lstrip())
    body, single = line[indent:], run.end() - run.start() == 1
    for unit in _UNITS:
        start, end = unit(body, run.start()), unit(body, run.end())
        if single:
            end = token_end(body, start)
        if body.isascii() or (_fits(body, run.start(), unit) and _at_edge(body, start) and _at_edge(body, end)):
            return indent + start, indent + end
    start = min(run.start(), len(body))
    return indent + start, indent + token_end(body, start)


def _fits(body: str, column: int, unit: Callable[[str, int], int]) -> bool:
    """Whether the column lies on the line, and at the start of a character."""
    return column == 0 or (unit(body, column) < len(body.rstrip()) and unit(body, column - 1) < unit(body, column))


def _at_edge(body: str, index: int) -> bool:
    """Whether no name or number goes through `index`."""
    if not 0 < index < len(body):
        return True
    return not (_is_word(body[index - 1]) and _is_word(body[index]))


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
