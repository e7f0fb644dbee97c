"""Where a SEARCH text is: tier by tier, each must give exactly one place, and never by similarity (SPEC E5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from compile_loop.edits.document import Document, Place, loose_key
from compile_loop.edits.indent import BLANK, Kind, is_blank, learn

MAX_PLACES = 100
"""More places than this are not told apart any further: the SEARCH is ambiguous."""


class Tier(str, Enum):
    """How strictly SEARCH and the file had to agree, strictest first."""

    EXACT = "exact"
    TRAILING_SPACE = "trailing-space"
    INDENT_SHIFT = "indent-shift"
    INDENT_MAP = "indent-map"
    UNICODE = "unicode"
    LINE_NUMBERS = "line-numbers"
    BLANK_LINES = "blank-lines"
    ELISION = "elision"
    FRAGMENT = "fragment"
    CREATE = "create"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Found:
    """The one place, and by which tier."""

    place: Place
    tier: Tier


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several places at the first tier that gave any; `more` where not all were counted."""

    places: tuple[Place, ...]
    tier: Tier
    more: bool = False


def find_lines(document: Document, search: list[str]) -> Found | Ambiguous | None:
    """Find `search` as whole lines, by the tiers from exact to look-alikes. Its lines are not all blank."""
    exact = document.find_whole_lines(search, MAX_PLACES)
    if exact:
        return _only(exact, Tier.EXACT)
    by_tier: dict[Tier, list[Place]] = {}
    for seen, first in enumerate(loose_matches(document, search)):
        if seen == MAX_PLACES:
            every = [place for places in by_tier.values() for place in places]
            return Ambiguous(tuple(sorted(every, key=lambda place: place.first)), Tier.INDENT_MAP, more=True)
        tier = classify(search, document.lines[first : first + len(search)])
        by_tier.setdefault(tier, []).append(document.place(first, len(search)))
    for tier in (Tier.TRAILING_SPACE, Tier.INDENT_SHIFT, Tier.INDENT_MAP, Tier.UNICODE):
        if tier in by_tier:
            return _only(by_tier[tier], tier)
    return None


def _only(places: Sequence[Place], tier: Tier) -> Found | Ambiguous:
    if len(places) == 1:
        return Found(places[0], tier)
    return Ambiguous(tuple(places), tier, more=len(places) >= MAX_PLACES)


def loose_matches(document: Document, search: Sequence[str]) -> Iterator[int]:
    """The first lines of every window whose lines have the same loose keys as `search`."""
    keys = [loose_key(line) for line in search]
    return iter(()) if document.lacks(keys) else document.loose_index.windows(keys)


def classify(search: Sequence[str], file: Sequence[str]) -> Tier:
    """The strictest tier by which two equally long runs of lines with the same loose keys agree."""
    pairs = [(a.rstrip(BLANK), b.rstrip(BLANK)) for a, b in zip(search, file, strict=True)]
    if all(a == b for a, b in pairs):
        return Tier.TRAILING_SPACE
    if any(a.lstrip(" \t") != b.lstrip(" \t") for a, b in pairs):
        return Tier.UNICODE
    texts = [a for a, _ in pairs if not is_blank(a)]
    # One line alone has no shape by which a shift could be told from any other indentation.
    if len(texts) > 1 and learn([a for a, _ in pairs], [b for _, b in pairs]).kind <= Kind.SHIFTED:
        return Tier.INDENT_SHIFT
    return Tier.INDENT_MAP
