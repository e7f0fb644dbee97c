"""One block's place: the line tiers, then line-number prefixes, blank lines and elision (SPEC E5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from compile_loop.edits.document import Document, Place, loose_key
from compile_loop.edits.indent import indent_of, is_blank
from compile_loop.edits.match import MAX_PLACES, Ambiguous, Found, Tier, find_lines

_NUMBERED = re.compile(r"[ ]{0,8}L?(\d{1,7})([ ]?\||\t|→|:)")
_ELISION = re.compile(r"\s*(?:#|//|--|/\*|<!--)?\s*(?:\.\.\.|…)\s*(?:\*/|-->)?\s*")

_LONGEST_ELISION = 120


@dataclass(frozen=True, slots=True)
class Piece:
    """One run of lines to replace. With `loose_blanks`, only the lines that are not blank pair with the file's."""

    place: Place
    search: tuple[str, ...]
    replace: tuple[str, ...]
    loose_blanks: bool = False


@dataclass(frozen=True, slots=True)
class Located:
    """Where a block goes: one piece, or several where SEARCH elides what is between them."""

    tier: Tier
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """No place at any tier; `note` says what would have to be different, where that is known."""

    note: str | None = None


Location = Located | Ambiguous | Missing


def locate(document: Document, search: Sequence[str], replace: Sequence[str]) -> Location:
    """The one place of a block whose SEARCH is not all blank; lines come without their ends."""
    found = find_lines(document, list(search))
    if isinstance(found, Found):
        return Located(found.tier, (Piece(found.place, tuple(search), tuple(replace)),))
    if found is not None:
        return found
    note: str | None = None
    for attempt in (_without_numbers, _with_loose_blanks, _with_elision):
        location = attempt(document, search, replace)
        if not isinstance(location, Missing):
            return location
        note = note or location.note
    return Missing(note)


def numbered_lines(lines: Sequence[str]) -> tuple[int, str, list[str]] | None:
    """First number, separator and bare lines, where every line that is not blank has a rising line-number prefix."""
    bare: list[str] = []
    first = separator = None
    number = 0
    for line in lines:
        match = _NUMBERED.match(line)
        if match is None:
            if not is_blank(line):
                return None
            number += 1
            bare.append(line)
            continue
        value, mark = int(match[1]), match[2].strip(" ")
        if first is None:
            first, separator = value - len(bare), mark
        elif mark != separator or value != number + 1:
            return None
        number = value
        rest = line[match.end() :]
        # `12 | code` and `12: code` put one space before the code, where the others put none.
        bare.append(rest[1:] if mark in "|:" and rest.startswith(" ") else rest)
    return None if first is None or separator is None else (first, separator, bare)


def _without_numbers(document: Document, search: Sequence[str], replace: Sequence[str]) -> Location:
    numbered = numbered_lines(search)
    if numbered is None:
        return Missing()
    first, separator, bare = numbered
    if all(map(is_blank, bare)):
        return Missing()
    found = find_lines(document, bare)
    if found is None:
        return Missing()
    if isinstance(found, Ambiguous):
        return Ambiguous(found.places, Tier.LINE_NUMBERS, found.more)
    # `5: x` and a lone `5<tab>x` may well be content; then only the file's own numbering shows that they are prefixes.
    if (separator == ":" or len(bare) == 1) and found.place.first + 1 != first:
        return Missing()
    prefixed = [line for line in replace if _NUMBERED.match(line)]
    if prefixed:
        numbered_replace = numbered_lines(replace)
        if numbered_replace is None:
            return Missing("SEARCH, and part of REPLACE, begin with line numbers: send both without them")
        replace = numbered_replace[2]
    return Located(Tier.LINE_NUMBERS, (Piece(found.place, tuple(bare), tuple(replace)),))


def _with_loose_blanks(document: Document, search: Sequence[str], replace: Sequence[str]) -> Location:
    wanted = [loose_key(line) for line in search if not is_blank(line)]
    if document.lacks(wanted):
        return Missing()
    rows, index = document.full_lines
    places: list[Place] = []
    for at in index.windows(wanted):
        first, last = rows[at], rows[at + len(wanted) - 1]
        above, below = _edge_blanks(search), _edge_blanks(search[::-1])
        while above and first and not document.loose_keys[first - 1]:
            first, above = first - 1, above - 1
        while below and last + 1 < len(document.lines) and not document.loose_keys[last + 1]:
            last, below = last + 1, below - 1
        places.append(document.place(first, last + 1 - first))
        if len(places) >= MAX_PLACES:
            break
    if not places:
        return Missing()
    if len(places) > 1:
        return Ambiguous(tuple(places), Tier.BLANK_LINES, len(places) >= MAX_PLACES)
    return Located(Tier.BLANK_LINES, (Piece(places[0], tuple(search), tuple(replace), loose_blanks=True),))


def _edge_blanks(lines: Sequence[str]) -> int:
    return next((count for count, line in enumerate(lines) if not is_blank(line)), 0)


def _split_at_elisions(lines: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if len(line) <= _LONGEST_ELISION and _ELISION.fullmatch(line):
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _with_elision(document: Document, search: Sequence[str], replace: Sequence[str]) -> Location:
    parts = _split_at_elisions(search)
    if len(parts) == 1:
        return Missing()
    new_parts = _split_at_elisions(replace)
    if len(new_parts) != len(parts):
        return Missing(
            "SEARCH leaves lines out with `...`, so REPLACE must have the same `...` lines in the same order"
        )
    pieces: list[Piece] = []
    for part, new in zip(parts, new_parts, strict=True):
        if all(map(is_blank, part)):
            if part != new:
                return Missing("lines beside `...` need a line of the file next to them, to show where they go")
            continue
        found = find_lines(document, part)
        if isinstance(found, Ambiguous):
            return Ambiguous(found.places, Tier.ELISION, found.more)
        if found is None:
            return Missing()
        if pieces and not _may_elide(document, pieces[-1].place, found.place):
            return Missing(
                f"what `...` would stand for, lines {pieces[-1].place.first + pieces[-1].place.count + 1} to "
                f"{found.place.first}, is not one stretch inside one block of code"
            )
        pieces.append(Piece(found.place, tuple(part), tuple(new)))
    return Located(Tier.ELISION, tuple(pieces)) if pieces else Missing()


def _may_elide(document: Document, above: Place, below: Place) -> bool:
    """Whether what lies between two places reads as left out of one block of code, going by its indentation.

    Two lines that are each unique may be far apart, in two functions that the model took for one.
    """
    start = above.first + above.count
    if below.first < start:
        return False
    outer = len(indent_of(document.lines[start - 1].expandtabs(8)))
    inner = len(indent_of(document.lines[below.first].expandtabs(8)))
    least = outer + 1 if inner > outer else inner
    for line in document.lines[start : below.first]:
        if is_blank(line):
            continue
        width = len(indent_of(line.expandtabs(8)))
        opens = width == outer and not line.strip().strip("{([")
        if width < least and not opens:
            return False
    return True
