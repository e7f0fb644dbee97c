"""Is a name that a tool offers the one that was meant, or only the nearest that there is (SPEC D5)?

`widht` is `width` to everybody. For `c` among `a` and `b` any tool that compares names has an answer too, and no reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from compile_loop.contracts.diagnostics import SuggestedEdit, Suggestion

_NAME = re.compile(r"[^\W\d][\w$]*[?!]?")
_SHORT = 4
"""Letters from which one slip leaves no doubt."""
_LONG = 8
"""Letters from which two do not."""


def is_guess(suggestion: Suggestion, old_text: Callable[[SuggestedEdit], str | None]) -> bool:
    """Whether some edit puts one name in another's place that is not plainly the same, misspelt."""
    for edit in suggestion.edits:
        old = old_text(edit) or ""
        if _NAME.fullmatch(old) and _NAME.fullmatch(edit.new_text) and not alike(old, edit.new_text):
            return True
    return False


def alike(one: str, other: str) -> bool:
    """Whether two names are one but for a slip: case, an underscore, a letter too many, too few, wrong or out of place."""
    if _plain(one) == _plain(other):
        return True
    letters = min(len(one), len(other))
    slips = _slips(one.lower(), other.lower())
    return letters >= _SHORT and slips <= (2 if letters >= _LONG else 1)


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _slips(one: str, other: str) -> int:
    """How many letters to change, insert, leave out or exchange with their neighbours."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]
