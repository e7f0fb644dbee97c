"""Tests that ask a double of the very thing that they are there to test (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_STEM = re.compile(r"(?:^(?:test|tests)[_-]?(?=[A-Za-z])|[_.-]?(?:unit)?(?:test|tests|spec|IT)$)", re.IGNORECASE)
_DOUBLES = {
    "java": r"\b(?:mock|spy|create(?:Nice|Strict)?Mock|mockk|mockConstruction|mockStatic)\s*\(\s*(?P<name>[A-Z]\w*)(?:\.class)?|"
    r"@(?:Mock|MockBean|MockitoBean|Spy)\b(?:\([^)]*\))?\s*(?:(?:private|final|static|protected)\s+)*(?P<field>[A-Z]\w*)\b|"
    r"new\s+(?:Mock|Fake|Stub)(?P<own>[A-Z]\w*)\s*\(",
    "cpp": r"\b(?:(?:Nice|Strict|Naggy)Mock\s*<\s*)?(?:Mock|Fake|Stub)_?(?P<name>[A-Z]\w*)\b",
    "go": r"\b(?:New|&)?(?:[Mm]ock|[Ff]ake|[Ss]tub)(?P<name>[A-Z]\w*)\s*[({]",
    "rust": r"\b(?:Mock|Fake|Stub)(?P<name>[A-Z]\w*)\s*(?:::(?:new|default)\s*\(|\{)",
}
_REAL = {
    "java": r"\bnew\s+{0}\s*[<(]|\b{0}\.\w+\s*\(|@InjectMocks[^;]*\b{0}\b|(?<![\w.(]){0}::",
    "cpp": r"(?<![\w:])(?:\w+::)*{0}\s+\w+\s*[({;=]|"
    r"\bmake_(?:unique|shared)\s*<\s*(?:\w+::)*{0}\s*>|(?<![\w:])(?:\w+::)*{0}\s*[({]",
    "go": r"\bNew{0}\s*\(|&?(?<![\w]){0}\s*\{|\bNew\s*\(",
    "rust": r"(?<![\w]){0}\s*(?:::\w+\s*\(|\{)",
}


def doubled_subjects(case: Case, sheet: Sheet) -> list[Finding]:
    """Findings for a new double of what the file's name says it tests, where the real thing stood."""
    change, language = sheet.change, sheet.language.name
    doubles, real = _DOUBLES.get(language), _REAL.get(language)
    if doubles is None or real is None or not change.old.exists:
        return []
    subject = _bare(_STEM.sub("", _STEM.sub("", change.path.rsplit("/", 1)[-1].rsplit(".", 1)[0])))
    found: list[Finding | None] = []
    for row in sorted(change.added) if is_test_path(change.path) or language == "rust" else ():
        # an annotation may stand on a row of its own
        text = change.new.row(row) + (
            "\n" + change.new.row(row + 1) if re.match(r"\s*@\w+\s*$", change.new.row(row)) else ""
        )
        match = re.search(doubles, text)
        name = next((g for g in match.groups() if g), "") if match is not None else ""
        if not name or _bare(name) != subject or _doubled(doubles, change.old.text, name):
            continue
        thing = real.replace("{0}", re.escape(name))
        if re.search(thing, change.old.text) and not re.search(thing, _without(change.new.text, doubles)):
            sure = case.failures.testing
            found.append(case.finding(change, "weakened_test", row, change.new.row(row), certain=sure, names=[name]))
    return [finding for finding in found if finding is not None]


def _doubled(pattern: str, text: str, name: str) -> bool:
    return any(name in match.groups() for match in re.finditer(pattern, text))


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _without(text: str, pattern: str) -> str:
    return re.sub(pattern, " ", text)
