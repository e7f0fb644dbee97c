"""Numbers with their nouns, for every sentence that a person reads."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """`1 error`, `3 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
