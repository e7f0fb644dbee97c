"""Candidates against the failures and the user's words: what passes, what is certain, what is a suspicion (SPEC K7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from compile_loop.checks.honesty.failures import Failures
from compile_loop.checks.honesty.survey import squash
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.wish import Wish
from compile_loop.contracts.honesty import Finding

_LONGEST = 160

_ABOUT_TESTS = frozenset({"skipped_test", "deleted_test", "weakened_test", "fewer_tests"})


@dataclass(frozen=True, slots=True)
class Case:
    """What every judgement is made against."""

    failures: Failures
    wish: Wish
    settings: str = ""
    """All the configuration of the edit as it is after it: what moved to another file is not gone."""

    def finding(
        self, change: Change, kind: str, row: int, text: str, *, certain: bool, names: Iterable[str] = ()
    ) -> Finding | None:
        """A finding at a row, from 0; None where the user's words ask for it.

        Without a failure to get round only a change to tests can be certain.
        """
        if self.wish.asks(kind, [*names, change.path.rsplit("/", 1)[-1]], text, change.path):
            return None
        certain = certain and (bool(self.failures) or kind in _ABOUT_TESTS)
        return Finding(change.path, row + 1, kind, squash(text)[:_LONGEST], certain)
