"""When a run gets nowhere: the same failures again, or replies without an edit (SPEC L7, L8)."""

from __future__ import annotations

from compile_loop.contracts.checks import ContractResult
from compile_loop.contracts.outcome import Failure, FailureKind
from compile_loop.engine.fingerprint import state

SAME_FAILURES = 3
NO_EDITS = 3

_STAGNATION = Failure(
    FailureKind.STAGNATION,
    f"The same failures came back {SAME_FAILURES} rounds running although edits were applied. "
    "Say more about what is wanted, or try a stronger model.",
)
_OSCILLATION = Failure(
    FailureKind.STAGNATION,
    "The run swings between two sets of failures (A, B, A, B). Say more about what is wanted, or try a stronger model.",
)
_NO_EDITS = Failure(
    FailureKind.NO_EDITS_APPLIED,
    f"{NO_EDITS} replies running held no edit that could be applied: the model or the prompt does not suit this file. "
    "Try another model.",
)


class StallMonitor:
    """Watches rounds. Each method returns a failure when the run should end."""

    def __init__(self) -> None:
        self._states: list[frozenset[object]] = []
        self._without_edit = 0

    def no_edit(self) -> Failure | None:
        """A round in which nothing could be applied."""
        self._without_edit += 1
        return _NO_EDITS if self._without_edit >= NO_EDITS else None

    def forget_no_edits(self) -> None:
        """The channel was switched: the count starts again."""
        self._without_edit = 0

    def verified(self, result: ContractResult) -> Failure | None:
        """A round that applied an edit and is still red."""
        self._without_edit = 0
        self._states.append(frozenset(state(result)))
        last = self._states[-SAME_FAILURES:]
        if len(last) == SAME_FAILURES and len(set(last)) == 1:
            return _STAGNATION
        a_b_a_b = self._states[-4:]
        if len(a_b_a_b) == 4 and a_b_a_b[0] == a_b_a_b[2] != a_b_a_b[1] == a_b_a_b[3]:
            return _OSCILLATION
        return None
