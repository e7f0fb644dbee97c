"""Values that the user's words imply though they do not say them: limits, and one piece of text instead of another (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compile_loop.checks.honesty.failures import literals_of
from compile_loop.checks.honesty.survey import Assertion

_NUMBER = r"(-?\d[\d_,]*(?:\.\d+)?)"
_MOST = re.compile(
    rf"(?:\bup to|\bat most|\bno (?:more|longer|larger|higher) than|\bmax(?:imum|imal)?\b[\w ]{{0,20}}?|<=|≤|\bnot exceed(?:ing)?|"
    rf"\b(?:above|over|beyond|exceeding|(?:longer|larger|greater|more|higher) than))\s+{_NUMBER}",
    re.IGNORECASE,
)
_LEAST = re.compile(
    rf"(?:\bat least|\bno (?:less|fewer|shorter|smaller|lower) than|\bmin(?:imum|imal)?\b[\w ]{{0,20}}?|>=|≥|"
    rf"\b(?:below|under|(?:shorter|smaller|less|fewer|lower) than))\s+{_NUMBER}",
    re.IGNORECASE,
)
_PIECE = r"[`'\"“‘]([^`'\"“”‘’\s]{1,30})[`'\"”’]"
_FROM_TO = re.compile(
    rf"\bfrom\s+{_PIECE}\s+to\s+{_PIECE}|\breplac\w*\s+{_PIECE}\s+(?:with|by)\s+{_PIECE}|"
    rf"{_PIECE}\s+(?:becomes?|->|→|turns? into)\s+{_PIECE}",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    rf"{_PIECE}\s*(?:,\s*)?(?:\w+\s+){{0,3}}?(?:instead of|rather than|in place of|not)\s+{_PIECE}", re.IGNORECASE
)
_WELL = re.compile(
    r"\(\s*(?:true|0|None|Ok\(\(\)\))\s*,|[=,]\s*(?:0|true|True|nullptr|nil|\w*(?:_OK|OK)|(?:\w+::)?Ok\b[^)]*\)?)\s*\)*;?$|is_ok\(|assert(?:_)?[tT]rue|EXPECT_TRUE|ASSERT_TRUE|"
    r"err\w* != nil|[Nn]oError|[Nn]o_?[tT]hrow|DoesNotThrow"
)
"""An assertion that something is taken."""
_BADLY = re.compile(
    r"\(\s*(?:false|-\d+)\s*,|[=,]\s*(?:-\d+|false|False|NULL|-?E[A-Z]+|\w*ERR\w*)\s*\)*;?$|is_err\(|assert(?:_)?[fF]alse|EXPECT_FALSE|ASSERT_FALSE|"
    r"err\w* == nil|\.Error\(t|[tT]hrows|raises|THROW\("
)
"""An assertion that something is refused."""


def within_the_limits(words: str, old: Assertion, new: Assertion) -> bool:
    """Whether an input that was refused, or taken, lies where the words' new limit has it now."""
    taken = _WELL.search(new.text) is not None and _BADLY.search(old.text) is not None
    refused = _BADLY.search(new.text) is not None and _WELL.search(old.text) is not None
    if taken == refused:
        return False
    inputs = [_number(text) for text in literals_of(old.text) if text in literals_of(new.text) and _is_number(text)]
    for pattern, above in ((_MOST, True), (_LEAST, False)):
        for limit in map(_number, pattern.findall(words)):
            for value in inputs:
                inside = value <= limit if above else value >= limit
                if inside == taken and value not in (0.0, 1.0):
                    return True
    return False


def as_told(words: str, old: Iterable[str], new: str) -> bool:
    """Whether a text is an old one with one piece of it in place of another, as the words have it."""
    pairs = [(m[0] or m[2] or m[4], m[1] or m[3] or m[5]) for m in _FROM_TO.findall(words)]
    pairs += [(m[1], m[0]) for m in _INSTEAD.findall(words)]
    return any(was and was in text and text.replace(was, now) == new for was, now in pairs for text in old)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(?:\.\d+)?", text) is not None


def _number(text: str) -> float:
    return float(re.sub(r"[_,]", "", text))
