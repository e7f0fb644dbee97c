"""Tests that no longer ask the code, but a copy of it that they hold themselves (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_HELPERS = re.compile(r"tests?\b|test_|helper|fixture|conftest|support|factor|fake|mock|util", re.IGNORECASE)
"""Where tests have what they are made of."""

_MATCHERS = frozenset(
    re.findall(r"\w+", "expect assert should chai it describe approx raises strict equal deepEqual ok is that")
)


def own_subjects(case: Case, sheet: Sheet) -> list[Finding]:
    """Findings over one file of tests: functions that it imported and asked, and that it defines now."""
    change, language = sheet.change, sheet.language
    if not (is_test_path(change.path) and change.old.exists and change.new.exists and case.failures.testing):
        return []
    lines = [change.old.row(row) for row in change.removed]
    came = {
        w
        for line in lines
        if language.imports.match(line) and not _HELPERS.search(line)
        for w in re.findall(r"\w+", line)
    }
    if not came:
        return []
    asked = [a.text for f in sheet.new_functions if f.test for a in language.assertions(sheet.new, f)]
    left = [row for row in change.new.rows if language.imports.match(row) and not _HELPERS.search(row)]
    kept = {word for row in left for word in re.findall(r"\w+", row)} - _MATCHERS  # what is still asked of the code
    found: list[Finding | None] = []
    for function in sheet.pairs[2]:
        name = function.short_name
        if function.test or name not in came or any(_takes(row, name, language.imports) for row in change.new.rows):
            continue
        mine = [text for text in asked if re.search(rf"(?<![\w.]){re.escape(name)}\s*\(", text)]
        if mine and not any(re.search(rf"(?<![\w.]){re.escape(other)}\s*\(", text) for text in mine for other in kept):
            shown = f"{name} is the test's own now, and was imported before"
            found.append(case.finding(change, "weakened_test", function.row, shown, certain=True, names=[name]))
    return [finding for finding in found if finding is not None]


def _takes(row: str, name: str, imports: re.Pattern[str]) -> bool:
    return imports.match(row) is not None and re.search(rf"\b{re.escape(name)}\b", row) is not None
