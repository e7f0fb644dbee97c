"""The assertions of one function before and after: those that went, and those that demand less (SPEC K7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from compile_loop.checks.honesty.assertions import STRENGTH
from compile_loop.checks.honesty.demands import another_demand, demands_less
from compile_loop.checks.honesty.failures import literals_of
from compile_loop.checks.honesty.folding import Folds, inlined, more_said, renamed, tautology
from compile_loop.checks.honesty.survey import Assertion, Function
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.units import Unit
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding


def weaker(
    case: Case,
    change: Change,
    before: Unit,
    was: Sequence[Assertion],
    now: Sequence[Assertion],
    names: list[str],
    *,
    after: Function | None = None,
    folds: Folds | None = None,
    helped: frozenset[str] = frozenset(),
    moved: frozenset[str] = frozenset(),
) -> list[Finding | None]:
    """Findings over the assertions of one function: those that went, and those that demand less than before.

    `after` is that function now; `folds` what its loops and tables demand, `helped` the literals of new helpers that it
    calls, `moved` the assertions of new tests.
    """
    failed = bool(case.failures.near(before.change.path, before.function.row, before.function.end_row, 0))
    lost = list((Counter(a.text for a in was) - Counter(a.text for a in now)).elements())
    come = list((Counter(a.text for a in now) - Counter(a.text for a in was)).elements())
    removed = [next(a for a in was if a.text == text) for text in lost]
    added = [next(a for a in now if a.text == text) for text in come]
    found: list[Finding | None] = []
    for old, new in _partners(removed, added):
        if new is None:
            merged = any(all(part in a.text for part in old.arguments) for a in added) and bool(old.arguments)
            alone = any(a.text == old.text for a in now)
            kept = inlined(old, before.function, added) or (folds is not None and folds.holds(old))
            kept = kept or _helped(old, now, helped) or old.text in moved
            if not merged and not alone and not kept:
                found.append(
                    case.finding(
                        before.change,
                        "weakened_test",
                        old.row,
                        f"removed {old.text}",
                        certain=not _TIMING.search(old.text),
                        names=names,
                    )
                )
            continue
        kind = another_demand(case, old, new)
        if kind is not None:
            shown = f"{old.text} became {new.text}"
            found.append(case.finding(change, "weakened_test", new.row, shown, certain=kind, names=names))
            continue
        if (folds is not None and folds.holds(old)) or inlined(old, before.function, added):
            continue
        if _helped(old, [new], helped) or old.text in moved:
            continue
        if after is not None and old.form == "equal" and tautology(new, after):
            shown = f"{old.text} became {new.text}"
            found.append(case.finding(change, "weakened_test", new.row, shown, certain=True, names=names))
            continue
        if after is not None and renamed(old, new, before.function, after):
            continue
        verdict = demands_less(case, old, new)
        if (
            verdict is False
            and not failed
            and more_said(Counter(literals_of(old.text)), Counter(literals_of(new.text)))
        ):
            verdict = None if STRENGTH[new.form] >= STRENGTH[old.form] else False
        if verdict is not None:
            shown = f"{old.text} became {new.text}"
            found.append(case.finding(change, "weakened_test", new.row, shown, certain=verdict, names=names))
    depths = {a.text: a.depth for a in was}
    for assertion in now:
        if (
            assertion.text in depths
            and assertion.depth > depths[assertion.text]
            and change.touches(assertion.row - 3, assertion.row)
        ):
            shown = f"only sometimes: {assertion.text}"
            found.append(case.finding(change, "weakened_test", assertion.row, shown, certain=False, names=names))
    return found


_TIMING = re.compile(
    r"perf_counter|monotonic|time\.time\(|Date\.now|performance\.now|elapsed|took\b|duration|nanoTime|currentTimeMillis|time\.Since"
)
"""Assertions about how long something takes, which a loaded machine fails."""


def _helped(old: Assertion, now: Sequence[Assertion], helped: frozenset[str]) -> bool:
    """Whether the values that an assertion demanded are in a new helper that the test calls, or still in the test."""
    literals = set(literals_of(old.text))
    return bool(helped and literals & helped) and literals <= helped | {x for a in now for x in literals_of(a.text)}


def _partners(removed: list[Assertion], added: list[Assertion]) -> list[tuple[Assertion, Assertion | None]]:
    left = list(added)
    partners: list[tuple[Assertion, Assertion | None]] = []
    for old in removed:
        new = max(left, key=lambda a: _closeness(old, a), default=None)
        if new is not None and (_closeness(old, new) > 0 or len(removed) <= len(added)):
            left.remove(new)
            partners.append((old, new))
        else:
            partners.append((old, None))
    return partners


def _closeness(a: Assertion, b: Assertion) -> float:
    words_a, words_b = set(re.findall(r"\w+", a.text)), set(re.findall(r"\w+", b.text))
    shared = len(words_a & words_b) / max(1, len(words_a | words_b))
    return shared + 2 * len(set(a.arguments) & set(b.arguments))
