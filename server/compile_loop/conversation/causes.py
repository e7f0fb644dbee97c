"""Which errors to show first: those that others follow from (SPEC C5).

Compilers print in the order of files and lines. One missing declaration is then a hundred errors, and the one that
matters may be the last. Here the same complaint is one entry wherever it was made, and entries are in the order in
which fixing them is likely to make others go away.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from compile_loop.contracts.diagnostics import Diagnostic

_UNRESOLVED = re.compile(
    r"no such file|file not found|cannot find (?:module|package|crate|type|name|value|function|struct|trait|macro|symbol|-l)"
    r"|could not (?:find|resolve|be resolved)|unresolved (?:import|module|reference)|unknown type name|does not name a type"
    r"|no (?:required )?module|is not in (?:std|GOROOT)|package \S+ does not exist|not found in (?:this scope|crate)"
    r"|\bundeclared\b|was not declared|undefined: |undefined name|is not defined|use of undeclared|not in scope"
    r"|has no (?:exported )?member|failed to resolve|undefined reference|Module not found|No module named",
    re.IGNORECASE,
)
"""Something is missing that others may be waiting for."""
_FOLLOWS = re.compile(
    r"implicitly has an? '?any|incomplete type|control reaches end"
    r"|type annotations needed|can(?:not|'t) (?:be )?infer|is of type 'unknown'|in type <?err|invalid type|never (?:read|used)"
    r"|unused|declared (?:and|but) not used|imported and not used|data definition has no type|type specifier missing"
    r"|previous (?:definition|declaration)|does not override|\bdefined but\b",
    re.IGNORECASE,
)
"""What compilers say when they go on after something that they did not understand."""

Steady = Callable[[str], str]
"""Leaves out of a message what differs from run to run."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One complaint: where it was made first, and the other places (`file:line`, as people count)."""

    error: Diagnostic
    others: tuple[str, ...]

    @property
    def times(self) -> int:
        """How often it was made."""
        return 1 + len(self.others)


def in_order(errors: Iterable[Diagnostic], steady: Steady) -> list[Cause]:
    """Complaints, the likeliest causes first.

    Earlier phases before later ones; then what is missing before what is wrong before what usually follows from others;
    then complaints in files that other errors point to; then those made more often; else the tool's own order.
    """
    errors = list(errors)
    pointed = Counter(place.file for error in errors for place in error.related if place.file != error.file)
    groups: dict[tuple[int, str | None, str], list[Diagnostic]] = {}
    for error in errors:
        groups.setdefault((error.phase, error.code, steady(error.message)), []).append(error)
    causes = [Cause(same[0], tuple(_place(one) for one in same[1:])) for same in groups.values()]
    return sorted(
        causes, key=lambda c: (c.error.phase, _rank(c.error), -pointed[c.error.file] if c.error.file else 0, -c.times)
    )


def _rank(error: Diagnostic) -> int:
    message = error.message.split("\n", 1)[0]
    if _FOLLOWS.search(message):
        return 2
    return 0 if _UNRESOLVED.search(message) else 1


def _place(error: Diagnostic) -> str:
    return f"{error.file}:{error.range.start.line + 1}" if error.file else "elsewhere"
