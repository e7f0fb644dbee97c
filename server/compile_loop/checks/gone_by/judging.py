"""Functions and macros that hold two values against each other and fail where they differ (SPEC K7). Pure, by the text.

A function that does anything else is no judge: a product's own may well raise where two values are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HEAD = re.compile(
    r"^(?P<indent>\s*)(?:(?:export|default|async|static|public|private|pub|local|exports\.|module\.exports\.)\s*)*"
    r"(?:(?:def|function|func|fn|sub)\s+(?:\([^)]*\)\s*)?(?P<name>[\w.:!?=]+)\s*(?:\((?P<given>.*?)\)\s*(?:->[^:{]*)?[:{]?|\{)|"
    r"(?:(?:const|let|var)\s+)?(?P<value>\w+)\s*[:=]\s*(?:async\s*)?(?:function\s*\w*\s*)?\((?P<more>[^)]*)\)\s*(?:=>|\{))"
)
_MACRO = re.compile(r"^\s*#\s*define\s+(?P<name>\w+)\s*\((?P<given>[^)]*)\)|^\s*macro_rules!\s*(?P<rust>\w+)")
_C_HEAD = re.compile(
    r"^(?:static\s+|inline\s+|extern\s+)*(?:void|int|bool|_Bool)\s+(?P<name>\w+)\s*\((?P<given>[^;]*)\)\s*\{?\s*$"
)
COMPLAINS = re.compile(
    r"\b(?:raise|throw|die|croak|fail\w*|abort|assert\w*|exit|_exit|panic|Fatalf?|Errorf?|error|longjmp)\b|\breturn\s+(?:1|-1|false|False)\b|"
    r"\b\w*(?:fail|error|bad)\w*\s*(?:\+\+|\+=)|(?:\+\+|--)\w*(?:fail|error|bad)"
)
"""What a judge fails by."""
_GUARD = re.compile(r"\b(?:if|unless|assert|elsif|elif|while|return)\b")
_APART = r"!==?|===?|\bis(?:\s+not)?\b|\beq\b|\bne\b|\bequals?\b|\bEqual\b|<|>|-|,"
_DOES = re.compile(
    r"(?:[\w\])]\.\w+|\])\s*(?:[-+*/|&]?=)(?!=)|^\s*return\s+(?!None|True|False|true|false|null|nil|[01];?\s*$)[\w\"'\[{(]"
)
_EQUAL = re.compile(
    r"(?:__eq__|equals?|isEqual\w*|operator==|approx\w*|is_?close\w*|almost\w*|near\w*|within\w*|==)$", re.IGNORECASE
)
_TOLERANT = re.compile(
    r"\babs\b|\bround\b|\bfabs\w*|isclose|toFixed|tolerance|epsilon|\beps\b|delta|<=?", re.IGNORECASE
)
_C_TYPE = re.compile(r"(?:const|int|char|double|float|long|unsigned|bool|size_t|auto|std)$")
_MOST_ROWS = 60


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge's name, and its rows, counted from 0; `rows` are those that say what it takes for the same."""

    name: str
    first: int
    last: int
    rows: frozenset[int]
    alone: bool = False
    """It is told what to hold for true, and holds nothing against anything."""


def judges_in(path: str, text: str) -> list[Judge]:
    """The judges of a file. One of the values may be held by the object whose comparison it is."""
    rows = text.split("\n")
    found: list[Judge] = []
    for at, row in enumerate(rows):
        if made := _MACRO.match(row):
            last = _end_of_macro(rows, at)
            name = made.group("name") or made.group("rust")
            body = range(at, last + 1)
            guards = [n for n in body if re.search(r"\bif\b|\?|\|\||&&", rows[n].replace("#define", ""))]
            if guards and any(COMPLAINS.search(rows[n].replace(name, "", 1)) for n in body):
                found.append(Judge(name, at, last, frozenset(body)))
            continue
        head = _C_HEAD.match(row) if re.search(r"\.(?:[ch]|cc|cpp|hpp|hh|cxx)$", path) else _HEAD.match(row)
        if head is None:
            continue
        last = _end_of(rows, at, head)
        name = head.groupdict().get("name") or head.groupdict().get("value") or ""
        if made_judge := _judge(name, _parameters(head.groupdict(), rows, at), rows, at, last):
            found.append(made_judge)
    return found


def _judge(name: str, given: Sequence[str], rows: Sequence[str], first: int, last: int) -> Judge | None:
    body = range(first, last + 1)
    short = re.split(r"[.:]", name)[-1] or name
    if _EQUAL.search(short) and any(
        _TOLERANT.search(rows[n]) and re.search(r"\d|toler|eps|delta", rows[n]) for n in body[1:] or body
    ):
        return Judge(name, first, last, frozenset(n for n in body if _TOLERANT.search(rows[n])))
    pairs = _pairs(given)
    guards = {n for n in body if _GUARD.search(rows[n]) and any(pair.search(rows[n]) for pair in pairs)}
    alone = not guards
    if alone and given:
        one = rf"(?<!\w){re.escape(given[0])}(?!\w)"
        denied = re.compile(
            rf"\b(?:if|unless)\b.{{0,3}}(?:(?:not|!)\s*\(?)?\s*{one}\)?\s*(?:[:{{;]|$|then)|{one}\s*\|\|"
        )
        guards = {n for n in body if n != first and denied.search(rows[n])}
    if not guards or any(_DOES.search(rows[n]) for n in body if n not in guards and n != first):
        return None
    if any(
        COMPLAINS.search(rows[n].split("=>", 1)[-1].replace(name, "", 1)) for n in body if n != first or last == first
    ):
        judging = frozenset(n for n in body if n in guards or COMPLAINS.search(rows[n]))
        return Judge(name, first, last, judging, alone)
    return None


def _pairs(given: Sequence[str]) -> list[re.Pattern[str]]:
    """Rows that hold one of the values given against another."""
    words = [re.escape(word) for word in given][:6]
    return [
        re.compile(rf"(?<!\w){one}(?!\w).{{0,60}}?(?:{_APART}).{{0,60}}?(?<!\w){other}(?!\w)")
        for one in words
        for other in words
        if one != other
    ]


def _parameters(made: dict[str, str | None], rows: Sequence[str], at: int) -> list[str]:
    given = made.get("given") or made.get("more") or ""
    if not given and (taken := re.search(r"my\s*\(([^)]*)\)\s*=\s*@_", " ".join(rows[at : at + 3]))):
        given = taken.group(1)
    parts = [re.split(r"[:=]", part)[0].strip() for part in given.split(",")]
    words = [(re.findall(r"[$@]?\w+", part) or [""]) for part in parts]
    # Where the type stands behind (Go), the name is first; in C it is last.
    named = [w for w in words if w[0] not in ("", "self", "cls", "this")]
    return [w[-1] if len(w) > 1 and _C_TYPE.match(w[0]) else w[0] for w in named]


def _end_of_macro(rows: Sequence[str], at: int) -> int:
    if "macro_rules!" in rows[at]:
        return next((n for n in range(at + 1, min(len(rows), at + _MOST_ROWS)) if rows[n].startswith("}")), at)
    last = at
    while last + 1 < len(rows) and rows[last].rstrip().endswith("\\"):
        last += 1
    return last


def _end_of(rows: Sequence[str], at: int, head: re.Match[str]) -> int:
    indent = len(head.groupdict().get("indent") or "")
    last = at
    for n in _below(rows, at):
        row = rows[n]
        if not row.strip():
            continue
        deep = len(row) - len(row.lstrip())
        if deep < indent or (deep == indent and not re.match(r"\s*(?:[})\]{]|end\b)", row)):
            break
        last = n
        if deep == indent and re.match(r"\s*(?:\}|end\b)", row):
            break
    return last


def _below(rows: Sequence[str], at: int) -> Iterator[int]:
    yield from range(at + 1, min(len(rows), at + _MOST_ROWS))
