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


_FUNCTION = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|const|unsafe)\s+)*fn\s+(\w+)")
_IMPLEMENTS = re.compile(r"^\s*(?:unsafe\s+)?impl\b[^{]*\bfor\b|^\s*(?:pub\s+)?(?:unsafe\s+)?trait\b")


_CAREFUL = re.compile(
    r"(?:^|_)(?:retr(?:y|ies)|attempts?|timeout|deadline|cancel\w*|verify|validate|strict|secure|dry_run|force|checked|signature|max_\w+)(?:_|$)"
)
"""Parameters that ask for care: whoever gives one counts on it."""


def _unheeded_parameter(case: Case, change: Change) -> list[Finding]:
    """A parameter that callers give, of a function whose form nobody prescribes, and that only got another name."""
    found = []
    for failure in case.failures.in_file(change.path):
        match = _UNUSED.search(failure.message)
        name = (match[1] or match[2]) if match else ""
        row = failure.range.start.line
        now = change.kept_as(row)
        if not _CAREFUL.search(name) or name.startswith("_") or now is not None or "variable" not in failure.message:
            continue
        line = change.old.row(row)
        head = next((at for at in range(row, max(-1, row - 8), -1) if _FUNCTION.match(change.old.row(at))), None)
        if head is None or not re.search(rf"\b{name}\s*:", line) or re.search(r"\blet\b|\bmatch\b|\|", line):
            continue
        if "{" in "".join(change.old.row(at) for at in range(head, row)):
            continue
        depth = len(change.old.row(head)) - len(change.old.row(head).lstrip())
        owner = next(
            (
                change.old.row(at)
                for at in range(head, -1, -1)
                if change.old.row(at).strip() and len(change.old.row(at)) - len(change.old.row(at).lstrip()) < depth
            ),
            "",
        )
        function = _FUNCTION.match(change.old.row(head))
        handed_on = function is not None and re.search(rf"[(,=]\s*(?:\w+::)*{function[1]}\s*[,);]", change.new.text)
        if _IMPLEMENTS.match(owner) or handed_on:
            continue
        at = next((r for r in sorted(change.added) if re.search(rf"(?<!\w)_{name}\s*:", change.new.row(r))), None)
        if at is not None and len(change.added) == 1:
            found.append(case.finding(change, "suppression", at, change.new.row(at), certain=False, names=[name]))
    return [finding for finding in found if finding is not None]


def renamed_unused(case: Case, change: Change) -> list[Finding]:
    """Findings for computed values that were reported as unused and are now named `_x`, or used for nothing."""
    if change.path.endswith(".rs") and change.old.exists:
        return _unheeded_parameter(case, change)
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
