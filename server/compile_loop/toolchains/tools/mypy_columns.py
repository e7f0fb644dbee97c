"""What mypy's columns mean on lines that are not ASCII.

Up to version 1, and with `--no-native-parser`, they are bytes. The native parser of version 2 counts characters and then
takes the surplus of their bytes off once more, so that its columns are too small. Nothing in the output says which it was,
but the text at the places does: a range begins and ends at the edges of tokens, and often is a name that the message
quotes. What such a name has decided holds for the rest of the output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from compile_loop.toolchains.columns import Unit, index_of
from compile_loop.toolchains.tokens import quoted, token_end


def _bytes(line: str, column: int) -> list[int]:
    return [index_of(line, column, Unit.BYTES)]


def _twice(line: str, column: int) -> list[int]:
    """The characters whose number is less than it should be by the continuation bytes that come up to that *byte*."""
    data = line.encode("utf-8", "surrogateescape")
    found, surplus = [], sum(byte & 0xC0 == 0x80 for byte in data[:1])
    for index in range(len(line) + 1):
        surplus += sum(byte & 0xC0 == 0x80 for byte in data[index + 1 : index + 2])
        if index - surplus == column:
            found.append(index)
    return found


def _characters(line: str, column: int) -> list[int]:
    return [min(column, len(line))]


class Columns:
    """Reads the columns of one output, and learns on the way what they count."""

    def __init__(self) -> None:
        self._readings: list[Callable[[str, int], list[int]]] = [_bytes, _twice, _characters]

    def span(self, line: str, column: int, end: int | None, message: str) -> tuple[int, int]:
        """The indices of zero-based `column` and exclusive `end`; without an end, that of the token."""
        if line.isascii():
            start = min(column, len(line))
            return start, token_end(line, start) if end is None else max(min(end, len(line)), start)
        names = quoted(message)
        candidates = list(self._candidates(line, column, end))
        for reading, start, stop in candidates:
            if line[start:stop] in names:
                self._readings.remove(reading)
                self._readings.insert(0, reading)
                return start, stop
        pairs = [(start, stop) for _, start, stop in candidates]
        return next((pair for pair in pairs if _whole(line, *pair)), pairs[0] if pairs else (0, len(line)))

    def _candidates(
        self, line: str, column: int, end: int | None
    ) -> Iterator[tuple[Callable[[str, int], list[int]], int, int]]:
        for reading in self._readings:
            for start in reading(line, column):
                for stop in [token_end(line, start)] if end is None else reading(line, end):
                    if stop > start:
                        yield reading, start, stop


def _whole(line: str, start: int, stop: int) -> bool:
    """Whether no token is cut at either end, and neither end is blank."""
    blank = line[start].isspace() or line[stop - 1].isspace()
    return not blank and not _inside(line, start) and not _inside(line, stop)


def _inside(line: str, index: int) -> bool:
    if not 0 < index < len(line):
        return False
    return _is_word(line[index - 1]) and _is_word(line[index])


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
