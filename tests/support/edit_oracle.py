"""What must hold whenever edits were applied, worked out naively and apart from the code under test.

Every block that was reported as applied must really stand where the report says, by the relation of its tier; the tier
must have had one place and the stricter ones none; and no byte outside of the places may differ.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

_LINE = re.compile("[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ALIKE = {
    **dict.fromkeys(map(ord, "\u2018\u2019"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d"), '"'),
    **dict.fromkeys(map(ord, "\u2013\u2014"), "-"),
    0xA0: " ",
    0x2026: "...",
    **dict.fromkeys([0x200B, 0x2060, 0xFEFF]),
}
_PREFIX = re.compile(r" *L?\d+(?: ?\| ?|\t|→|: ?)")
_BLANK = " \t\f\v"

Span = tuple[int, int]
"""First line and the line after the last, from zero."""


def raw_lines(text: str) -> list[str]:
    """Lines with their ends; only CRLF, LF and CR are ends."""
    return _LINE.findall(text)


def body(raw: str) -> str:
    """A line without its end."""
    return raw.rstrip("\r\n")


def fold(line: str) -> str:
    return unicodedata.normalize("NFC", line).translate(_ALIKE)


def key(line: str) -> str:
    return fold(line).strip(_BLANK)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _same(a: str, b: str) -> bool:
    return a == b


def _trailing(a: str, b: str) -> bool:
    return a.rstrip(_BLANK) == b.rstrip(_BLANK)


def _stripped(a: str, b: str) -> bool:
    return a.strip(_BLANK) == b.strip(_BLANK)


def _alike(a: str, b: str) -> bool:
    return key(a) == key(b)


def places(lines: Sequence[str], search: Sequence[str], equal: Callable[[str, str], bool]) -> list[int]:
    """Every line where `search` stands, line by line."""
    return [
        at
        for at in range(len(lines) - len(search) + 1)
        if all(equal(search[offset], lines[at + offset]) for offset in range(len(search)))
    ]


def shifted(lines: Sequence[str], search: Sequence[str]) -> list[int]:
    """Every place where all lines are indented by the same prefix more, or less."""
    found = []
    for at in places(lines, search, _stripped):
        pairs = [(_indent(a), _indent(lines[at + offset])) for offset, a in enumerate(search) if key(a)]
        added = {theirs[: len(theirs) - len(ours)] if theirs.endswith(ours) else None for ours, theirs in pairs}
        taken = {ours[: len(ours) - len(theirs)] if ours.endswith(theirs) else None for ours, theirs in pairs}
        if len(pairs) > 1 and ((len(added) == 1 and None not in added) or (len(taken) == 1 and None not in taken)):
            found.append(at)
    return found


def full_places(lines: Sequence[str], search: Sequence[str]) -> list[Span]:
    """Every place whose lines that are not blank are those of `search`, from the first to the last of them."""
    rows = [row for row, line in enumerate(lines) if key(line)]
    wanted = [key(line) for line in search if key(line)]
    return [
        (rows[at], rows[at + len(wanted) - 1] + 1)
        for at in range(len(rows) - len(wanted) + 1)
        if wanted and [key(lines[rows[at + offset]]) for offset in range(len(wanted))] == wanted
    ]


def span_of(lines: Sequence[str], search: Sequence[str], tier: str, line: int) -> list[Span]:
    """The lines that a block may change, by the tier and the one-based line of its report.

    Raises `AssertionError` where that is not the one place that the tier gives, or a stricter tier gave any.
    """
    first = line - 1
    ladder: list[tuple[str, list[int]]] = [
        ("exact", places(lines, search, _same)),
        ("trailing-space", places(lines, search, _trailing)),
        ("indent-shift", shifted(lines, search)),
        ("indent-map", places(lines, search, _stripped)),
        ("unicode", places(lines, search, _alike)),
    ]
    for name, found in ladder:
        if name == tier:
            assert found == [first], f"{tier} gives {found}, not {[first]}"
            return [(first, first + len(search))]
        assert not found, f"{name} gives {found}, but {tier} was used"
    if tier == "line-numbers":
        bare = [_PREFIX.sub("", text, count=1) for text in search]
        found = places(lines, bare, _alike)
        assert first in found
        return [(first, first + len(bare))]
    if tier == "blank-lines":
        spans = full_places(lines, search)
        assert len(spans) == 1, f"blank-lines gives {spans}"
        (begin, end) = spans[0]
        assert first <= begin
        edges = [next(count for count, text in enumerate(order) if key(text)) for order in (search, search[::-1])]
        while edges[0] and begin and not key(lines[begin - 1]):
            begin, edges[0] = begin - 1, edges[0] - 1
        while edges[1] and end < len(lines) and not key(lines[end]):
            end, edges[1] = end + 1, edges[1] - 1
        return [(begin, end)]
    assert tier == "elision", tier
    pieces: list[list[str]] = [[]]
    for text in search:
        if re.fullmatch(r"\s*(?:#|//|--|/\*|<!--)?\s*(?:\.\.\.|…)\s*(?:\*/|-->)?\s*", text):
            pieces.append([])
        else:
            pieces[-1].append(text)
    spans = []
    for piece in pieces:
        if not any(map(key, piece)):
            continue
        found = next(
            found for found in (places(lines, piece, equal) for equal in (_same, _trailing, _stripped, _alike)) if found
        )
        if len(found) > 1:
            found = shifted(lines, piece)
        assert len(found) == 1
        assert not spans or found[0] >= spans[-1][1]
        spans.append((found[0], found[0] + len(piece)))
    assert spans
    assert spans[0][0] == first
    return spans


def outside_is_kept(before: Sequence[str], after: str, spans: Sequence[Span]) -> None:
    """Whether `after` is `before` with nothing but the spans' lines replaced by anything."""
    kept: list[str] = []
    at = 0
    for begin, end in sorted(spans):
        assert begin >= at, "places overlap"
        kept.append("".join(before[at:begin]))
        at = end
    kept.append("".join(before[at:]))
    assert after.startswith(kept[0]), "what is before the first place changed"
    position = len(kept[0])
    for part in kept[1:-1]:
        position = after.find(part, position)
        assert position >= 0, "what is between two places changed"
        position += len(part)
    assert len(after) - len(kept[-1]) >= position
    assert after.endswith(kept[-1]), "what is after the last place changed"


def spliced(before: Sequence[str], edits: Sequence[tuple[int, int, Sequence[str]]], end: str) -> str:
    """`before` with exact replacements, every line ended with `end`; a missing final line end stays missing."""
    result: list[str] = []
    at = 0
    for begin, stop, replace in sorted(edits):
        result += map(body, before[at:begin])
        result += replace
        at = stop
    rest = [body(line) for line in before[at:]]
    text = "".join(line + end for line in [*result, *rest])
    missing = before and body(before[-1]) == before[-1]
    if missing and (rest or (result and sorted(edits)[-1][2])):
        text = text.removesuffix(end)
    return text
