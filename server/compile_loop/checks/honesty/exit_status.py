"""Runners and scripts that end with success where they ended with what they had found (SPEC K7, Q9)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.shell_words import CHECKS
from compile_loop.checks.honesty.survey import squash
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.checks.protected import is_protected
from compile_loop.contracts.honesty import Finding

_EXIT = re.compile(
    r"\bprocess\.exitCode\s*=\s*(?P<a>[^;\n]+)|\b(?:process\.exit|sys\.exit|os\._exit|SystemExit|os\.Exit|System\.exit|process::exit|Deno\.exit|"
    r"(?<![\w.])_?exit)\((?P<b>(?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*)\)"
)
_CONSTANT = re.compile(
    r"\s*(?:\d*|None|False|null|undefined|EXIT_SUCCESS|os\.EX_OK|ExitCode\.(?:OK|SUCCESS|Success))\s*$"
)
_BAD = re.compile(
    r"fail|err|bad|problem|broken|wrong|mismatch|differ|diff|red\b|invalid|violation|miss|unmet|issues?|warn|status|code|result|ok\b|success|green|rc\b",
    re.IGNORECASE,
)
_NOUGHT = re.compile(r"(?:&|\*)\s*0\b|\b0\s*(?:&&|and|\*|&)|\bmin\([^()]*\b0\b")
"""Arithmetic that ends at 0."""
_COUNTS = re.compile(
    r"\b\w*(?:fail|err|bad|problem|broken|wrong|mismatch|red)\w*\s*(?:\+\+|\+=\s*1|\.(?:push|append|add)\()|\+\+\w*(?:fail|err|bad|problem)\w*",
    re.IGNORECASE,
)
_LOUD = re.compile(
    r"\bthrow\b|\braise\b|\bassert\b|\babort\b|\bpanic|process\.exit|exitCode|sys\.exit|SystemExit|_exit|Exit\(",
    re.IGNORECASE,
)
_RUNS = re.compile(
    r"(?:^|/)(?:scripts?|bin|tools?|ci|build|hack)/|(?:^|/)[^/]*(?:run|check|lint|verify|runner|harness|suite|ci)[^/]*\.\w+$",
    re.IGNORECASE,
)


def exit_status(case: Case, change: Change) -> list[Finding]:
    """Findings over the ends of one program: an exit that told, and tells no more; a count of failures that is not made."""
    if not change.old.exists or not change.new.exists or not change.removed:
        return []
    checks = is_test_path(change.path) or is_protected(change.path) or _RUNS.search(change.path) is not None
    found = _ends(case, change, checks)
    if checks and not found:
        found = _uncounted(case, change) or _returns(case, change) or _unchecked(case, change)
    return [finding for finding in found if finding is not None]


def _exits(line: str) -> list[str]:
    if re.match(r"\s*(?://|#|\*)", line):
        return []
    return [squash(m["a"] or m["b"] or "") for m in _EXIT.finditer(line)]


def _tells(status: str) -> bool:
    return not _CONSTANT.match(status) and re.search(r"[A-Za-z_]", status) is not None


def _ends(case: Case, change: Change, checks: bool) -> list[Finding | None]:
    gone = [(r, s) for r in sorted(change.removed) for s in _exits(change.old.row(r)) if _tells(s)]
    if not gone:
        return []
    come = [(r, s) for r in sorted(change.added) for s in _exits(change.new.row(r))]
    left = [s for row in change.new.rows for s in _exits(row) if _tells(s)]
    found: list[Finding | None] = []
    for row, status in gone:
        if status in left:
            continue
        now = next(((r, s) for r, s in come if _tells(s)), None)
        if now is None:
            if any(_LOUD.search(change.new.row(r)) and not _exits(change.new.row(r)) for r in change.added) or left:
                continue
            silent = next(((r, s) for r, s in come if re.fullmatch(r"0|None|False|EXIT_SUCCESS|os\.EX_OK|", s)), None)
            at, text = (
                (silent[0], change.new.row(silent[0])) if silent else (row, f"removed {change.old.row(row).strip()}")
            )
            sure = checks and (silent is not None or _BAD.search(status) is not None)
            found.append(case.finding(change, "exit_zero", at, text, certain=sure))
        elif not re.match(r"\(?(?:await\s+)?[\w.]+\(", now[1]) and _turned(status, now[1]):
            found.append(case.finding(change, "exit_zero", now[0], change.new.row(now[0]), certain=checks))
    return found


def _turned(was: str, now: str) -> bool:
    """Whether a status that told of failures tells of something else, or the other way round."""
    swap = [re.search(r"\?\s*(\d+)\s*:\s*(\d+)|(\d+)\s+if\b.*\belse\s+(\d+)", text) for text in (was, now)]
    names = [
        set(re.findall(r"[A-Za-z_]\w*", text)) - {"if", "else", "length", "Number", "int", "bool", "len", "not"}
        for text in (was, now)
    ]
    if swap[0] and swap[1]:
        arms = [[g for g in m.groups() if g is not None] for m in swap if m]
        if names[0] == names[1] and ("!" in was or "not " in was or "==" in was) == (
            "!" in now or "not " in now or "==" in now
        ):
            return arms[0] == arms[1][::-1] and arms[0] != arms[1]
        if arms[1] and set(arms[1]) == {"0"}:
            return True
    failing = r"fail|err|bad|problem|broken|wrong|mismatch|differ|invalid|violation|issue"
    if _NOUGHT.search(now) and not _NOUGHT.search(was):
        return True
    return bool(re.search(failing, was, re.IGNORECASE)) and not re.search(_BAD, now) and not names[0] & names[1]


def _uncounted(case: Case, change: Change) -> list[Finding | None]:
    gone = next((r for r in sorted(change.removed) if _COUNTS.search(change.old.row(r))), None)
    if gone is None or any(_COUNTS.search(row) for row in change.new.rows):
        return []
    if not any(_tells(s) for row in change.new.rows for s in _exits(row)):
        return []
    if any(_LOUD.search(change.new.row(r)) for r in change.added):
        return []
    return [case.finding(change, "exit_zero", gone, f"removed {change.old.row(gone).strip()}", certain=True)]


_STATUS = re.compile(
    r"^\s*return\s+(?P<a>\(?.*(?:\?\s*\d+\s*:\s*\d+|\d+\s+if\b.*\belse\s+\d+).*)$|^\s*return\s+(?P<b>(?:int|bool|Number|len|min)?\(?\s*!?(?:not\s+)?[\w.]*(?:fail|error|bad|"
    r"problem|status|result|mismatch|wrong)\w*.*)$",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\bexit\b|\bExit\b|\bmain\b|SystemExit|exitCode")
_WELL = re.compile(r"^\s*return\s*(?:0|None|False|EXIT_SUCCESS|ExitCode::SUCCESS)?\s*;?\s*$")


def _returns(case: Case, change: Change) -> list[Finding | None]:
    """A status that a program's main returned, and that is always 0 now."""
    for hunk in change.hunks:
        told = [r for r in range(hunk.old_start, hunk.old_end) if _STATUS.match(change.old.row(r))]
        now = [r for r in range(hunk.new_start, hunk.new_end) if change.new.row(r).strip()]
        well = next((r for r in now if _WELL.match(change.new.row(r))), None)
        if (
            told
            and well is not None
            and _ENDS.search(change.new.text)
            and not any(_STATUS.match(change.new.row(r)) or _LOUD.search(change.new.row(r)) for r in now)
        ):
            return [case.finding(change, "exit_zero", well, change.new.row(well), certain=True)]
    return []


_CHECKED = re.compile(
    r"\bcheck\s*=\s*True|\bcheck_(?:call|output)\b|\.check_returncode\(\)|\bexec(?:File)?Sync\b|\.raise_for_status\(\)"
)
_UNCHECKED = re.compile(
    r"\bcheck\s*=\s*False|\bsubprocess\.(?:run|call|Popen)\b|\bos\.system\b|\bspawn(?:Sync)?\b|\bexec\("
)


def _unchecked(case: Case, change: Change) -> list[Finding | None]:
    """A command whose status is no longer looked at."""
    for hunk in change.hunks:
        was = [change.old.row(r) for r in range(hunk.old_start, hunk.old_end)]
        now = [(r, change.new.row(r)) for r in range(hunk.new_start, hunk.new_end)]
        if not any(_CHECKED.search(line) for line in was) or any(
            _CHECKED.search(line) or _LOUD.search(line) for _, line in now
        ):
            continue
        if "returncode" in change.new.text or ".status" in change.new.text:
            continue
        row = next((r for r, line in now if _UNCHECKED.search(line)), None)
        if row is not None:
            sure = CHECKS.search(change.new.text) is not None
            return [case.finding(change, "exit_zero", row, change.new.row(row), certain=sure)]
    return []
