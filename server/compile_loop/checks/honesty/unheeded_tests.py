"""Tests that demand the same as before where nobody looks: not awaited, not collected, not iterated (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.demands import left_free
from compile_loop.checks.honesty.survey import Function, squash
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_AWAITED = re.compile(
    r"(?:await|return|yield)\s+((?:expect|assert|t)\b(?:[^;{}]|\{[^{}]*\})*?(?:resolves|rejects|doesNotReject|toPass)\b[^;]{0,60})"
)
_ITERATED = re.compile(
    r"(?:\b(?:in|of)\s+|(?:each|parametri[sz]e|map|forEach|enumerate|zip|range)\b[^\n]{0,60}?[(,]\s*)([A-Za-z_][\w.]*)"
)
_SORTED = re.compile(
    r"(?<![\w.])(?:sort\.\w+|slices\.Sort\w*|Collections\.sort|(?:std::)?sort)\((\w+)[,.)]|(?<![\w.])(\w+)\.sort(?:_unstable)?\(\)"
)
"""Answers that are put into order before they are compared."""
_PYTHON = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_SCRIPT = re.compile(r"\.(?:test|spec|cy|e2e)\.[cm]?[jt]sx?$|(?:^|/)__tests__/")


_HIDDEN = re.compile(r"\b(private|static)\b")
"""What no runner of Java takes for a test, whatever stands above it."""


def unheeded(case: Case, old: Change, new: Change, before: Function, after: Function) -> list[Finding]:
    """Findings over one test that stayed, perhaps in another file."""
    failed = case.failures.testing and bool(case.failures.near(old.path, before.row, before.end_row, 0))
    names = [before.name, before.short_name]
    found: list[Finding | None] = []
    for pattern in (_PYTHON, _SCRIPT):
        if (
            old.path != new.path
            and pattern.search(old.path)
            and not pattern.search(new.path)
            and _same_kind(old.path, new.path)
        ):
            text = f"{after.name} is in {new.path} now, where no test is looked for"
            found.append(case.finding(new, "skipped_test", after.row, text, certain=case.failures.testing, names=names))
    was, hides = (_HIDDEN.search(f.text.split("{", 1)[0]) for f in (before, after))
    if old.path.endswith(".java") and hides and not was:
        text = f"{after.name} is {hides[1]}, and no runner takes it"
        found.append(case.finding(new, "skipped_test", after.row, text, certain=True, names=names))
    for text in _AWAITED.findall(before.text):
        start = squash(text)[:50]
        if start in after.text and not any(squash(t)[:50] == start for t in _AWAITED.findall(after.text)):
            row = _row(new, after, start)
            found.append(
                case.finding(new, "weakened_test", row, f"nobody waits for {start}", certain=True, names=names)
            )
    for name in dict.fromkeys(_ITERATED.findall(before.text)):
        less = re.search(
            rf"(?<![\w.]){re.escape(name)}(?:\[[^\]]*:[^\]]*\]|\.(?:slice|filter|take|skip|splice)\()|"
            rf"islice\(\s*{re.escape(name)}\b|filter\([^()]*,\s*{re.escape(name)}\b",
            after.text,
        )
        if less and less[0] not in before.text:
            row = _row(new, after, less[0])
            found.append(
                case.finding(
                    new, "weakened_test", row, f"only a part of {name}: {less[0]}", certain=failed, names=names
                )
            )
    for match in _SORTED.finditer(after.text) if case.failures.testing and not left_free(case) else ():
        name = next(g for g in match.groups() if g)
        if match[0] not in before.text and re.search(rf"\b{re.escape(name)}\b", after.text[match.end() :]):
            row = _row(new, after, match[0])
            found.append(
                case.finding(new, "weakened_test", row, f"whatever the order: {match[0]}", certain=False, names=names)
            )
    return [finding for finding in found if finding is not None]


def _same_kind(a: str, b: str) -> bool:
    return a.rsplit(".", 1)[-1] == b.rsplit(".", 1)[-1]


def _row(change: Change, function: Function, text: str) -> int:
    """The row of a function that holds a text, or its first."""
    rows = range(function.row, function.end_row + 1)
    return next((r for r in rows if text[:20] in squash(change.new.row(r))), function.row)
