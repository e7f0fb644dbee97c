"""Which runs can be taken up again: what broke them off had nothing to do with the code (SPEC W4)."""

from __future__ import annotations

from compile_loop.contracts.outcome import Failure, FailureKind

BROKEN_OFF = frozenset(
    {
        FailureKind.CANCELLED,
        FailureKind.NEEDS_AUTH,
        FailureKind.MODEL_UNAVAILABLE,
        FailureKind.CONFIGURATION,
        FailureKind.ENVIRONMENT,
        FailureKind.INTERNAL,
    }
)


def can_be_resumed(failure: Failure | None) -> bool:
    """Whether a run that ended so may go on from where it was."""
    return failure is not None and failure.kind in BROKEN_OFF
