"""Examples in documentation that are not tried any more (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_OFF = re.compile(
    r"#\s*doctest\s*:[^\n]*\+SKIP|^\s*//[/!]\s*```\s*(?:rust\s*,\s*)?(?:ignore|no_run|text)|^\s*#\s*doctest:\s*\+?SKIP"
)
_FILES = re.compile(r"\.(?:py|pyi|rst|md|txt|rs)$")


def doctests(case: Case, change: Change) -> list[Finding]:
    """Findings for examples that are skipped now."""
    if not _FILES.search(change.path):
        return []
    found = []
    for row in sorted(change.added):
        line = change.new.row(row)
        if _OFF.search(line) and change.old.exists and line not in change.old.rows:
            told = case.failures.say(r"doctest|>>>|Expected:|doc") or case.failures.testing
            found.append(case.finding(change, "skipped_test", row, line, certain=told))
    return [finding for finding in found if finding is not None]
