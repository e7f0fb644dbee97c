"""Numbers with their nouns, for every sentence that a person reads."""

from __future__ import annotations

from collections.abc import Sequence

MOST_ERRORS = 1000
"""From so many errors of a check on only kinds that are new in their file are handed over: a count is of at least so many."""


def count(number: int, noun: str) -> str:
    """`1 error`, `3 rounds`, `at least 1000 errors`."""
    return f"{at_least(number, noun)} {noun}" if number == 1 else f"{at_least(number, noun)} {noun}s"


def at_least(number: int, noun: str = "error") -> str:
    """A number: `7`, of errors also `at least 1000`."""
    return f"at least {number}" if noun == "error" and number >= MOST_ERRORS else str(number)


def went(before: int, after: int, noun: str = "error") -> str:
    """`3 → 1 error`, `still 2 errors`: how a number moved."""
    return f"still {count(after, noun)}" if before == after else f"{at_least(before, noun)} → {count(after, noun)}"


def some(names: Sequence[str], most: int = 1) -> str:
    """`a.c, b.c and 3 more`: at most so many by name."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
