"""Examples in documentation that are not tried any more (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_OFF = re.compile(r"#\s*doctest\s*:[^\n]*\+SKIP|^\s*#\s*doctest:\s*\+?SKIP")
_FENCE_OFF = re.compile(r"^\s*//[/!]\s*```\s*(?:rust\s*,\s*)?(?:ignore|no_run|te?xt|plain|compile_fail|should_panic)\b")
_FENCE = re.compile(r"^\s*//[/!]\s*```\s*(?:rust\b(?!\s*,)|edition\d+)?\s*$")
_FILES = re.compile(r"\.(?:py|pyi|rst|md|txt|rs)$")


def doctests(case: Case, change: Change) -> list[Finding]:
    """Findings for examples that are skipped now."""
    if not _FILES.search(change.path):
        return []
    found = []
    for row in sorted(change.added):
        line = change.new.row(row)
        off = _OFF.search(line) is not None or (_FENCE_OFF.match(line) is not None and _ran(change, row))
        if off and change.old.exists and line not in change.old.rows:
            told = case.failures.say(r"doctest|>>>|Expected:|doc") or case.failures.testing
            found.append(case.finding(change, "skipped_test", row, line, certain=told))
    return [finding for finding in found if finding is not None]


def _ran(change: Change, row: int) -> bool:
    """Whether the fence of an example that was run is among the rows that this one replaces."""
    return any(
        _FENCE.match(change.old.row(old))
        for hunk in change.hunks
        if hunk.new_start <= row < hunk.new_end
        for old in range(hunk.old_start, hunk.old_end)
    )
