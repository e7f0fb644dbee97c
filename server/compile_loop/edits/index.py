"""Finding a run of lines among a file's, in time that does not grow with the number of questions times the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_ASKED_OFTEN = 6
"""From this many questions on, a table of where each line is pays for itself."""


class LineIndex:
    """Answers where a run of keys stands in a file's keys. `work` counts the keys looked at so far."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._asked = 0
        self._rows: dict[str, list[int]] | None = None
        self.work = 0

    def windows(self, wanted: Sequence[str]) -> Iterator[int]:
        """Every index, overlapping ones too, where `wanted`, which is not empty, stands."""
        self._asked += 1
        if self._asked < _ASKED_OFTEN:
            return self._scan(wanted)
        if self._rows is None:
            self._rows = {}
            for row, key in enumerate(self._keys):
                self._rows.setdefault(key, []).append(row)
        rarest = 0
        rows: Sequence[int] = ()
        for offset, key in enumerate(wanted):
            found = self._rows.get(key)
            if found is None:
                return iter(())
            if not rows or len(found) < len(rows):
                rarest, rows = offset, found
        if len(wanted) == 1:
            return iter(rows)
        if 2 * len(rows) > len(self._keys):
            return self._scan(wanted)
        return self._check(list(wanted), rarest, rows)

    def _check(self, wanted: list[str], offset: int, rows: Sequence[int]) -> Iterator[int]:
        keys, size, first, last = self._keys, len(wanted), wanted[0], wanted[-1]
        self.work += len(rows)
        for row in rows:
            start, end = row - offset, row - offset + size
            if start < 0 or end > len(keys) or keys[start] != first or keys[end - 1] != last:
                continue
            self.work += size
            if list(keys[start:end]) == wanted:
                yield start

    def _scan(self, wanted: Sequence[str]) -> Iterator[int]:
        """Every distinct wanted key becomes one character and the rest one other.

        The search is then the linear one of the standard library, whatever the lines look like.
        """
        self.work += len(self._keys) + len(wanted)
        symbols: dict[str, str] = {}
        needle = "".join([symbols.setdefault(key, chr(len(symbols) + 1)) for key in wanted])
        haystack = "".join([symbols.get(key, "\0") for key in self._keys])
        at = haystack.find(needle)
        while at >= 0:
            yield at
            at = haystack.find(needle, at + 1)
