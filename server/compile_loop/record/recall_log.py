"""What the repair memory gave to a run, kept with its record, since prompts hold it (SPEC R2, T8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compile_loop.contracts.edits import Edit
from compile_loop.contracts.protocols import RepairMemory


class LoggedMemory:
    """Another memory, with what it recalls told to `write`."""

    def __init__(self, inner: RepairMemory, write: Callable[[list[str]], None]) -> None:
        self._inner = inner
        self._write = write

    def recall(self, failures: frozenset[str]) -> Sequence[str]:
        """As the inner memory."""
        texts = list(self._inner.recall(failures))
        if texts:
            self._write(texts)
        return texts

    def remember(self, failures: frozenset[str], edit: Edit, explanation: str) -> None:
        """As the inner memory."""
        self._inner.remember(failures, edit, explanation)


class RecordedMemory:
    """Gives what a recorded run was given. It learns nothing of its own; `learn` may, for runs that are no mere replay."""

    def __init__(self, texts: Sequence[str], learn: RepairMemory | None = None) -> None:
        self._texts = tuple(texts)
        self._learn = learn

    def recall(self, _failures: frozenset[str]) -> Sequence[str]:
        """The recorded texts."""
        return self._texts

    def remember(self, failures: frozenset[str], edit: Edit, explanation: str) -> None:
        """Pass it on, where somebody learns."""
        if self._learn is not None:
            self._learn.remember(failures, edit, explanation)
