"""Options and calls by which a failure is no longer heard of (SPEC K7).

Each has honest uses, so it is a suspicion, and only where a program failed as it ran.
"""

from __future__ import annotations

import re

from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.survey import Language, squash
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_TOLERANT = re.compile(
    r"\bPromise\.allSettled\s*\(|\breturn_exceptions\s*=\s*True|\berrors\s*=\s*[\"'](?:ignore|coerce|"
    r"replace)[\"']|\bon_(?:error|bad_lines)\s*=\s*"
    r"[\"'](?:ignore|skip|warn)[\"']|\bignore_errors\s*=\s*True|\bnp\.errstate\s*\([^)]*ignore|"
    r"\bseterr\s*\([^)]*ignore|\blogging\.disable\s*\(|"
    r"\bsys\.excepthook\s*=|\bthreading\.excepthook\s*=|\bwindow\.onerror\s*=|\bset_exception_handler\s*\(|"
    r"\.catch\s*\(\s*(?:console\.\w+|noop|_\.noop|Boolean)\s*\)|"
    r"\bemitWarning\s*=|process\.noDeprecation\s*=|\brejectUnauthorized\s*:\s*false|\bverify\s*=\s*False|"
    r"NODE_TLS_REJECT_UNAUTHORIZED|\bcheck\s*=\s*False"
)
_NEAR = 15
_TOGETHER = re.compile(r"return_exceptions|allSettled")
"""Calls that hand out failures among their results."""
_CALLED = re.compile(r"^(?P<before>.*?)(?:await\s+)?(?:\w+\.)*(?:gather|wait|allSettled)\s*\(")


def _unread(change: Change, row: int, token: str) -> bool:
    """Whether failures come as results of a call, and nobody looks at those."""
    if not _TOGETHER.search(token):
        return False
    for at in range(row, max(-1, row - 8), -1):
        call = _CALLED.match(change.new.row(at))
        if call:
            return call["before"].strip() in ("", "void")
    return False


def tolerances(case: Case, change: Change, language: Language) -> list[Finding]:
    """Findings for such lines near a failure at run time."""
    if not case.failures.at_run_time or is_test_path(change.path):
        return []
    before = {match for row in change.old.rows for match in _TOLERANT.findall(row)} if change.added else set()
    found = []
    for row in sorted(change.added):
        line = change.new.row(row)
        match = _TOLERANT.search(line)
        if match and match[0].startswith("check") and "returncode" in change.new.text:
            continue
        if match is None or match[0] in before or language.comment.match(line):
            continue
        first, last = change.old_span(row)
        if _unread(change, row, match[0]) or case.failures.near(change.path, first, last, _NEAR):
            found.append(case.finding(change, "swallowed_exception", row, squash(line), certain=False))
    return [finding for finding in found if finding is not None]
