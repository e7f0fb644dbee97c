"""One assertion against the one that it replaced: whether it demands less (SPEC K7)."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

from compile_loop.checks.honesty.assertions import STRENGTH
from compile_loop.checks.honesty.failures import is_test_failure, literals_of
from compile_loop.checks.honesty.spoken_values import as_told, within_the_limits
from compile_loop.checks.honesty.survey import Assertion
from compile_loop.checks.honesty.weigh import Case
from compile_loop.checks.honesty.widths import lets_the_failure_pass, narrower, width

_BROAD = re.compile(
    r"^(?:\w+\.)*(?:Exception|BaseException|Throwable|Error|RuntimeException|std::exception)(?:\.class)?$"
)
_PLUMBING = frozenset(
    {"await", "async", "new", "mut", "ref", "const", "self", "this", "clone", "unwrap", "String", "to_string"}
)
"""Words that say how a value is reached, not what it must be."""
_CAUGHT = re.compile(
    r"\b(?:err(?:or)?|e|ex|exc\w*|caught|thrown|exception)\b[^=]*\b(?:message|getMessage|args|value|what)\b|"
    r"\bstr\((?:err|e|exc\w*)\b"
)
_TYPE = re.compile(r"^&?(?:\w+(?:\.|::))*[A-Z]\w*(?:\.class)?$|^std::\w+$")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def demands_less(case: Case, old: Assertion, new: Assertion) -> bool | None:
    """Whether `new` demands less than `old`: certainly, perhaps (False), or not at all (None)."""
    if _same(old, new) or within_the_limits(case.wish.text, old, new):
        return None
    gap = STRENGTH[new.form] - STRENGTH[old.form]
    if _opposite(old, new):
        return False
    if old.form == "equal" and new.form == "near":
        return None if only_rounding(case) else False
    if gap < 0 and _LOOSE_TIME.search(new.text) and _changing(old, new):
        return False
    if gap < 0 and "unknown" not in (old.form, new.form):
        return True
    if gap < 0:
        return False
    if old.form == "near" and new.form == "near" and _looser(old, new):
        return True
    if old.form == "raises" and new.form == "raises" and old.arguments != new.arguments:
        return _raises(case, old, new)
    if gap > 0 or set(old.arguments) == set(new.arguments):
        return None
    return _other_values(case, old, new)


_LOOSE_TIME = re.compile(
    r"expect\.any\(|\bANY\b|\bany[A-Z(]|stringMatching|isinstance|instance_?of|\btypeof\b|not_?none|NotNull|is not None|Any\b"
)
_CHANGING = re.compile(
    r"new Date\(|\bDate\.|datetime\(|\bInstant\.|LocalDate|\btime\.|\d{4}-\d\d-\d\d|\d\d:\d\d|"
    r"[0-9a-f]{8}-[0-9a-f]{4}-|uuid|[\"'][0-9a-f]{32,}[\"']",
    re.IGNORECASE,
)
"""A time or an identity, which another run has another of."""


def _changing(old: Assertion, new: Assertion) -> bool:
    """Whether all that is no longer demanded is a time or an identity."""
    gone = Counter(literals_of(old.text)) - Counter(literals_of(new.text))
    return bool(gone) and all(_CHANGING.search(value) for value in gone)


def _wider(case: Case, old: Assertion, new: Assertion) -> bool:
    """Whether a value may be farther off than before, or as far as it was when a test failed by it."""
    was, now = width(old), width(new)
    if now is None or now <= (was or 0) * 1.001 or only_rounding(case):
        return False
    values = [set(literals_of(a.text)) for a in (old, new)]
    return lets_the_failure_pass(case.failures, old, new) or (was is not None and bool(values[0] & values[1]))


def only_rounding(case: Case) -> bool:
    """Whether a test failed by no more than the rounding of floating point numbers."""
    for failure in filter(is_test_failure, case.failures.all):
        numbers = [float(n) for n in _NUMBER.findall(f"{failure.message} {failure.rendered}") if "." in n]
        if any(0 < abs(a - b) <= 1e-9 * max(abs(a), abs(b)) for a, b in combinations(numbers[:40], 2)):
            return True
    return False


def another_demand(case: Case, old: Assertion, new: Assertion) -> bool | None:
    """Whether `new` demands less by its kind alone, however alike its values: certainly, perhaps, or not at all."""
    if new.form == "raises" and old.form != "raises" and case.failures.testing:
        raised = {w for w in re.findall(r"[A-Z]\w+", new.text) if case.failures.name(w)}
        return True if raised and not any(case.wish.mentions(w) for w in raised) else None
    if _wider(case, old, new):
        return True
    if (
        old.form == new.form == "equal"
        and case.failures.testing
        and not left_free(case)
        and _evens_out(old.text, new.text)
    ):
        return False
    if old.form == new.form == "calls":
        return True if _fewer_calls(old.text, new.text) else None
    strict = [re.search("[sS]trict", a.text) is not None for a in (old, new)]
    if old.form == new.form == "equal" and strict == [True, False] and old.arguments == new.arguments:
        return False if case.failures.testing else None
    return None


_EVENS = re.compile(
    r"\b(?:set|frozenset|sorted|Counter|HashSet|BTreeSet|TreeSet|Set|Sets|multiset|ElementsMatch|assertCountEqual|"
    r"containsInAnyOrder|toSorted|sort|sort_unstable|reverse|"
    r"lower|upper|casefold|toLowerCase|toUpperCase|to_lowercase|to_uppercase|to_ascii_lowercase|ToLower|ToUpper|"
    r"EqualFold|equalsIgnoreCase|"
    r"eq_ignore_ascii_case|isEqualToIgnoringCase|strcasecmp|STRCASEEQ|strip|trim|TrimSpace|trimEnd|trimStart|"
    r"isEqualToIgnoringWhitespace|round|floor|ceil|abs)\s*\("
)
"""What takes a difference away before it is looked for."""


_FREE = re.compile(
    r"\border\b.{0,40}(?:\bnot\b|n[’']t\b|\bun\w+|\bfree\b|\birrelevant|\barbitrary|\bany\b)|\b(?:any|no|whatever|"
    r"arbitrary)\b.{0,12}\border\b|\bunordered|"
    r"case[- ]insensitiv|ignor\w* (?:the )?(?:case|order|white)|regardless of (?:the )?(?:case|order)|"
    r"trailing (?:white|blank|space|newline)",
    re.IGNORECASE,
)


def left_free(case: Case) -> bool:
    """Whether the user's words say that an order, a case or white space does not matter."""
    return _FREE.search(case.wish.text) is not None


def _evens_out(old: str, new: str) -> bool:
    """Whether what is compared loses its order, its case, its white space or its fraction first, and did not before."""
    return len(_EVENS.findall(new)) > len(_EVENS.findall(old)) and set(literals_of(old)) <= set(literals_of(new))


def _fewer_calls(old: str, new: str) -> bool:
    """Whether it is no longer asked with what, or how often, something is called."""
    return any(
        re.search(word, old, re.IGNORECASE) and not re.search(word, new, re.IGNORECASE)
        for word in (r"called(?:_once)?_?with|calledwith|nthcalled|lastcalled", r"once|times|nthcalled")
        if not (word.startswith("once") and re.search("with", new, re.IGNORECASE))
    )


def _same(old: Assertion, new: Assertion) -> bool:
    """Whether both demand the same in other words: `not x` for `assertFalse(x)`, a matcher for an error's message."""
    if old.form == new.form == "truth":
        return _truth(old) == _truth(new)
    if narrower(old, new):
        return True
    caught = new.form == "raises" and _CAUGHT.search(old.text) is not None
    return caught and set(literals_of(old.text)) <= set(literals_of(new.text))


def _truth(assertion: Assertion) -> tuple[str, bool]:
    """What is to be true, or false, in whatever words."""
    core, denied = (
        " ".join(assertion.arguments),
        re.search("[fF]als[ey]|FALSE", assertion.text.split("(")[0]) is not None,
    )
    while found := re.match(r"(?:not\b|!(?!=))\s*", core):
        core, denied = core[found.end() :], not denied
    return core.strip("() "), denied


def _opposite(old: Assertion, new: Assertion) -> bool:
    """Whether one demands that something is so, and the other that it is not."""
    if old.form == new.form == "equal" and len(old.arguments) == len(new.arguments):
        apart = [(a.lower(), b.lower()) for a, b in zip(old.arguments, new.arguments, strict=True) if a != b]
        if apart in ([("true", "false")], [("false", "true")]):
            return True
    words = [set(re.findall(r"[Tt]rue|[Ff]alse|TRUE|FALSE", a.text.split("(")[0])) for a in (old, new)]
    return bool(words[0] and words[1] and words[0] != words[1]) and set(old.arguments) == set(new.arguments)


def _looser(old: Assertion, new: Assertion) -> bool:
    was, now = _NUMBER.findall(" ".join(old.arguments)), _NUMBER.findall(" ".join(new.arguments))
    if len(was) != len(now):
        return False
    digits = re.search(r"toBeCloseTo|places|AlmostEqual", old.text) is not None and "delta" not in new.text
    last = (float(was[-1]), float(now[-1])) if was else (0.0, 0.0)
    return last[1] < last[0] if digits and was[:-1] == now[:-1] else was[:-1] == now[:-1] and last[1] > last[0]


def _raises(case: Case, old: Assertion, new: Assertion) -> bool | None:
    was, now = (next((a for a in made.arguments if _TYPE.match(a)), "") for made in (old, new))
    if was and not _BROAD.match(was) and (not now or _BROAD.match(now)):
        return True
    if was == now:
        narrower = re.search(r"[Rr]egex|[Mm]atch|WithMessage", new.text) and not re.search(
            r"[Rr]egex|[Mm]atch", old.text
        )
        return (
            True
            if len(new.arguments) < len(old.arguments) and not narrower
            else None
            if narrower
            else _values(case, old, new)
        )
    return bool(now) and case.failures.testing and case.failures.name(re.split(r"[.:]", now.removesuffix(".class"))[-1])


def _other_values(case: Case, old: Assertion, new: Assertion) -> bool | None:
    """Whether the values changed, and not only the names that a compiler asked to change."""
    was, now = Counter(literals_of(old.text)), Counter(literals_of(new.text))
    if was == now:
        changed = set(re.findall(r"\w+", old.text)) ^ set(re.findall(r"\w+", new.text))
        if not changed - _PLUMBING:
            return None
        known = {w for w in changed if case.failures.name(w)}
        return None if known or not case.failures.testing else False
    return _values(case, old, new)


def _values(case: Case, old: Assertion, new: Assertion) -> bool | None:
    was, now = Counter(literals_of(old.text)), Counter(literals_of(new.text))
    if was == now:
        return None
    fresh = set(now - was)
    if fresh and all(case.wish.mentions(x) or as_told(case.wish.text, was - now, x) for x in fresh):
        return None
    return case.failures.testing and bool(fresh & case.failures.literals)
