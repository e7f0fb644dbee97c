"""Is this state green, and is it better than that one? Only the contract decides (SPEC L2, Q1, Q3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from compile_loop.contracts.checks import CheckResult, ContractResult
from compile_loop.contracts.diagnostics import Diagnostic, Phase
from compile_loop.engine.fingerprint import Fingerprint, fingerprint, fingerprints, quoted


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one pass over the contract means.

    `blocking` are the errors that stand in the way; `remaining` are errors outside the focus that were there at the
    baseline.
    """

    green: bool
    blocking: tuple[Diagnostic, ...]
    remaining: tuple[Diagnostic, ...]


def judge(now: ContractResult, baseline: ContractResult, focus: frozenset[str] | None) -> Verdict:
    """Judge `now`; `focus` None: the whole workspace, where every check must meet its expectation.

    With a focus, an error blocks if it lies in a file of the focus or is new against the baseline; a check that fails
    is forgiven only if errors that were there before, in other files, explain it.
    """
    if focus is None:
        return Verdict(now.ok, () if now.ok else now.errors, ())
    blocking, remaining = _split(now.errors, baseline, focus)
    unexplained = any(not r.ok and not _explained(r, remaining) for r in now.results)
    return Verdict(not blocking and not unexplained, tuple(blocking), tuple(remaining))


def _split(
    errors: tuple[Diagnostic, ...], baseline: ContractResult, focus: frozenset[str]
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    known: Counter[Fingerprint] = fingerprints(baseline.errors)
    blocking: list[Diagnostic] = []
    remaining: list[Diagnostic] = []
    for error in errors:
        mark = fingerprint(error)
        old = known[mark] > 0
        known[mark] -= 1
        (remaining if old and error.file not in focus else blocking).append(error)
    return blocking, remaining


def _explained(result: CheckResult, remaining: list[Diagnostic]) -> bool:
    return not result.timed_out and any(e.file is not None and e in remaining for e in result.errors)


@dataclass(frozen=True, slots=True)
class Score:
    """How far a state has come. A later phase beats fewer errors (SPEC Q3)."""

    phase: Phase
    failures: int

    @staticmethod
    def of(verdict: Verdict) -> Score:
        """Score a state by the earliest phase that still fails, and how many failures it has."""
        phase = min((d.phase for d in verdict.blocking), default=Phase.TEST)
        return Score(phase, len(verdict.blocking) + (not verdict.blocking and not verdict.green))

    def better_than(self, other: Score) -> bool:
        """Whether this state is strictly the better one to keep."""
        return (self.phase, -self.failures) > (other.phase, -other.failures)


def moved_on(before: Verdict, now: Verdict, changed: Collection[str]) -> bool:
    """Whether all failures are gone and those that came stood hidden behind them: in other files, which no edit touched."""
    mine = {error.file for error in before.blocking} | set(changed)
    return (
        bool(before.blocking)
        and bool(now.blocking)
        and not (fingerprints(before.blocking) & fingerprints(now.blocking))
        and all(error.file is not None and error.file not in mine for error in now.blocking)
    )


def only_unmasked(
    before: Verdict, now: Verdict, about: Sequence[Diagnostic], line_of: Callable[[Diagnostic], str]
) -> bool:
    """Whether what is new stood hidden behind the errors `about` names that became known: of no earlier phase than they.

    Either fewer errors are left than there were, or each new one lies in a line that has one of those names.
    """
    new = fingerprints(now.blocking) - fingerprints(before.blocking)
    found = [error for error in now.blocking if new[fingerprint(error)]]
    if any(error.phase < min(one.phase for one in about) for error in found):
        return False
    names = {name for one in about for name in quoted(one.message)}
    return len(now.blocking) < len(before.blocking) or all(
        any(name in line_of(error) for name in names) for error in found
    )


def must_roll_back(best: Verdict, now: Verdict) -> bool:
    """Whether an edit only made things worse: over half as many failures more, none of the best's gone, no later phase."""
    if now.green or len(now.blocking) <= len(best.blocking) * 1.5:
        return False
    vanished = fingerprints(best.blocking) - fingerprints(now.blocking)
    return not vanished and Score.of(now).phase <= Score.of(best).phase
