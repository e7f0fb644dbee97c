"""The tool channel's fragment: an exact text, inside a line or across line ends, that occurs once (SPEC E5, T2)."""

from __future__ import annotations

from dataclasses import dataclass

from compile_loop.edits.ambiguity import describe_places
from compile_loop.edits.document import Document, Place
from compile_loop.edits.locate import Located, Location
from compile_loop.edits.match import Ambiguous, Tier

_COUNTED = 50


@dataclass(frozen=True, slots=True)
class Fragment:
    """Characters `start` to `end` of the text become `text`; `line` is the one-based first line."""

    start: int
    end: int
    text: str
    line: int


def find_fragment(document: Document, search: str, replace: str, location: Location) -> Fragment | str | None:
    """The fragment, or why it is ambiguous; None where whole lines decide, or it occurs nowhere.

    Whole lines that match exactly win. Where they match only loosely, the text must not occur anywhere else as well.
    """
    exact = isinstance(location, Located | Ambiguous) and location.tier is Tier.EXACT
    if exact or isinstance(location, Ambiguous):
        return None
    needle = search.replace("\r\n", "\n").replace("\r", "\n")
    offsets: list[int] = []
    at = document.normal.find(needle)
    while at >= 0 and len(offsets) < _COUNTED:
        offsets.append(at)
        at = document.normal.find(needle, at + 1)
    places = [_place(document, at, len(needle)) for at in offsets]
    if isinstance(location, Located):
        mine = [piece.place for piece in location.pieces]
        places = [place for place in places if not any(p.start <= place.start and place.end <= p.end for p in mine)]
        if places:
            return describe_places(document, Ambiguous((*mine, *places), Tier.FRAGMENT))
        return None
    if len(places) > 1:
        return describe_places(document, Ambiguous(tuple(places), Tier.FRAGMENT, len(places) >= _COUNTED))
    if not places:
        return None
    place = places[0]
    end = _end_at(document, place)
    text = replace.replace("\r\n", "\n").replace("\r", "\n").replace("\n", end)
    return Fragment(place.start, place.end, text, place.first + 1)


def _place(document: Document, at: int, size: int) -> Place:
    start, end = document.offset(at), document.offset(at + size)
    return Place(document.line_of(at), document.normal.count("\n", at, at + size) + 1, start, end)


def _end_at(document: Document, place: Place) -> str:
    """The line end of the fragment's first line, else the usual one."""
    text = document.text
    ends = [at for at in (text.find("\n", place.start), text.find("\r", place.start)) if at >= 0]
    if ends:
        at = min(ends)
        return "\r\n" if text[at : at + 2] == "\r\n" else text[at]
    return document.usual_end
