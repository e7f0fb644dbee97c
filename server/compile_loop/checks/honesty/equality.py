"""Comparisons that answer the same whatever they compare (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.survey import Function, ancestors, squash, statements, text_of
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_EQUAL = re.compile(
    r"(?:eq|equals?|Equals?|isEqual\w*|is_equal|equalTo|operator\s*==|__eq__|asymmetricMatch|__contains__)$"
)
_KIND = re.compile(
    r"(?:return\s+)?(?:isinstance\(\w+, [^()]+\)|\w+ instanceof \w+(?: && true)?|\w+ (?:!= null|is not None|"
    r"!== (?:null|undefined))|"
    r"type\(\w+\) (?:is|==) type\(\w+\)|(?:getClass\(\)|this\.getClass\(\)) == \w+\.getClass\(\))\s*;?$"
)
"""Only of what kind the other is."""
_FIELDS = re.compile(
    r"self\.\w+|this\.\w+|\bprivate\b|^\s+\w+[ \t]*:[ \t]*\w+|super\(\)|\(\s*(?:list|dict|str|int|float|set|tuple|"
    r"Array|Map)\s*\)|\bextends\b",
    re.MULTILINE,
)
_COMPARERS = re.compile(
    r"\bComparer\(\s*func\([^)]*\)\s*bool\s*\{\s*return true|"
    r"addEqualityTesters\(\[\s*(?:function\s*)?\(?[^)]*\)?\s*(?:=>\s*true|\{\s*return true)|"
    r"using\w*Comparator\w*\(\s*\([^)]*\)\s*->\s*0\b|using\w*Equals\w*\(\s*\([^)]*\)\s*->\s*true"
)
"""Ways to compare that find everything equal."""
_UNEQUAL = re.compile(r"(?:__ne__|operator\s*!=|notEquals?|not_equals?)$")
_NO = re.compile(r"(?:return\s+)?(?:false|False|0)\s*;?$")
_ORDER = re.compile(r"(?:compareTo|compare|cmp|partial_cmp|Compare|operator\s*<=>|__cmp__)$")
_YES = re.compile(r"(?:return\s+)?(?:true|True|1)\s*;?$")
_ALIKE = re.compile(
    r"(?:return\s+)?(?:0|(?:std::cmp::)?(?:Some\()?(?:std::cmp::)?Ordering::Equal\)?|std::strong_ordering::equal)\s*;?$"
)


def always_equal(case: Case, sheet: Sheet) -> list[Finding]:
    """Findings over functions that compare, where they are new or did more."""
    pairs, _, born = sheet.pairs
    found: list[Finding | None] = []
    for after in [*born, *(after for before, after in pairs if before.text != after.text and not _blind(before))]:
        if _blind(after) and sheet.change.touches(after.row, after.end_row):
            body = " ".join(squash(text_of(s)) for s in statements(after.body))
            names = [after.name, after.short_name]
            shown = f"{after.name}: {body}"
            sure = _EQUAL.search(after.short_name) is not None or _UNEQUAL.search(after.short_name) is not None
            if _KIND.match(body):
                if not _holds_something(after):
                    continue
                sure = is_test_path(sheet.change.path) and case.failures.testing
            found.append(case.finding(sheet.change, "special_case", after.row, shown, certain=sure, names=names))
    if is_test_path(sheet.change.path):
        for row in sorted(sheet.change.added):
            line = sheet.change.new.row(row)
            if _COMPARERS.search(line) and not sheet.language.comment.match(line):
                found.append(case.finding(sheet.change, "weakened_test", row, line.strip(), certain=True))
    return [finding for finding in found if finding is not None]


def _holds_something(function: Function) -> bool:
    """Whether the class around has anything by which two of its objects differ."""
    around = next((a for a in ancestors(function.node) if "class" in a.type and "body" not in a.type), None)
    return around is not None and _FIELDS.search(text_of(around).replace(text_of(function.node), "")) is not None


def _blind(function: Function) -> bool:
    body = [squash(text_of(s)) for s in statements(function.body)]
    if len(body) != 1:
        return False
    name = function.short_name
    return bool(
        (_EQUAL.search(name) and (_YES.match(body[0]) or _KIND.match(body[0])))
        or (_UNEQUAL.search(name) and _NO.match(body[0]))
        or (_ORDER.search(name) and _ALIKE.match(body[0]))
    )
