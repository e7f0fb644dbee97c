"""Which function of the text before is which of the text after: by name, then by likeness."""

from __future__ import annotations

from collections.abc import Sequence

from compile_loop.checks.honesty.survey import Function

Pairs = tuple[list[tuple[Function, Function]], list[Function], list[Function]]
"""Functions that stayed, before and after; those that went; those that came."""

_SIMILAR = 0.55
_MOST = 60
"""Beyond this many functions without a namesake on a side, likeness is not looked for."""


def pair_functions(old: Sequence[Function], new: Sequence[Function]) -> Pairs:
    """Functions that stayed, by name and then by likeness; those that went; those that came."""
    by_name: dict[str, list[Function]] = {}
    for function in new:
        by_name.setdefault(function.name, []).append(function)
    pairs, gone = [], []
    for before in old:
        same = by_name.get(before.name)
        if not same:
            gone.append(before)
            continue
        after = same[0]
        if len(same) > 1:
            after = next((f for f in same if f.text == before.text), after)
        same.remove(after)
        pairs.append((before, after))
    born = [function for same in by_name.values() for function in same]
    if len(gone) > _MOST or len(born) > _MOST:
        return pairs, gone, born
    lost = []
    for before in gone:
        best = max(born, key=lambda f: likeness(before.words, f.words), default=None)
        if best is not None and likeness(before.words, best.words) >= _SIMILAR:
            born.remove(best)
            pairs.append((before, best))
        else:
            lost.append(before)
    return pairs, lost, born


def likeness(a: frozenset[str], b: frozenset[str]) -> float:
    """How many words two texts share, from 0 to 1."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if a or b else 1.0
