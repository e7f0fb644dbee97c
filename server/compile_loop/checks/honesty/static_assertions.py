"""Assertions that a compiler checks, outside of functions, and that demand less than before (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.assertions import from_condition, split_top
from compile_loop.checks.honesty.demands import demands_less
from compile_loop.checks.honesty.survey import Assertion, squash
from compile_loop.checks.honesty.texts import Change, Text
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_FILES = re.compile(r"\.(?:c|h|cc|cpp|cxx|c\+\+|hpp|hh|hxx|ipp|inl|cu|cuh|rs)$", re.IGNORECASE)
_STARTS = re.compile(
    r"\b(?:static_assert|_Static_assert|BUILD_BUG_ON_MSG|BUILD_ASSERT|const_assert|const_assert_eq|static_assertions::\w+)!?\s*\("
    r"|\bconst\s+_\s*:\s*\(\)\s*=\s*\{?\s*(?:core::|std::)?assert!\s*\("
)
_ALWAYS = re.compile(r"\|\|\s*(?:1|true)\s*\)?$|^\(?\s*(?:1|true)\s*(?:\|\||\)?$)|^(?:1|true)$")
_UNSIGNED = re.compile(
    r"^(?:sizeof|alignof|_Alignof|offsetof|(?:\w+::)*size_of|(?:\w+::)*align_of)\b.*>=?\s*[01]$|!=\s*0$"
)
"""Sizes are never less than nothing."""
_MOST = 2_000


def static_assertions(case: Case, change: Change) -> list[Finding]:
    """Findings for such assertions that now hold for more, or always."""
    if not _FILES.search(change.path) or not change.old.exists or not change.new.exists:
        return []
    if not any(_STARTS.search(change.old.row(row)) for row in change.removed):
        return []
    was, now = _all(change.old), _all(change.new)
    lost = [a for a in was if a.text not in {b.text for b in now}]
    come = [a for a in now if a.text not in {b.text for b in was}]
    found: list[Finding | None] = []
    for old in lost:
        new = max(come, key=lambda a: _alike(old, a), default=None)
        if new is None or _alike(old, new) < 1:
            continue
        come.remove(new)
        if not _own_types(old.text) or old.text in split_top(new.text, ("&&",)):
            continue

        always = new.form == "trivial" or _ALWAYS.search(new.text) or _UNSIGNED.search(new.text)
        less = True if always and not _ALWAYS.search(old.text) else demands_less(case, old, new)
        if less:
            shown = f"{old.text} became {new.text}"
            found.append(case.finding(change, "weakened_test", new.row, shown, certain=True))
    return [finding for finding in found if finding is not None]


_BUILT_IN = frozenset(
    re.findall(
        r"\w+",
        "sizeof alignof size_of align_of std mem core char short int long unsigned signed float double void size_t ptrdiff_t "
        "intptr_t uintptr_t wchar_t time_t off_t usize isize u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 bool CHAR_BIT INT_MAX",
    )
)


def _own_types(condition: str) -> bool:
    """Whether it is about something of the program; how wide an `int` is differs from machine to machine."""
    return bool(set(re.findall(r"[A-Za-z_]\w*", condition)) - _BUILT_IN)


def _all(text: Text) -> list[Assertion]:
    whole = "\n".join(text.rows)
    found = []
    for match in _STARTS.finditer(whole):
        inside = _inside(whole[match.end() : match.end() + _MOST])
        parts = split_top(inside, (",",))
        condition = squash(" == ".join(parts[:2]) if "assert_eq" in match[0] else parts[0])
        row = whole.count("\n", 0, match.start())
        made = from_condition(row, condition, condition, 0)
        found.append(made)
    return found


def _inside(text: str) -> str:
    level = 1
    for i, c in enumerate(text):
        level += (c in "([{") - (c in ")]}")
        if level == 0:
            return text[:i]
    return text


def _alike(a: Assertion, b: Assertion) -> int:
    """How many names two conditions share."""
    names = [set(re.findall(r"[A-Za-z_]\w+", x.text)) - {"sizeof", "struct", "alignof"} for x in (a, b)]
    return len(names[0] & names[1])
