"""Assertions that live on elsewhere: in the rows of a table, in a loop, in a stricter assertion (SPEC K7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from compile_loop.checks.honesty.assertions import STRENGTH
from compile_loop.checks.honesty.failures import literals_of
from compile_loop.checks.honesty.hollow import parameters
from compile_loop.checks.honesty.survey import Assertion, Function, squash
from compile_loop.checks.honesty.texts import Change

_CALLED = re.compile(r"([A-Za-z_$][\w$]*)\s*(?:<[\w, ]*>)?\s*!?\(")
_NO_CALLS = re.compile(
    r"(?i:assert|expect|check|require|to[A-Z]|equal|raises|throws|list$|len$|str$|int$|sorted$|set$|dict$|tuple$|"
    r"approx$|match)|^(?:String|Number|Array|Object|eq|ok|is|not|that)$"
)
_LOCAL = re.compile(
    r"^\s*(?:const|let|var|auto|final|val)?\s*([A-Za-z_]\w*)\s*(?::[^=\n]+)?:?=\s*(?!=)(.+?);?\s*$", re.MULTILINE
)
_WINDOW = 4
"""Rows of a table within which one case lies."""
_NO_WORDS = frozenset(
    {
        "await",
        "expect",
        "assert",
        "toBe",
        "toEqual",
        "toStrictEqual",
        "equal",
        "deepEqual",
        "strictEqual",
        "assertEqual",
        "self",
        "t",
        "not",
        "to",
        "be",
        "len",
        "length",
        "size",
    }
)


_LOSSY = re.compile(
    r"\b(?:std::)?(ceil|floor|l?l?round|trunc|rint|fabs|abs|toFixed|Ceil|Floor|Round|Trunc|Abs|toLowerCase|toUpperCase|to_lowercase|"
    r"to_uppercase|ToLower|ToUpper|lower|upper|casefold|trim\w*|strip|TrimSpace|Trim)\s*\("
)
"""What makes values alike that are not."""


class Folds:
    """What new tests and tables demand, to be asked whether an assertion that went is among it."""

    def __init__(self, tests: Iterable[tuple[Change, Function]], assertions: Iterable[Assertion]) -> None:
        self._words: list[frozenset[str]] = []
        self._rows: list[Counter[str]] = []
        self._loops = False
        seen: set[str] = set()
        for change, function in tests:
            self._words.append(function.words)
            self._loops |= (
                re.search(
                    r"\b(?:for|each|forEach|parametri[sz]e|map|table|cases|subTest|rstest|TestCase|Values)\b|\.each|"
                    r"\b\w+ := func\(\w|\bauto \w+ = \[[^\]]*\]\s*\(\w|\blet \w+ = \|\w",
                    function.text,
                )
                is not None
            )
            if change.path not in seen:
                seen.add(change.path)
                self._rows += _rows(change)
        self._strongest = max((STRENGTH[a.form] for a in assertions), default=0)

    def holds(self, old: Assertion) -> bool:
        """Whether a new loop or table makes the same call and demands the same values of it."""
        literals = Counter(literals_of(old.text))
        calls = {name for name in _CALLED.findall(old.text) if not _NO_CALLS.search(name)}
        if not literals or not self._loops or self._strongest < STRENGTH[old.form]:
            return False
        if not calls and old.text.startswith("if "):  # Go: the call stands before the condition
            return any(not literals - row and row.total() > literals.total() for row in self._rows)
        if not calls:
            return False
        return any(calls <= words for words in self._words) and any(not literals - row for row in self._rows)


def _rows(change: Change) -> list[Counter[str]]:
    texts = [change.new.row(row) if row in change.added else "" for row in range(len(change.new.rows))]
    single = [Counter(literals_of(text)) for text in texts]
    wide = [
        Counter(literals_of(" ".join(texts[i : i + _WINDOW])))
        for i, text in enumerate(texts)
        if text and re.search(r"[\[({]\s*$", text)
    ]
    return [row for row in [*single, *wide] if row]


def inlined(old: Assertion, function: Function, added: Iterable[Assertion]) -> bool:
    """Whether a new assertion, at least as strong, demands all that `old` did, with the local names written out."""
    text = re.sub(r"\[-?\d+\]", "", " ".join(old.arguments))
    body = (function.node.text or b"").decode("utf-8", "replace")
    local = dict(_LOCAL.findall(body))
    for _ in range(3):
        text = re.sub(r"[A-Za-z_]\w*", lambda m: local.get(m[0], m[0]), text)
    lossy = set(_LOSSY.findall(f"{old.text} {body}"))
    literals, words = set(literals_of(text)), set(re.findall(r"[A-Za-z_]\w*", squash(text))) - _NO_WORDS
    return bool(literals) and any(
        STRENGTH[a.form] >= STRENGTH[old.form]
        and literals <= set(literals_of(a.text))
        and words <= set(re.findall(r"[A-Za-z_]\w*", a.text))
        and set(_LOSSY.findall(a.text)) <= lossy
        for a in added
    )


def tautology(new: Assertion, function: Function) -> bool:
    """Whether what is expected is what is asked, with the local names written out."""
    if new.form != "equal" or len(new.arguments) < 2:
        return False
    local = dict(_LOCAL.findall((function.node.text or b"").decode("utf-8", "replace")))
    sides = [
        squash(re.sub(r"^(?:await\s+)|[A-Za-z_]\w*", lambda m: local.get(m[0], m[0]), side))
        for side in new.arguments[:2]
    ]
    return sides[0] == sides[1] and "(" in sides[0]


_BOUND = re.compile(r"\bfor\s*\(?\s*(?:const |let |auto |final |var )?&?\[?([\w, ]+?)\]?\s*(?:in|of|:=?)(?=\s)")
_ARROW = re.compile(r"\(?([\w\s,]+?)\)?\s*=>|\bfunction\s*\(([^()]*)\)|\|([\w\s,&]+)\|")


def renamed(old: Assertion, new: Assertion, before: Function, after: Function) -> bool:
    """Whether two assertions differ only in what the parameters or the variables of the loop are called."""
    was, now = (re.findall(r"\w+|\W", squash(a.text)) for a in (old, new))
    if len(was) != len(now):
        return False
    pairs = {(a, b) for a, b in zip(was, now, strict=True) if a != b}
    left, right = {a for a, _ in pairs}, {b for _, b in pairs}
    if len(left) != len(pairs) or len(right) != len(pairs) or right & set(was):
        return False
    return left <= _bound(before) and right <= _bound(after)


def _bound(function: Function) -> set[str]:
    found = [*_BOUND.findall(function.text), *(part for groups in _ARROW.findall(function.text) for part in groups)]
    return {name for part in found for name in re.findall(r"[A-Za-z_]\w*", part)} | parameters(function)


def rows_live_on(change: Change, lost: Iterable[str]) -> bool:
    """Whether the rows that left a test's table stand in another of the file."""
    rows = [Counter(literals_of(text)) for text in lost if re.match(r"\s*[\[({]", text)] or [
        Counter(literals_of(text)) for text in lost
    ]
    there = _rows(change)
    return bool(rows) and all(any(row and not row - other for other in there) for row in rows)


def more_said(was: Counter[str], now: Counter[str]) -> bool:
    """Whether an expectation keeps every word of the one before and says more."""
    texts = {literal for literal in was if not re.fullmatch(r"-?\d+(?:\.\d+)?", literal)}
    return bool(texts) and texts <= set(now) and now.total() > was.total()
