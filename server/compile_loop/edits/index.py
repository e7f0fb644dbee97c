"""Finding a run of lines among a file's, in time that does not grow with the number of questions times the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_ASKED_OFTEN = 6
"""From this many questions on, a table of where each line is pays for itself."""
_COMMON = 500
"""A run whose rarest line is in the file more often is looked for in another way."""


class LineIndex:
    """Answers where a run of keys stands in a file's keys."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._asked = 0
        self._rows: dict[str, list[int]] | None = None

    def windows(self, wanted: Sequence[str]) -> Iterator[int]:
        """Every index, overlapping ones too, where `wanted`, which is not empty, stands."""
        self._asked += 1
        if self._asked < _ASKED_OFTEN:
            return self._scan(wanted)
        if self._rows is None:
            self._rows = {}
            for row, key in enumerate(self._keys):
                self._rows.setdefault(key, []).append(row)
        rarest = -1
        rows: Sequence[int] = range(len(self._keys))
        for offset, key in enumerate(wanted):
            found = self._rows.get(key)
            if found is None:
                return iter(())
            if len(found) < len(rows):
                rarest, rows = offset, found
        if len(rows) > _COMMON or rarest < 0:
            return self._scan(wanted)
        return self._check(list(wanted), rarest, rows)

    def _check(self, wanted: list[str], offset: int, rows: Sequence[int]) -> Iterator[int]:
        for row in rows:
            first = row - offset
            if first >= 0 and list(self._keys[first : first + len(wanted)]) == wanted:
                yield first

    def _scan(self, wanted: Sequence[str]) -> Iterator[int]:
        """Every distinct wanted key becomes one character and the rest one other.

        The search is then the linear one of the standard library, whatever the lines look like.
        """
        symbols: dict[str, str] = {}
        needle = "".join([symbols.setdefault(key, chr(len(symbols) + 1)) for key in wanted])
        haystack = "".join([symbols.get(key, "\0") for key in self._keys])
        at = haystack.find(needle)
        while at >= 0:
            yield at
            at = haystack.find(needle, at + 1)
