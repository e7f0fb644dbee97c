"""Numbers with their nouns, for every sentence that a person reads."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, noun: str) -> str:
    """`1 error`, `3 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def went(before: int, after: int, noun: str = "error") -> str:
    """`3 → 1 error`, `still 2 errors`: how a number moved."""
    return f"still {count(after, noun)}" if before == after else f"{before} → {count(after, noun)}"


def some(names: Sequence[str], most: int = 1) -> str:
    """`a.c, b.c and 3 more`: at most so many by name."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
