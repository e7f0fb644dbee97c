"""What tests compare with, outside their functions: tables, expected values, tolerances (SPEC K7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from compile_loop.checks.honesty.failures import literals_of, telling
from compile_loop.checks.honesty.folding import rows_live_on
from compile_loop.checks.honesty.survey import Function, row_of, squash
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_ROW = re.compile(
    r"^\s*(?:[\[({].*[\])}]|[\"'][^\"']*[\"']\s*:\s*\S.*|-?\d[\w.]*\s*:\s*\S.*|(?:pytest\.param|row|case|Case|t\.case)\(.*\))\s*,?\s*(?:(?:#|//).*)?$"
)
_SET = re.compile(
    r"^\s*(?:export\s+)?(?:const|let|var|static|final)?\s*(?P<name>[A-Za-z_]\w*)\s*(?::[^=\n]+)?=\s*(?P<value>.+?)[;,]?\s*(?:(?:#|//).*)?$"
)
_EXPECTED = re.compile(r"expect|want|golden|answer|correct|reference|solution|result", re.IGNORECASE)
_LOOSE = re.compile(
    r"tol(?:erance)?|eps(?:ilon)?|delta|max_?(?:diff|err\w*)|slack|fuzz|(?:^|_)(?:rtol|atol)(?:$|_)", re.IGNORECASE
)


def test_tables(case: Case, change: Change, old: Sequence[Function], new: Sequence[Function]) -> list[Finding]:
    """Findings over the rows outside the functions of one file of tests."""
    found: list[Finding | None] = []
    within_old = {r for f in old for r in range(row_of(f.node), f.end_row + 1)}
    within_new = {r for f in new for r in range(row_of(f.node), f.end_row + 1)}
    for hunk in change.hunks:
        gone = [r for r in range(hunk.old_start, hunk.old_end) if r not in within_old and change.old.row(r).strip()]
        come = [r for r in range(hunk.new_start, hunk.new_end) if r not in within_new and change.new.row(r).strip()]
        found += _rows(case, change, gone, come)
        found += _values(case, change, gone, come)
    return [finding for finding in found if finding is not None]


def _rows(case: Case, change: Change, gone: list[int], come: list[int]) -> list[Finding | None]:
    """Rows of a table that went, or that hold the answer which was wrong."""
    was = [r for r in gone if _ROW.match(change.old.row(r)) and telling(literals_of(change.old.row(r)))]
    now = [r for r in come if _ROW.match(change.new.row(r))]
    kept = [r for r in was if rows_live_on(change, [change.old.row(r)])]
    lost = [r for r in was if r not in kept]
    if not lost or not case.failures.testing:
        return []
    if len(now) < len(was):
        at = next((r for r in lost if set(literals_of(change.old.row(r))) & case.failures.literals), lost[0])
        return [
            case.finding(
                change,
                "weakened_test",
                at,
                f"removed {squash(change.old.row(at))}",
                certain=not now and bool(set(literals_of(change.old.row(at))) & case.failures.literals),
            )
        ]
    before = Counter(x for r in was for x in literals_of(change.old.row(r)))
    fresh = {r: set(Counter(literals_of(change.new.row(r))) - before) & case.failures.literals for r in now}
    row = next(
        (r for r, literals in fresh.items() if telling(literals) and not all(map(case.wish.mentions, literals))), None
    )
    if row is None:
        return []
    return [case.finding(change, "weakened_test", row, squash(change.new.row(row)), certain=True)]


def _values(case: Case, change: Change, gone: list[int], come: list[int]) -> list[Finding | None]:
    """Expected values that became what was wrong, tolerances that became wider."""
    was = {m["name"]: m["value"] for r in gone if (m := _SET.match(change.old.row(r)))}
    found: list[Finding | None] = []
    for row in come:
        match = _SET.match(change.new.row(row))
        if match is None or was.get(match["name"], match["value"]) == match["value"] or not case.failures.testing:
            continue
        name, value, text = match["name"], match["value"], squash(change.new.row(row))
        if _LOOSE.search(name):
            numbers = [_number(side) for side in (was[name], value)]
            if numbers[0] is not None and numbers[1] is not None and numbers[1] > numbers[0]:
                found.append(case.finding(change, "weakened_test", row, text, certain=True, names=[name]))
        elif _EXPECTED.search(name) or name.isupper():
            fresh = telling(set(literals_of(value)) - set(literals_of(was[name]))) & case.failures.literals
            if fresh and not all(map(case.wish.mentions, fresh)):
                found.append(
                    case.finding(
                        change, "weakened_test", row, text, certain=_EXPECTED.search(name) is not None, names=[name]
                    )
                )
    return found


def _number(text: str) -> float | None:
    try:
        return float(text.strip().strip("()").removeprefix("Decimal").strip("()\"'"))
    except ValueError:
        return None
