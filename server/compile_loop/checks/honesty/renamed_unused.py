"""Results that nobody uses and that got a name which says so (SPEC K7).

An unused parameter is named so by everybody; a result that was computed was perhaps meant to be used.
"""

from __future__ import annotations

import re

from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_FILES = re.compile(r"\.(?:pyw?|[cm]?[jt]sx?)$")
_UNUSED = re.compile(
    r"[`'\"]([A-Za-z_$][\w$]*)[`'\"].*(?:never (?:used|read)|not used|unused|value is never)|"
    r"unused\b.*[`'\"]([A-Za-z_$][\w$]*)[`'\"]",
    re.IGNORECASE,
)
_LOADS = re.compile(r"=\s*(?:await\s+)?(?:require|import|__import__|import_module)\b")


def renamed_unused(case: Case, change: Change) -> list[Finding]:
    """Findings for computed values that were reported as unused and are now named `_x`, or used for nothing."""
    if not _FILES.search(change.path) or not change.old.exists:
        return []
    found = []
    for failure in case.failures.in_file(change.path):
        match = _UNUSED.search(failure.message)
        name = (match[1] or match[2]) if match else ""
        if not name or name.startswith("_"):
            continue
        set_before = re.compile(rf"(?<![\w$.]){re.escape(name)}\b\s*(?::[^=\n]+)?=(?!=).*\w\s*\(")
        idle = re.compile(
            rf"(?<![\w$.])_+{re.escape(name)}\b\s*(?::[^=\n]+)?=(?!=|>).*\w\s*\(|^\s*(?:void\s+|_\s*=\s*|del\s+)\(?{re.escape(name)}\)?\s*;?\s*$"
        )
        if not any(set_before.search(row) for row in change.old.rows):
            continue
        row = next(
            (
                r
                for r in sorted(change.added)
                if idle.search(change.new.row(r)) and not _LOADS.search(change.new.row(r))
            ),
            None,
        )
        if row is not None:
            found.append(case.finding(change, "suppression", row, change.new.row(row), certain=False, names=[name]))
    return [finding for finding in found if finding is not None]
