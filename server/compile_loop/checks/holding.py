"""Modules that hold code against what is right for the tests that call them: helpers of assertions (SPEC K6, K7, Q4)."""

from __future__ import annotations

import re
from pathlib import Path

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.toolchains.plain_files import text_in

_DEMANDS = re.compile(
    r"\b(?:def|function|sub|const|let|var|exports\.|func)\s*\w*?(?i:assert|expect|check|verify|ensure|must|same|equal|should|compare|fail|match)"
)
_ASSERTS = re.compile(r"\bassert\b|\bAssertionError\b|\bExpectationError\b")
_FAILS = re.compile(r"\b(?:raise|throw|die|croak|fail|exit)\b")
_CALLED_SO = re.compile(
    r"(?:^|[/_.-])(?:(?:test[_-]?)?(?:support|helpers?|utils?|lib)|asserts?|assertions?|checks?|checkers?|testing|harness|matchers?|expect(?:ations?)?|"
    r"verif(?:y|iers?))(?=$|[/_.-])",
    re.IGNORECASE,
)
_COMPLAINS = re.compile(
    r"^\s*(?:\w[\w.]*\s*\|\|\s*)?(?:if\b[^\n]*?[:)]\s*)?(?:assert\b|raise\b|throw\b|die\b|croak\b|fail\b|expect\b|console\.assert)"
)


def holds_against(path: str, text: str) -> bool:
    """Whether a module has functions that demand something: they assert, or raise where its name says what they are for."""
    if not _DEMANDS.search(text):
        return False
    return _ASSERTS.search(text) is not None or (
        _CALLED_SO.search(path) is not None and _FAILS.search(text) is not None
    )


def complains_itself(error: Diagnostic, root: Path) -> bool:
    """Whether the line that an error lies in is what told of it: an assertion, or an error that is raised."""
    if error.file is None:
        return False
    try:
        lines = text_in(root / error.file).splitlines()
    except (OSError, ValueError):
        return False
    row = error.range.start.line
    return row < len(lines) and _COMPLAINS.match(lines[row]) is not None
