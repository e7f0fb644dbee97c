"""Rules for single lines, for files without a grammar or that do not parse: all they find is a suspicion (SPEC K7)."""

from __future__ import annotations

import re
from collections import Counter

from compile_loop.checks.honesty.comments import comment_marks
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`")
_COMMENT = re.compile(
    r"(?:^|(?<=[\s;{}(),]))(?:#(?!\[|!\[|include|define|pragma|if|endif|else)|//|/\*|--(?=\s)|<!--).*$"
)
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (
            "suppression",
            r"@Suppress(?:Warnings|Lint)?\b|#!?\[\s*(?:allow|expect)\b|#\s*pragma\s+(?:warning\s*(?:\(?\s*)disable|(?:GCC|clang)\s+diagnostic\s+ignored)|@silence\b",
        ),
        (
            "skipped_test",
            r"@(?:Ignore|Disabled|Ignored)\b|\[\s*(?:Ignore|Explicit)|Skip\s*=\s*\"|@(?:pytest\.mark\.|unittest\.)(?:skip|xfail)|#\[\s*ignore|"
            r"\b(?:it|test|describe|specify|context)\.(?:skip|only)\b|\bx(?:it|test|describe)\b|\bt\.Skip\w*\(|\bpending\b\s*(?:\"|do|$)|->\s*markTestSkipped|XCTSkip|\bskip\s+\"|GTEST_SKIP|DISABLED_",
        ),
        (
            "stub",
            r"\btodo!|\bunimplemented!|\bNotImplemented(?:Error|Exception)\b|\bTODO\(\)|\bfatalError\(|"
            r"\bUnsupportedOperationException\b|\berror\s+\"(?:not implemented|todo)|\?\?\?",
        ),
        (
            "swallowed_exception",
            r"catch\s*(?:\([^)]*\))?\s*\{\s*\}|except\b[^:]*:\s*pass\b|\brescue\b[^;]*(?:;\s*nil|=>?\s*nil)?\s*$|\btry\?\s|\.catch\s*\(\s*\(?\w*\)?\s*=>\s*\{\s*\}\s*\)|rescue\s+nil",
        ),
        ("any_cast", r"\bas\s+any\b|:\s*any\b|\bas!\s|\bunsafeCoerce\b|\bunsafeBitCast\b|\bas\s+dynamic\b|\(dynamic\)"),
        ("exit_zero", r"\|\|\s*(?:true|:)(?:\s|$|;)|\bexit\s*\(?\s*0\b\s*\)?|\bset\s+\+e\b"),
        ("disabled_code", r"^\s*#\s*if\s+(?:0|false)\b|\bif\s*\(\s*(?:false|0)\s*\)|^\s*=begin\b"),
        ("weakened_test", r"\bassert\w*!?\s*\(?\s*(?:true|True|1\s*==\s*1)\s*\)?\s*;?$|expect\(true\)"),
    )
)
_ASSERTING = re.compile(r"\b(?:assert\w*|expect|should|EXPECT_\w+|ASSERT_\w+|REQUIRE|CHECK|verify)\b\s*!?[\s(.]")
_TESTING = re.compile(
    r"\b(?:def test_\w+|func [tT]est\w*|fun `?\w*[tT]est\w*|@Test\b|\[(?:Test|Fact|Theory|TestMethod)\b|it ['\"(]|"
    r"test ['\"(]|describe ['\"(]|#\[test\])"
)


def plain_lines(case: Case, change: Change) -> list[Finding]:
    """Suspicions over the lines that came and went, whatever the language."""
    found: list[Finding | None] = []
    before = Counter(line.strip() for line in change.old.rows)
    now = Counter(line.strip() for line in change.new.rows)
    for row in sorted(change.added):
        line = change.new.row(row)
        if now[line.strip()] <= before[line.strip()]:
            continue
        bare = _STRING.sub('""', line)
        comment = _COMMENT.search(bare)
        if comment:
            for mark in comment_marks("", _comment_of(line), row):
                if mark.only_if and not case.failures.say(mark.only_if):
                    continue
                found.append(case.finding(change, mark.kind, row, line, certain=False, names=mark.codes))
            bare = bare[: comment.start()]
        found.extend(
            case.finding(change, kind, row, line, certain=False) for kind, pattern in _RULES if pattern.search(bare)
        )
    for row in sorted(change.removed):
        line = change.old.row(row)
        if before[line.strip()] <= now[line.strip()] or _COMMENT.match(line.strip()) or line.lstrip().startswith("*"):
            continue
        if _TESTING.search(line):
            found.append(case.finding(change, "deleted_test", row, f"removed {line.strip()}", certain=False))
        elif _ASSERTING.search(_STRING.sub('""', line)) and not _replaced(change, row):
            found.append(case.finding(change, "weakened_test", row, f"removed {line.strip()}", certain=False))
    return [finding for finding in found if finding is not None]


def _comment_of(line: str) -> str:
    match = re.search(r"#|//|/\*|--|<!--", line)
    return line[match.start() :] if match else line


def _replaced(change: Change, row: int) -> bool:
    hunk = next(h for h in change.hunks if h.old_start <= row < h.old_end)
    return any(_ASSERTING.search(change.new.row(r)) for r in range(hunk.new_start, hunk.new_end))
