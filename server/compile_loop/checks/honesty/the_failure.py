"""Handlers that catch exactly what the failing test tripped over, where it did, and say nothing (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.failures import Failures, is_test_failure
from compile_loop.checks.honesty.survey import Mark
from compile_loop.checks.honesty.texts import Change

_MISTAKES = frozenset(
    {
        "KeyError",
        "AttributeError",
        "TypeError",
        "NameError",
        "UnboundLocalError",
        "IndexError",
        "LookupError",
        "ZeroDivisionError",
        "AssertionError",
    }
)
"""What a mistake in the program raises; a missing file or a lost connection may well be let pass."""
_CLEANING = re.compile(
    r"^\s*(?:del\b|\S*\.(?:pop|remove|discard|close|unlink|cancel|shutdown|terminate|kill|clear|popitem|unregister)\s*\(|os\.\w+\()"
)
_REACH = 12
"""Rows that a `try` or `with` is taken to hold."""


def hides_the_failure(failures: Failures, change: Change, mark: Mark) -> bool:
    """Whether a new silent handler hides the very mistake that a test failed by."""
    if (
        not mark.codes
        or not mark.codes <= _MISTAKES
        or not re.search(r"suppress\(|: (?:pass|continue|\.\.\.)", mark.text)
    ):
        return False
    first, last = change.old_span(mark.row)
    near = failures.near(change.path, first, last, _REACH)
    if not any(is_test_failure(d) and any(name in f"{d.code or ''} {d.message}" for name in mark.codes) for d in near):
        return False
    around = range(max(0, mark.row - 2), mark.row + 3)
    return not any(_CLEANING.match(change.new.row(row)) for row in around)
