"""Exit codes of the command line (SPEC P3)."""

from __future__ import annotations

from compile_loop.contracts.outcome import Ending, FailureKind, Outcome

GREEN = 0
NOT_GREEN = 1
USAGE = 2
ENVIRONMENT = 3
CANCELLED = 130

_BY_FAILURE = {
    FailureKind.CONFIGURATION: USAGE,
    FailureKind.NEEDS_AUTH: USAGE,
    FailureKind.ENVIRONMENT: ENVIRONMENT,
    FailureKind.CANCELLED: CANCELLED,
}


def exit_code(outcome: Outcome) -> int:
    """0 green or nothing to fix, 1 not green, 2 configuration, 3 environment, 130 cancelled.

    That there is nothing to fix is 1 where the check is suspicious: a script would take 0 for more than it is (SPEC Q9).
    """
    if outcome.failure is None:
        doubtful = outcome.ending is Ending.NOTHING_TO_FIX and outcome.tally.suspicious
        return GREEN if outcome.ok and not doubtful else NOT_GREEN
    return _BY_FAILURE.get(outcome.failure.kind, NOT_GREEN)
