"""The lines of a file that come closest to a SEARCH that is not there; only ever shown, never written to (SPEC E7).

The amount of work is bounded by counting, not by a clock, so that the same reply always gets the same answer.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from compile_loop.edits.document import Document, loose_key
from compile_loop.edits.hunks import common_prefix
from compile_loop.edits.lookalikes import fold

_COMPARED = 200
"""Characters of a line that are compared; longer lines are cut."""
_SCANNED = 200_000
"""Lines that are compared one by one with the most telling line of SEARCH."""
_COMMON = 100
"""A line that stands in the file more often than this says nothing about the place."""
_CANDIDATES = 12
_SEARCH_LINES = 400
_SIMILAR = 55.0
"""Mean likeness (0 to 100) below which nothing is called close."""
_SURE = 75.0
"""Mean likeness from which lines that the file has once settle the place."""
_ANCHORS_TRIED = 4
_WORD = re.compile(r"\w{4,}")
_WORDS_TRIED = 8
_RARE = 3
_CONTEXT = 60
_FOLDED = 10_000


@dataclass(frozen=True, slots=True)
class Nearest:
    """`count` lines from row `first` (zero-based) come closest; they differ first at SEARCH's line `differs`."""

    first: int
    count: int
    differs: int


def nearest(document: Document, search: Sequence[str]) -> Nearest | None:
    """The closest run of as many lines as SEARCH has; None where nothing is like it."""
    wanted = [loose_key(line)[:_COMPARED] for line in search[:_SEARCH_LINES]]
    if not document.text or not any(wanted):
        return None
    first = _by_anchor(document, wanted)
    if first is None:
        first = _by_comparing(document, wanted)
    if first is None:
        return None
    shown = max(0, first)
    return Nearest(shown, min(len(search), len(document.lines) - shown), _first_difference(document, search, first))


def _by_anchor(document: Document, wanted: Sequence[str]) -> int | None:
    """Where SEARCH would begin, going by the longest of its lines that the file has once, if the others agree."""
    if not document.uniform:
        return None
    text = document.folded
    for offset in sorted(range(len(wanted)), key=lambda at: -len(wanted[at]))[:_ANCHORS_TRIED]:
        key = wanted[offset]
        at = text.find(key) if key else -1
        if at < 0 or len(key) == _COMPARED or text.find(key, at + 1) >= 0:
            continue
        first = text.count("\n", 0, at) - offset
        if document.loose_key_at(first + offset) == key and _likeness(document, wanted, first) >= _SURE:
            return first
    return None


def _by_comparing(document: Document, wanted: Sequence[str]) -> int | None:
    """Where SEARCH would begin, going by all lines that the file has, then by the lines most like one of its own."""
    votes = _votes(document.loose_keys, wanted)
    candidates = [first for first, _ in votes.most_common(_CANDIDATES)]
    telling = sum(1 for key in wanted if key)
    if not votes or votes.most_common(1)[0][1] * 2 < telling:
        candidates += _similar_rows(document, wanted)
        if len(document.loose_keys) > _SCANNED:
            candidates += _by_words(document, wanted)
    scored = [(_likeness(document, wanted, first), -first) for first in dict.fromkeys(candidates)]
    if not scored:
        return None
    likeness, first = max(scored)
    return -first if likeness >= _SIMILAR else None


def _votes(keys: Sequence[str], wanted: Sequence[str]) -> Counter[int]:
    """For every line of the file where SEARCH could begin, how many of its lines are then where they should be."""
    where: dict[str, list[int]] = {key: [] for key in wanted if key}
    for row, key in enumerate(keys):
        rows = where.get(key)
        if rows is not None and len(rows) <= _COMMON:
            rows.append(row)
    votes: Counter[int] = Counter()
    for offset, key in enumerate(wanted):
        rows = where.get(key, [])
        if len(rows) <= _COMMON:
            votes.update(row - offset for row in rows)
    return votes


def _similar_rows(document: Document, wanted: Sequence[str]) -> list[int]:
    """Where SEARCH would begin, going by the lines most like its longest line."""
    offset = max(range(len(wanted)), key=lambda at: len(wanted[at]))
    keys = document.loose_keys[:_SCANNED]
    if document.longest_line > _COMPARED:
        keys = [key[:_COMPARED] for key in keys]
    best = process.extract(wanted[offset], keys, scorer=fuzz.ratio, score_cutoff=_SIMILAR, limit=_CANDIDATES)
    return [row - offset for _, _, row in best]


def _by_words(document: Document, wanted: Sequence[str]) -> list[int]:
    """Where SEARCH would begin, going by its longest words that are rare in the file."""
    words = {word: offset for offset, key in enumerate(wanted) for word in _WORD.findall(key)}
    text = document.folded.replace("\r\n", "\n").replace("\r", "\n") if "\r" in document.text else document.folded
    starts: list[int] = []
    for word in sorted(words, key=lambda word: (-len(word), word))[:_WORDS_TRIED]:
        rows: list[int] = []
        at = text.find(word)
        while at >= 0 and len(rows) <= _RARE:
            rows.append(text.count("\n", 0, at))
            at = text.find(word, at + 1)
        if len(rows) <= _RARE:
            starts += [row - words[word] for row in rows]
    return starts


def _likeness(document: Document, wanted: Sequence[str], first: int) -> float:
    total = 0.0
    weight = 0
    for offset, key in enumerate(wanted):
        row = first + offset
        size = max(len(key), 1)
        weight += size
        if 0 <= row < len(document.lines):
            theirs = document.loose_key_at(row)
            total += size * (100.0 if theirs == key else fuzz.ratio(key, theirs[:_COMPARED]))
    return total / weight


def _first_difference(document: Document, search: Sequence[str], first: int) -> int:
    for offset, line in enumerate(search):
        row = first + offset
        if not 0 <= row < len(document.lines) or document.loose_key_at(row) != loose_key(line):
            return offset
    return 0


def quoted(line: str, other: str) -> str:
    """A line JSON-escaped, cut to where it differs from `other`; what looks alike or is invisible is written as `\\u`."""
    column = common_prefix(line, other)
    start = max(0, column - _CONTEXT) if len(line) > 3 * _CONTEXT else 0
    end = min(len(line), start + 3 * _CONTEXT)
    ascii_only = line != other and len(line) < _FOLDED and fold(line) == fold(other)
    text = json.dumps(line[start:end], ensure_ascii=ascii_only)
    text = "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
    return ("…" if start else "") + text + ("…" if end < len(line) else "")
