"""What mypy's columns mean on lines that are not ASCII.

Up to version 1, and with `--no-native-parser`, they are bytes. The native parser of version 2 turns bytes into
characters twice, so that each character that is not ASCII counts too little. Which of the two it was, the text at the
place tells: a range begins and ends at the edges of tokens.
"""

from __future__ import annotations

from collections.abc import Iterator

from compile_loop.toolchains.columns import Unit, index_of
from compile_loop.toolchains.tokens import token_end


def span(line: str, column: int, end: int | None) -> tuple[int, int]:
    """The indices of zero-based `column` and exclusive `end`; without an end, that of the token."""
    if line.isascii():
        start = min(column, len(line))
        return start, token_end(line, start) if end is None else max(min(end, len(line)), start)
    candidates = [
        (start, stop)
        for starts, stops in zip(_readings(line, column), _readings(line, end), strict=True)
        for start in starts
        for stop in (stops if end is not None else [token_end(line, start)])
        if stop > start
    ]
    whole = [pair for pair in candidates if _whole(line, *pair)]
    return (whole or candidates or [(min(column, len(line)), len(line))])[0]


def _readings(line: str, column: int | None) -> Iterator[list[int]]:
    """The indices that a column may mean: in bytes, in the native parser's skewed count, in characters."""
    if column is None:
        yield from ([], [], [])
        return
    yield [index_of(line, column, Unit.BYTES)]
    yield [index for index in range(len(line) + 1) if _skewed(line, index) == column]
    yield [min(column, len(line))]


def _skewed(line: str, index: int) -> int:
    head = line[:index]
    return 2 * index - len(head.encode("utf-8", "surrogateescape"))


def _whole(line: str, start: int, stop: int) -> bool:
    """Whether no token is cut at either end, and neither end is blank."""
    return (
        not line[start : start + 1].isspace()
        and not line[stop - 1 : stop].isspace()
        and not _inside(line, start)
        and not _inside(line, stop)
    )


def _inside(line: str, index: int) -> bool:
    if not 0 < index < len(line):
        return False
    return _is_word(line[index - 1]) and _is_word(line[index])


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
