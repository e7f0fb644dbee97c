"""Comparisons that answer the same whatever they compare (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.survey import Function, squash, statements, text_of
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_EQUAL = re.compile(r"(?:eq|equals?|Equals?|isEqual\w*|is_equal|equalTo|operator\s*==|__eq__)$")
_ORDER = re.compile(r"(?:compareTo|compare|cmp|partial_cmp|Compare|operator\s*<=>|__cmp__)$")
_YES = re.compile(r"(?:return\s+)?(?:true|True|1)\s*;?$")
_ALIKE = re.compile(
    r"(?:return\s+)?(?:0|(?:std::cmp::)?(?:Some\()?(?:std::cmp::)?Ordering::Equal\)?|std::strong_ordering::equal)\s*;?$"
)


def always_equal(case: Case, sheet: Sheet) -> list[Finding]:
    """Findings over functions that compare, where they are new or did more."""
    pairs, _, born = sheet.pairs
    found: list[Finding | None] = []
    for after in [*born, *(after for before, after in pairs if before.text != after.text and not _blind(before))]:
        if _blind(after) and sheet.change.touches(after.row, after.end_row):
            body = " ".join(squash(text_of(s)) for s in statements(after.body))
            names = [after.name, after.short_name]
            shown = f"{after.name}: {body}"
            sure = _EQUAL.search(after.short_name) is not None
            found.append(case.finding(sheet.change, "special_case", after.row, shown, certain=sure, names=names))
    return [finding for finding in found if finding is not None]


def _blind(function: Function) -> bool:
    body = [squash(text_of(s)) for s in statements(function.body)]
    if len(body) != 1:
        return False
    name = function.short_name
    return bool((_EQUAL.search(name) and _YES.match(body[0])) or (_ORDER.search(name) and _ALIKE.match(body[0])))
