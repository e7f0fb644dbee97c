"""What an assertion demands, and whether another demands less (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.survey import Assertion, squash

STRENGTH = {
    "equal": 6,
    "raises": 6,
    "snapshot": 5,
    "calls": 5,
    "near": 5,
    "runs": 5,
    "contains": 4,
    "compare": 4,
    "type": 3,
    "unknown": 3,
    "fail": 3,
    "truth": 3,
    "either": 2,
    "null": 5,
    "not_equal": 2,
    "not_null": 1,
    "trivial": 0,
}
"""Forms by how much they rule out."""

_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (form, re.compile(pattern, re.IGNORECASE))
    for form, pattern in (
        (
            "raises",
            r"raises|throws|throw(?:error|n)?$|toThrow|rejects|panics|isinstanceofexception|_THROW$|_NO_THROW$|warns",
        ),
        ("snapshot", r"snapshot"),
        (
            "not_null",
            r"not_?null|not_?none|is_?not_?none|notNil|toBeDefined|not_?empty|toBeTruthy|isDefined|isPresent|exists$|is_some$|is_ok$",
        ),
        ("near", r"almost|close|near|within|delta|epsilon|approx|float_eq|double_eq|allclose"),
        (
            "not_equal",
            r"not_?equal|_ne$|notSame|not_?deep|_STRNE$|notEqual|^ne$|isNotEqualTo|doesnot|not_?contain|not_?in$|notIn$",
        ),
        (
            "contains",
            r"contains?|_?in$|toMatch|match(?:es)?$|regex|include|hasItem|starts|ends|subset|toHaveProperty|hasMessage",
        ),
        ("type", r"^an?$|is_?instance|instance_?of|isa$|toBeInstanceOf|implements|isType"),
        (
            "equal",
            r"equals?$|^eql$|_?eq$|^eq$|^is$|toBe$|toEqual|toStrictEqual|equalTo$|isEqualTo|same$|strict_?equal|deep|_STREQ$|_STRCASEEQ$|equal_|_eq_|"
            r"toHaveLength|hasSize|lengthOf|Len$|countEqual|sequenceEqual|listEqual|dictEqual|setEqual|tupleEqual|multiLineEqual|array_?equal|"
            r"iterableEquals|jsonEq|elementsMatch|_ck_assert_int_eq",
        ),
        (
            "compare",
            r"^(?:above|below|least|most|gte?|lte?)$|greater|less|_[gl][te]$|atLeast|atMost|toBe(?:Greater|Less)|isPositive|isNegative|zero$",
        ),
        ("null", r"null$|none$|nil$|toBeUndefined|isEmpty|empty$|is_none$|is_err$|toBeNull|NoError$|noErr"),
        (
            "truth",
            r"true$|false$|^assert$|^ok$|^require$|^check$|expect_$|_true|_false|toBe(?:Truthy|Falsy)|that$|assert_?msg|^assert_$",
        ),
        ("calls", r"called|verify|times|invoked|calledWith"),
        ("fail", r"fail|fatal|error"),
    )
)
_LOOSE = re.compile(
    r"\b(?:arrayContaining|objectContaining|stringContaining|stringMatching|closeTo)\s*\(|\bexpect\.(?:any|anything)\s*\(|\bANY\b|"
    r"\b(?:Matchers|ArgumentMatchers|CoreMatchers|gomock|mock)\.\w*[aA]ny\w*|\bany(?:Int|String|Object|List)?\(\)|\banything\(\)"
)
"""Arguments that match many values."""
_CONSTANT_TRUE = re.compile(
    r"(?:\(?\s*(?:true|True|TRUE|1|!0|!false|not False|1 == 1|0 == 0|!!1|\"[^\"]*\"|'[^']*')\s*\)?)$"
)
_EVERYTHING = re.compile(
    r"(?:\"\"|''|``|/\^?\.?\*?\$?/[a-z]*|/\(\?:\)/|/\[\\s\\S\]\*/|r?[\"']\^?\.[*+]?\$?[\"']|\{\}|expect\.anything\(\)|expect\.(?:objectContaining\(\{\}\)|arrayContaining\(\[\]\)))$"
)
"""Arguments that nothing fails to match."""
_SIZE = re.compile(r"\blen\(|\.length\b|\.size\b|\.len\(\)|\bcount\b|Count\b")
_WORD_OPERATORS = ((" is not None", "not_null"), (" is None", "null"), (" not in ", "not_equal"), (" in ", "contains"))
_SYMBOLS = (
    ("===", "equal"),
    ("!==", "not_equal"),
    ("==", "equal"),
    ("!=", "not_equal"),
    ("<=", "compare"),
    (">=", "compare"),
    ("<", "compare"),
    (">", "compare"),
)


def from_call(row: int, text: str, name: str, arguments: list[str], depth: int = 0) -> Assertion:
    """An assertion written as a call of `name`, such as `assertEqual` or `EXPECT_EQ`.

    One whose single argument is a condition is read as that condition.
    """
    form = next((form for form, pattern in _FORMS if pattern.search(name)), "unknown")
    if form == "truth" and arguments:
        if re.search(r"false|falsy", name, re.IGNORECASE):
            return Assertion(row, squash(text), _negated(arguments[0]), tuple(arguments[:1]), depth)
        return from_condition(row, text, arguments[0], depth)
    if form == "equal" and any(_LOOSE.search(a) for a in arguments):
        form = "contains"
    if (
        form in ("contains", "compare", "truth", "unknown") and any(_EVERYTHING.match(a.strip()) for a in arguments[1:])
    ) or (form == "compare" and len(arguments) == 2 and _SIZE.search(arguments[0]) and _at_least(name, arguments[1])):
        form = "trivial"
    if form in ("equal", "compare") and len(arguments) >= 2 and squash(arguments[0]) == squash(arguments[1]):
        form = "trivial"
    return Assertion(row, squash(text), form, tuple(squash(a) for a in arguments), depth)


def _at_least(name: str, bound: str) -> bool:
    """Whether no size is below this bound."""
    least = re.search(r"OrEqual|[gG][tT]?[eE]$|_GE$|least", name) is not None
    return (bound.strip() == "0" and least) or (bound.strip() == "-1" and not re.search(r"[lL]ess|_L", name))


def from_condition(row: int, text: str, condition: str, depth: int = 0, *, inverted: bool = False) -> Assertion:
    """An assertion that a condition holds, or, `inverted`, that it does not (`if got != want { fail }`)."""
    condition = squash(condition)
    while condition.startswith("(") and _closing(condition, 0) == len(condition) - 1:
        condition = condition[1:-1].strip()
    if _CONSTANT_TRUE.match(condition) or (inverted and re.fullmatch(r"false|False|0|\(?false\)?", condition)):
        return Assertion(row, squash(text), "trivial", (condition,), depth)
    either = split_top(condition, (" and ", "&&") if inverted else (" or ", "||"))
    if len(either) > 1:
        return Assertion(row, squash(text), "either", tuple(either), depth)
    for word, form in _WORD_OPERATORS:
        parts = split_top(condition, (word,))
        if len(parts) == 2 and form == "contains" and parts[0] in ('""', "''", 'b""'):
            return Assertion(row, squash(text), "trivial", tuple(parts), depth)
        if len(parts) == 2 or (len(parts) == 1 and condition.endswith(word.rstrip())):
            return Assertion(row, squash(text), _inverse(form) if inverted else form, _parts(parts, form), depth)
    for symbol, form in _SYMBOLS:
        parts = split_top(condition, (symbol,))
        if len(parts) == 2 and all(parts):
            if _SIZE.search(parts[0]) and (symbol, parts[1]) in ((">=", "0"), (">", "-1")):
                return Assertion(row, squash(text), "trivial", tuple(parts), depth)
            if parts[0] == parts[1]:
                return Assertion(row, squash(text), "trivial", tuple(parts), depth)
            return Assertion(
                row, squash(text), _value_form(_inverse(form) if inverted else form, parts), tuple(parts), depth
            )
    if re.match(r"isinstance\s*\(", condition):
        return Assertion(row, squash(text), "type", (condition,), depth)
    name = re.search(r"\.?(\w+)\s*\([^()]*\)$", condition)
    form = next(
        (f for f, p in _FORMS if f in ("null", "not_null", "contains", "near") and name and p.search(name[1])), "truth"
    )
    return Assertion(row, squash(text), form, (condition,), depth)


def split_top(text: str, separators: tuple[str, ...]) -> list[str]:
    """A text split at separators that stand outside brackets and strings."""
    parts, start, level, quote, i = [], 0, 0, "", 0
    while i < len(text):
        c = text[i]
        if quote:
            if c == "\\":
                i += 1
            elif c == quote:
                quote = ""
        elif c in "\"'`":
            quote = c
        elif c in "([{":
            level += 1
        elif c in ")]}":
            level -= 1
        elif level == 0:
            found = next((s for s in separators if text.startswith(s, i) and not _inside_operator(text, i, s)), None)
            if found:
                parts.append(text[start:i].strip())
                i += len(found)
                start = i
                continue
        i += 1
    parts.append(text[start:].strip())
    return parts


def _inside_operator(text: str, at: int, symbol: str) -> bool:
    if not re.match(r"[=<>!]", symbol):
        return False
    return text[at - 1 : at] in ("=", "!", "<", ">", "-") or text[at + len(symbol) : at + len(symbol) + 1] in (
        "=",
        ">",
        "<",
    )


def _closing(text: str, at: int) -> int:
    level = 0
    for i in range(at, len(text)):
        level += (text[i] in "([{") - (text[i] in ")]}")
        if level == 0:
            return i
    return -1


def _parts(parts: list[str], form: str) -> tuple[str, ...]:
    return (parts[0],) if form in ("null", "not_null") else tuple(parts)


def _value_form(form: str, parts: list[str]) -> str:
    """`x != null` and `strcmp(a, b) == 0` say more than their operator."""
    empty = {"null", "nil", "None", "nullptr", "NULL", "undefined"}
    if parts[1] in empty or parts[0] in empty:
        return {"equal": "null", "not_equal": "not_null"}.get(form, form)
    return form


def _inverse(form: str) -> str:
    return {
        "equal": "not_equal",
        "not_equal": "equal",
        "null": "not_null",
        "not_null": "null",
        "contains": "not_equal",
    }.get(form, form)


def _negated(argument: str) -> str:
    if re.fullmatch(r"\(?\s*(?:false|False|0)\s*\)?", argument.strip()):
        return "trivial"
    parts = split_top(squash(argument), ("==",))
    return "not_equal" if len(parts) == 2 else "truth"
