"""How far off an assertion lets a value be (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compile_loop.checks.honesty.assertions import STRENGTH
from compile_loop.checks.honesty.failures import Failures, is_test_failure
from compile_loop.checks.honesty.survey import Assertion

_NUMBER = re.compile(r"(?<![\w.])-?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_OPTION = re.compile(
    r"\b(?P<name>rel(?:_tol)?|rtol|relative|max_relative|abs(?:_tol)?|atol|delta|places|decimal|epsilon|eps|"
    r"tol(?:erance)?)\s*[=:]\s*"
    r"(?P<value>[-+]?[\d.]+(?:[eE][-+]?\d+)?)"
)
_RELATIVE = re.compile(r"rel|rtol")
_DIGITS = re.compile(r"places|decimal")
_CLOSE = re.compile(r"toBeCloseTo|[aA]lmost_?[eE]qual")
"""Matchers that count digits."""
_LAST = re.compile(
    r"assert(?:Array)?Equals\b|assertNear|_NEAR\b|InDelta|InEpsilon|DOUBLES_EQUAL|approximately|\bcloseTo\b|"
    r"isCloseTo|toBeCloseTo|[aA]lmost_?[eE]qual|"
    r"isclose|close_to"
)
_FIRST = re.compile(r"_WITHIN\b")
_CALL = re.compile(r"\b(?:within|offset|closeTo|be_within|byLessThan|withPercentage)\s*\((?P<inside>[^()]*)\)")
_APART = re.compile(
    r"\b(?:abs|fabsf?|labs|Abs)\s*\(.*\)\s*<=?\s*(?P<a>[\d.]+(?:[eE][-+]?\d+)?)|\.abs\(\)\s*<=?\s*(?P<b>[\d.]+(?:[eE][-+]?\d+)?)"
)
_DEFAULTS = ((r"\bapprox\(", 1e-6), (r"isclose\(", 1e-9), (r"allclose", 1e-5))
_APPROX = re.compile(r"\bApprox\s*\([^()]*\)(?:\s*\.(?:margin|epsilon|scale)\s*\(\s*[^()]*\))*")
_SMALL = 1e-9


def width(assertion: Assertion) -> float | None:
    """How far off the value may be, as a difference; None for an assertion that wants it exactly, or whose reading is unclear."""
    text = assertion.text
    apart = _APART.search(re.sub(r"(?<=\))\s*>=?", " <", text) if text.startswith("if ") else text)
    if apart:
        return number(apart["a"] or apart["b"])
    if loose := _APPROX.search(text):
        return _approx(loose[0])
    if assertion.form != "near":
        return None
    value = next((a for a in assertion.arguments if "approx(" in a), "") or text
    size = max((abs(n) for n in _values(value)), default=1.0)
    options = {m["name"]: number(m["value"]) for m in _OPTION.finditer(text)}
    if options:
        found = [
            10.0**-value / 2 if _DIGITS.match(name) else value * size if _RELATIVE.search(name) else value
            for name, value in options.items()
        ]
        return max(found)
    called = _CALL.search(text)
    if called and (numbers := _NUMBER.findall(called["inside"])):
        return number(numbers[-1]) * (size / 100 if "Percentage" in called[0] else 1)
    plain = [a.strip() for a in assertion.arguments]
    if _FIRST.search(text) and plain and _NUMBER.fullmatch(plain[0].rstrip("fFdDlL")):
        return number(plain[0].rstrip("fFdDlL"))
    last = plain[-1].rstrip("fFdDlL") if len(plain) > 2 else ""
    if _LAST.search(text) and _NUMBER.fullmatch(last):
        return 10.0 ** -number(last) / 2 if _CLOSE.search(text) else number(last)
    if _CLOSE.search(text):
        return 0.5e-7 if "lmost" in text else 0.005
    return next((size * share for pattern, share in _DEFAULTS if re.search(pattern, text)), None)


def narrower(old: Assertion, new: Assertion) -> bool:
    """Whether the same value may be no farther off than before."""
    was, now = width(old), width(new)
    if was is None or now is None or now > was or STRENGTH[new.form] < STRENGTH[old.form]:
        return False
    return set(_values(old.text)) - {was} == set(_values(new.text)) - {now}


def _approx(text: str) -> float:
    """How far off Catch2's and doctest's `Approx` lets a value be."""
    size = max((abs(number(n)) for n in _NUMBER.findall(text.split(")", 1)[0])), default=1.0)
    share = {name: number(value) for name, value in re.findall(r"\.(margin|epsilon)\s*\(\s*([-\d.eE+]+)", text)}
    return max(share.get("margin", 0.0), size * share.get("epsilon", 1.2e-5))


def lets_the_failure_pass(failures: Failures, old: Assertion, new: Assertion) -> bool:
    """Whether the new assertion lets pass the very value that the old one failed by, and that was no matter of rounding."""
    now = width(new)
    if now is None:
        return False
    wanted = set(_values(old.text)) & set(_values(new.text))
    for failure in filter(is_test_failure, failures.all):
        numbers = [number(n) for n in _NUMBER.findall(f"{failure.message} {failure.rendered}")]
        for want in wanted & set(numbers):
            if any(_SMALL * max(1.0, abs(want)) < abs(got - want) <= now for got in numbers if got not in wanted):
                return True
    return False


def _values(text: str) -> Iterator[float]:
    """The numbers of an assertion that are no option of it."""
    return (number(n) for n in _NUMBER.findall(_OPTION.sub(" ", text)))


def number(text: str) -> float:
    """What a written number is; 0 where it is none."""
    try:
        return float(text.replace("_", ""))
    except ValueError:
        return 0.0
