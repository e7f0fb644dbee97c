"""Keep a flood of diagnostics bounded: no repeats, every distinct first error, the true total (SPEC D6)."""

from __future__ import annotations

import re

from compile_loop.contracts.diagnostics import Diagnostic

MOST = 1000
"""So many errors of a run are handed over as they come, and as many others; then only kinds that were not seen yet."""
MOST_KINDS = 2000
"""So many errors of a run are handed over at all, and as many others."""
_REMEMBERED = 100_000
_VARIABLE = re.compile(r"‘[^’]*’|`[^`']*['`]|'[^']*'|\"[^\"]*\"|\d+")


class Flood:
    """Lets diagnostics through once each, and after many only new kinds of them."""

    def __init__(self) -> None:
        self.total = 0
        self.total_errors = 0
        self._passed = {True: 0, False: 0}
        self._seen: set[int] = set()
        self._kinds: set[int] = set()

    def admit(self, found: list[Diagnostic]) -> list[Diagnostic]:
        """Those of `found` that are to be shown. Two with the same file, range, code and first line are one."""
        return [diagnostic for diagnostic in found if self._admit(diagnostic)]

    def _admit(self, diagnostic: Diagnostic) -> bool:
        first = diagnostic.message.split("\n", 1)[0]
        identity = hash((diagnostic.file, diagnostic.range, diagnostic.code, first))
        if identity in self._seen:
            return False
        if len(self._seen) < _REMEMBERED:
            self._seen.add(identity)
        self.total += 1
        self.total_errors += diagnostic.is_error
        kind = hash((diagnostic.severity, diagnostic.code, _VARIABLE.sub("", first)))
        passed = self._passed[diagnostic.is_error]
        if passed >= MOST and (kind in self._kinds or passed >= MOST_KINDS):
            return False
        self._kinds.add(kind)
        self._passed[diagnostic.is_error] += 1
        return True
