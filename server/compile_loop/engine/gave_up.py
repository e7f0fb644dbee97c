"""How a piece of the loop ends the run without green."""

from __future__ import annotations

from compile_loop.contracts.outcome import Failure, FailureKind


class GaveUp(Exception):  # noqa: N818 - it is an end, not an error
    """The run ends without green, for this reason."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(kind, message)
