"""Functions that are no tests but demand something of the code, and demand less after an edit (SPEC K7).

That an assertion of the program itself was wrong cannot be excluded, so it is a suspicion; only the helper of tests in which
the test failed is certain.
"""

from __future__ import annotations

import re

from compile_loop.checks.honesty.failures import is_test_failure, same_file
from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.survey import Function
from compile_loop.checks.honesty.units import Unit
from compile_loop.checks.honesty.weaker import weaker
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_FAILS = re.compile(
    r"\braise\b(?!\s+(?:NotImplementedError|StopIteration))|\bthrow\b(?!.*(?i:not implemented|unsupported))|\bpanic!?\s*\(|"
    r"\babort\s*\(\s*\)|\b(?:sys\.|process\.|os\.|std::|process::)?_?[eE]xit\s*\(\s*[1-9E\"'f]|\.(?:Fatal|Error)f?\s*\(|\.(?:FailNow|Fail)\s*\("
)
_DEMANDS = re.compile(
    r"(?:^|[_.])(?:assert|check|expect|verify|ensure|require|must|compare|same|equal|should|fail)", re.IGNORECASE
)
_CAMEL = re.compile(r"[a-z](?:Assert|Check|Expect|Verify|Ensure|Require|Must|Compare|Same|Equals?|Should)(?:[A-Z]|$)")


def weaker_helpers(case: Case, sheet: Sheet, demanded: frozenset[str]) -> list[Finding]:
    """Findings over helpers of tests, and over code that the failure to repair was told by.

    `demanded` are the assertions of functions that the edit brought: what went there is not gone.
    """
    found: list[Finding] = []
    for before, after in sheet.pairs[0]:
        if before.test or after.test or before.text == after.text or not _through(case, sheet, before):
            continue
        old = Unit(sheet.change, sheet.old, sheet.language, before)
        new = Unit(sheet.change, sheet.new, sheet.language, after)
        was = [a for a in old.assertions if a.text not in demanded and (a.form != "fail" or _demands(before))]
        names = [before.name, before.short_name]
        here = [f for f in weaker(case, sheet.change, old, was, new.assertions, names) if f is not None]
        if not here and (gone := _silenced(before, after)):
            row, text = gone
            made = case.finding(sheet.change, "weakened_test", row, f"removed {text}", certain=False, names=names)
            here = [made] if made is not None else []
        sure = is_test_path(sheet.change.path) and _demands(before) and _failed_in(case, sheet.change.path, before)
        found.extend(Finding(f.file, f.line, f.kind, f.text, f.certain and sure) for f in here)
    return found


def _through(case: Case, sheet: Sheet, function: Function) -> bool:
    """Whether a test failed in this function, or called it on the way; any helper among the tests counts."""
    path = sheet.change.path
    return is_test_path(path) or _failed_in(case, path, function)


def _failed_in(case: Case, path: str, function: Function) -> bool:
    for failure in case.failures.all:
        if not (is_test_failure(failure) or case.failures.at_run_time):
            continue
        places = [(failure.file, failure.range), *((r.file, r.range) for r in failure.related)]
        if any(
            file is not None and same_file(file, path) and function.row <= at.start.line <= function.end_row
            for file, at in places
        ):
            return True
    return False


def _demands(function: Function) -> bool:
    """Whether it is there to demand something of others."""
    name = function.short_name
    return bool(_DEMANDS.search(name) or _CAMEL.search(name) or "AssertionError" in function.text)


def _silenced(before: Function, after: Function) -> tuple[int, str] | None:
    """The failing statement of a helper that fails no more, with its row; None for other functions."""
    if (
        not _demands(before)
        or _FAILS.search(after.text)
        or re.search(r"\bassert", after.text.split(before.short_name, 1)[-1])
    ):
        return None
    lines = (before.node.text or b"").decode("utf-8", "replace").split("\n")
    first = int(before.node.start_point[0])
    return next(((first + n, line.strip()) for n, line in enumerate(lines) if _FAILS.search(line)), None)
