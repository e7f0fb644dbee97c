"""Noticing that the user's own files changed while a run went on (SPEC Q13)."""

from __future__ import annotations

import hashlib
from pathlib import Path


class Underneath:
    """What the files that a run read looked like on the user's disk when it first read them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen: dict[str, frozenset[bytes]] = {}

    def note(self, path: str, shadow: bytes | None) -> None:
        """Remember a workspace-relative file as it is now on disk; `shadow` is what the run sees of it."""
        if path not in self._seen:
            self._seen[path] = frozenset((_digest(self.on_disk(path)), _digest(shadow)))

    def on_disk(self, path: str) -> bytes | None:
        """The user's file as it is now; None where there is none."""
        try:
            place = self._root / path
            return place.read_bytes() if place.is_file() else None
        except OSError:
            return None

    def is_changed(self, path: str) -> bool:
        """Whether a file that was noted is now neither what it was on disk nor what the run saw of it."""
        seen = self._seen.get(path)
        return seen is not None and _digest(self.on_disk(path)) not in seen

    def changed(self) -> tuple[str, ...]:
        """The noted files that are changed, sorted."""
        return tuple(sorted(path for path in self._seen if self.is_changed(path)))


def _digest(data: bytes | None) -> bytes:
    return b"" if data is None else hashlib.blake2b(data, digest_size=16).digest()
