"""What a green edit may have done to the check instead of the code (SPEC K7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import Edit


@dataclass(frozen=True, slots=True)
class Finding:
    """One place that looks like silencing.

    `line` counts from 1, in the new text, or in the old one where the line was removed. `kind` is a word such as
    `suppression` or `skipped_test`. `certain` False: only suspect, for a person to look at.
    """

    file: str
    line: int
    kind: str
    text: str
    certain: bool


Inspect = Callable[[Edit, Sequence[Diagnostic], str], Sequence[Finding]]
"""An edit, the errors that it was to repair, and the user's words → what looks like silencing."""
