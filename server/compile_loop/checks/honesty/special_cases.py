"""Answers for the failing test's own input, written into the code (SPEC K7).

It cannot be proved that such a branch is no rule of the program, so it is always a suspicion.
"""

from __future__ import annotations

import re

from compile_loop.checks.honesty.failures import literals_of, telling
from compile_loop.checks.honesty.survey import Language, squash
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_BRANCH = re.compile(r"\b(?:if|elif|case|when|match|switch|unless)\b|=>|\?|==|\bin\b|\.get\(|\.equals\(|strcmp\(")
_ANSWER = re.compile(
    r"\breturn\b\s*(?P<returned>[^;]*)|=>\s*(?P<arm>[^,;{]+)|(?<![=!<>])=(?![=>])\s*(?P<set>[^;=]+)|"
    r"\?\s*(?P<then>[^:;]+):|\{\s*(?P<block>[-\w\"'.]+)\s*\}"
)
_TABLE = re.compile(
    r"[{,(]?\s*(?P<key>-?\d+(?:\.\d+)?|\"[^\"]*\"|'[^']*')\s*(?::|=>|,)\s*(?P<value>-?\d+(?:\.\d+)?|\"[^\"]*\"|'[^']*')"
)
_CONSTANT = re.compile(
    r"^\(?\s*(?:-?\d[\w.]*|\"[^\"]*\"|'[^']*'|`[^`$]*`|(?:Ok|Some)\([^()]*\)|(?:\"[^\"]*\"|'[^']*'|"
    r"-?\d[\w.]*)(?:\.(?:to_string|into|to_owned|as_str|clone)\(\)|s|sv)|"
    r"(?:new\s+)?(?:std::)?(?:String::from|string|String|BigDecimal|BigInteger|BigInt|Decimal|Fraction|"
    r"Integer\.valueOf|Number|Optional\.of|Some|Ok|date|"
    r"datetime|errors\.New|strdup|list|tuple|set|vec!)\s*[({\[]\s*(?:-?\d[\w.]*|\"[^\"]*\"|"
    r"'[^']*')(?:\s*,\s*(?:-?\d[\w.]*|\"[^\"]*\"|'[^']*'))*\s*[)}\]](?:\.(?:to_string|into)\(\))?|true|false|True|"
    r"False|\[[\d\s,.\"']*\])\s*\)?$"
)
_ARROW = re.compile(r"((?:^|\s)case\b[^>]*?)\s->\s")
_SPAN = 3
"""Rows that one branch with its answer may take."""


def special_cases(case: Case, change: Change, language: Language | None) -> list[Finding]:
    """New branches that hold literals of a failed assertion and answer with a constant."""
    wanted = case.failures.literals
    if not wanted:
        return []
    found: list[Finding] = []
    until = -1
    for row in sorted(change.added):
        if row < until or (language is not None and language.comment.match(change.new.row(row))):
            continue
        span = [r for r in range(row, row + _SPAN) if r in change.added]
        size = next((n for n in range(1, len(span) + 1) if _answers(change, span[:n], wanted)), 0)
        if not size:
            continue
        text = squash(" ".join(change.new.row(r) for r in span[:size]))
        fresh = telling(literals_of(text)) & wanted
        if all(case.wish.mentions(literal) for literal in fresh):
            continue
        made = case.finding(change, "special_case", row, text, certain=False)
        if made is not None:
            found.append(made)
        until = span[size - 1] + 1
    return found


def _answers(change: Change, rows: list[int], wanted: frozenset[str]) -> bool:
    text = " ".join(change.new.row(row).strip() for row in rows)
    text = _ARROW.sub(r"\1 => ", text)
    known = telling(literals_of(text)) & wanted
    if not known:
        return False
    if _known_answers(change, rows, wanted):
        return True
    if not _BRANCH.search(text):
        table = _TABLE.search(text)
        return table is not None and len({*literals_of(table["key"]), *literals_of(table["value"])} & wanted) >= 2
    guard = re.split(r"\breturn\b|=>|\?(?!\.)", text, maxsplit=1)
    if len(guard) == 1 or not literals_of(guard[0]):
        return False
    answers = [
        next(g for g in m.groups() if g is not None)
        for m in _ANSWER.finditer(text)
        if any(g is not None for g in m.groups())
    ]
    return any(_CONSTANT.match(answer.strip().rstrip(";,}{ ")) for answer in answers)


_ENTRY = re.compile(
    r"(?P<key>-?\d+(?:\.\d+)?|\"[^\"]*\"|'[^']*')\s*(?:\]?\s*:|=>|,|\]\s*=)\s*(?P<value>-?\d+(?:\.\d+)?|\"[^\"]*\"|'[^']*')"
)


def _known_answers(change: Change, rows: list[int], wanted: frozenset[str]) -> bool:
    """A new table of which every answer is one that a failed test asked for."""
    if not re.search(r"[\[{(]", change.new.row(rows[0])):
        return False
    text, level = "", 0
    for row in range(rows[0], rows[0] + 30):
        if row not in change.added:
            break
        line = change.new.row(row)
        text += f"{line} "
        level += len(re.findall(r"[\[{(]", line)) - len(re.findall(r"[\]})]", line))
        if level <= 0:
            break
    values = [literals_of(m["value"]) for m in _ENTRY.finditer(text)]
    answers = {value for found in values for value in found}
    return (
        len(answers) >= 2
        and not re.search(r"\b(?:assert|expect|for|while)\b", text)
        and all(set(v) & wanted for v in values)
    )
