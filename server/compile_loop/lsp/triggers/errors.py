"""Errors of other extensions that stay (SPEC V3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from compile_loop.lsp.protocol import DiagnosticRef

STAYS = 2.0
"""Seconds that an error has to stay: one that is gone sooner was only somebody typing."""
SETTLES = 0.5
"""Seconds after a save, in which other extensions look at the file anew."""
Error = tuple[str | None, str]


@dataclass
class StayingErrors:
    """Which files have errors that stayed. `now` is in seconds on a monotonic clock."""

    now: Callable[[], float]
    _since: dict[str, dict[Error, float]] = field(default_factory=dict)
    _told: dict[str, frozenset[Error]] = field(default_factory=dict)
    _saved: dict[str, float] = field(default_factory=dict)

    def update(self, uri: str, items: Sequence[DiagnosticRef]) -> None:
        """A file's errors now. Lines do not count: an error that moves is the same."""
        known, now = self._since.get(uri, {}), self.now()
        errors = {(item.source, item.message): now for item in items}
        if errors:
            self._since[uri] = {error: known.get(error, since) for error, since in errors.items()}
        else:
            self._since.pop(uri, None)
            self._told.pop(uri, None)

    def failing(self, uri: str) -> bool:
        """Whether a file has errors now."""
        return uri in self._since

    def saved(self, uri: str) -> None:
        """A file was saved: what is wrong in it counts sooner, and again."""
        self._saved[uri] = self.now()
        self._told.pop(uri, None)

    def take(self) -> list[str]:
        """Files with an error that has stayed and was not taken before."""
        found = []
        for uri in self._since:
            staying = self._staying(uri)
            if staying - self._told.get(uri, frozenset()):
                self._told[uri] = staying
                found.append(uri)
        return found

    def wait(self) -> float | None:
        """Seconds until `take` may find more; None: not before something changes."""
        now = self.now()
        waits = [
            self._due(uri, since) - now
            for uri, errors in self._since.items()
            for error, since in errors.items()
            if error not in self._told.get(uri, frozenset())
        ]
        return max(0.0, min(waits)) if waits else None

    def _staying(self, uri: str) -> frozenset[Error]:
        return frozenset(error for error, since in self._since[uri].items() if self._due(uri, since) <= self.now())

    def _due(self, uri: str, since: float) -> float:
        saved = self._saved.get(uri)
        return since + STAYS if saved is None else min(since + STAYS, max(saved, since) + SETTLES)
