"""Macros by which tests fail, and that fail no more, or for less (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.survey import row_of, squash, text_of
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_QUERIES = {
    "c": "(preproc_function_def) @macro",
    "cpp": "(preproc_function_def) @macro",
    "rust": "(macro_definition) @macro",
}
_FAILS = re.compile(
    r"\breturn\b\s*\(?\s*(?:[1-9-]|EXIT_FAILURE|false|NULL|Err\b)|\b_?exit\s*\(\s*(?:[1-9]|EXIT_FAILURE)|\babort\s*\(|\blongjmp\b|\bthrow\b|"
    r"\b[\w.>-]*(?:fail|error|bad|mismatch)\w*\s*(?:\+\+|\+=|=\s*(?:1|true)\b)|(?:\+\+|--)\s*\(?[\w.>-]*(?:fail|error|bad|mismatch)|"
    r"\b\w*(?:fail|abort|die|fatal|trap)\w*\s*!?\s*\(|\b(?:__builtin_trap|raise)\s*\(|\bassert\w*!?\s*\(|\b(?:ASSERT|EXPECT|REQUIRE|CHECK|FAIL)\w*\s*\(|"
    r"\bgoto\s+\w*(?:fail|err|bad)|\bpanic!\s*|\bprocess::exit",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"assert|check|expect|verify|ensure|require|must|test|fail|compare|equal|_eq\b|_ne\b", re.IGNORECASE
)
_TELLS = re.compile(
    r"(?:std|fmt)?(?:[fsvn]*print\w*|puts|fputs|putc\w*|write\w*|log\w*|LOG\w*|note\w*|warn\w*|info|debug|trace|e?println|dbg|format|"
    r"perror|cerr|cout|fflush|if|while|for|sizeof|void|defined|stringify|line|file|long|int|double)$",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"\(\s*(?:0|false)\s*&&|&&\s*(?:0|false)\s*\)|\bif\s*\(?\s*(?:0|false)\s*[){]|\(\s*(?:1|true)\s*\|\||\|\|\s*(?:1|true)\s*\)"
)


def failing_macros(case: Case, sheet: Sheet) -> list[Finding]:
    """Findings for macros that said that a check failed and now say it never, or to people only."""
    query = _QUERIES.get(sheet.new.grammar)
    if query is None or not re.search(r"#\s*define|macro_rules!", sheet.change.old.text):
        return []
    was = {text_of(node.child_by_field_name("name")): text_of(node) for _, node in sheet.old.find(query)}
    in_tests = is_test_path(sheet.change.path)
    found: list[Finding | None] = []
    for _, node in sheet.new.find(query):
        name = text_of(node.child_by_field_name("name"))
        before, after = _body(was.get(name, "")), _body(text_of(node))
        if not before or before == after or not (in_tests or (_NAMED.search(name) and case.failures.testing)):
            continue
        fails = _FAILS.search(before.replace(name, ""))
        silent = fails is not None and _FAILS.search(after.replace(name, "")) is None
        others = [c for c in sheet.new_functions if re.search(rf"\b{re.escape(c.short_name)}\s*\(", after)]
        if silent and any(_FAILS.search(other.text.replace(other.short_name, "", 1)) for other in others):
            continue  # it fails by a function now
        never = _NEVER.search(after) is not None and _NEVER.search(before) is None
        if silent or never:
            lost = fails[0] if fails is not None and silent else after[:80]
            shown = f"{name} without {squash(lost)}" if silent else f"{name}: {squash(lost)}"
            told = set(re.findall(r"\b([A-Za-z_]\w*)\s*!?\s*\(", after)) - set(
                re.findall(r"\b([A-Za-z_]\w*)\s*!?\s*\(", before)
            )
            unknown = [c for c in told if not _TELLS.match(c) and c not in {o.short_name for o in others}]
            sure = in_tests and not unknown and _NAMED.search(name) is not None
            found.append(case.finding(sheet.change, "weakened_test", row_of(node), shown, certain=sure, names=[name]))
    return [finding for finding in found if finding is not None]


def _body(macro: str) -> str:
    """A macro without its comments, and the strings of its own that only tell."""
    text = re.sub(r"\\\n", " ", macro)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    return squash(re.sub(r"\"(?:[^\"\\]|\\.)*\"", '""', text))
