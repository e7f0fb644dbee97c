"""How far off a value may be, where helpers of tests hold it against another (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.demands import only_rounding
from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.survey import squash, text_of
from compile_loop.checks.honesty.weigh import Case
from compile_loop.checks.honesty.widths import number
from compile_loop.contracts.honesty import Finding

_NUMBER = r"(\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)(?:f(?:32|64)?|[dDlLF])?\b"
_NEAR = re.compile(
    rf"(?:abs\w*|fabs\w*|norm\w*|dist\w*|diff\w*|err\w*|delta\w*|Abs|hypot)\b[^;{{}}<>=]{{0,80}}?(?P<below><=?)\s*{_NUMBER}"
    rf"|(?:abs\w*|fabs\w*|norm\w*|dist\w*|diff\w*|err\w*|delta\w*|Abs|hypot)\b[^;{{}}<>=]{{0,80}}?(?P<above>>=?)\s*{_NUMBER}"
    rf"|\b\w*(?:tol(?:erance)?|eps(?:ilon)?|slack|max_?(?:diff|err\w*)|delta)\w*\b\s*(?::\s*\w+\s*)?=\s*{_NUMBER}",
    re.IGNORECASE,
)
_HOLDS_AGAINST = re.compile(
    r"near|close|approx|almost|equal|within|same|match|alike|assert|check|expect|verify|require|eq\b|_eq|tol",
    re.IGNORECASE,
)
_MACROS = {
    "c": "(preproc_function_def) @macro",
    "cpp": "(preproc_function_def) @macro",
    "rust": "(macro_definition) @macro",
}


def wider_bounds(case: Case, sheet: Sheet) -> list[Finding]:
    """Findings for helpers and macros of tests by which a value may be farther off than before."""
    if not is_test_path(sheet.change.path) or not case.failures.testing or only_rounding(case):
        return []
    pairs = [
        (b.short_name, text_of(b.node), text_of(a.node), a.row) for b, a in sheet.pairs[0] if not (b.test or a.test)
    ]
    if query := _MACROS.get(sheet.new.grammar):
        was = {text_of(n.child_by_field_name("name")): text_of(n) for _, n in sheet.old.find(query)}
        for _, node in sheet.new.find(query):
            name = text_of(node.child_by_field_name("name"))
            pairs.append((name, was.get(name, ""), text_of(node), int(node.start_point[0])))
    found: list[Finding | None] = []
    for name, before, after, first in pairs:
        if before == after:
            continue
        old, new = (list(_NEAR.finditer(text)) for text in (before, after))
        if not old or len(old) != len(new):
            continue
        for a, b in zip(old, new, strict=True):
            was_text, now_text = (next(g for g in m.groups()[::-1] if g and g[0] in "0123456789.") for m in (a, b))
            if number(now_text) > number(was_text) * 1.001 and not case.wish.mentions(now_text):
                row = first + after.count("\n", 0, b.end())
                sure = _HOLDS_AGAINST.search(name) is not None
                shown = f"{squash(a[0])} became {squash(b[0])}"
                found.append(case.finding(sheet.change, "weakened_test", row, shown, certain=sure, names=[name]))
    return [finding for finding in found if finding is not None]
