"""Keep a flood of diagnostics bounded: no repeats, every distinct first error, the true total (SPEC D6)."""

from __future__ import annotations

import re

from compile_loop.contracts.counting import MOST_ERRORS
from compile_loop.contracts.diagnostics import Diagnostic

MOST = MOST_ERRORS
"""So many errors of a run are handed over as they come, and as many others; then only kinds that are new in their file."""
MOST_KINDS = 2000
"""So many errors of a run are handed over at all, and as many others."""
_REMEMBERED = 200_000
_MOST_HEADERS = 10_000
_VARIABLE = re.compile(r"‘[^’]*’|`[^`']*['`]|'[^']*'|\"[^\"]*\"|\d+")


class Flood:
    """Lets diagnostics through once each, and after many only new kinds of them."""

    def __init__(self) -> None:
        self.total = 0
        self.total_errors = 0
        self._passed = {True: 0, False: 0}
        self._seen: set[int] = set()
        self._kinds: set[int] = set()
        self._refused: dict[int, bool] = {}

    @property
    def full(self) -> bool:
        """Whether only kinds that were not seen yet are let through."""
        return max(self._passed.values()) >= MOST

    def began(self, header: str) -> None:
        """A line began a diagnostic that is read."""
        self._is_new(hash(header))

    def refused(self, header: str, diagnostic: Diagnostic) -> None:
        """Lines like this one begin diagnostics that are not let through any more."""
        if self._passed[diagnostic.is_error] >= MOST and len(self._refused) < _MOST_HEADERS:
            self._refused[_kind_of(header)] = diagnostic.is_error

    def repeats(self, header: str) -> bool:
        """Whether a line begins one more such diagnostic, which is counted and need not be read."""
        is_error = self._refused.get(_kind_of(header))
        if is_error is None:
            return False
        if self._is_new(hash(header)):
            self.total += 1
            self.total_errors += is_error
        return True

    def admit(self, found: list[Diagnostic]) -> list[Diagnostic]:
        """Those of `found` that are to be shown. Two with the same file, range, code and first line are one."""
        return [diagnostic for diagnostic in found if self._admit(diagnostic)]

    def _admit(self, diagnostic: Diagnostic) -> bool:
        first = diagnostic.message.split("\n", 1)[0]
        if not self._is_new(hash((diagnostic.file, diagnostic.range, diagnostic.code, first))):
            return False
        self.total += 1
        self.total_errors += diagnostic.is_error
        kind = hash((diagnostic.file, diagnostic.severity, diagnostic.code, _kind_of(first)))
        passed = self._passed[diagnostic.is_error]
        if passed >= MOST and (kind in self._kinds or passed >= MOST_KINDS):
            return False
        self._kinds.add(kind)
        self._passed[diagnostic.is_error] += 1
        return True

    def _is_new(self, identity: int) -> bool:
        if identity in self._seen:
            return False
        if len(self._seen) < _REMEMBERED:
            self._seen.add(identity)
        return True


def _kind_of(text: str) -> int:
    """What is the same for texts that differ only in names and numbers."""
    return hash(_VARIABLE.sub("", text))
