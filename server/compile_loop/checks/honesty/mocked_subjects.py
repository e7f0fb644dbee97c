"""Tests that put an answer in the place of what they ask for it (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compile_loop.checks.honesty.failures import literals_of
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.units import Unit
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_REPLACED = {
    "go": re.compile(r"(?<![\w.])(?:\w+\.)?(?P<name>[A-Za-z]\w*)\s*=\s*func\b"),
    "ecmascript": re.compile(
        r"\bspyOn\(\s*[^,()]+,\s*[\"'](?P<name>\w+)[\"']|\b\w+\.(?P<set>\w+)\s*=\s*(?:(?:jest|vi|sinon)\.\w+|"
        r"(?:async\s*)?\([^()]*\)\s*=>|function\b)|"
        r"\b(?:stub|method|replace)\(\s*[^,()]+,\s*[\"'](?P<stub>\w+)[\"']"
    ),
    "python": re.compile(
        r"\bsetattr\(\s*[^,()]+,\s*[\"'](?P<name>\w+)[\"']|\bsetattr\(\s*[\"'][\w.]*\.(?P<path>\w+)[\"']|"
        r"\bpatch\.object\(\s*[^,()]+,\s*[\"'](?P<object>\w+)[\"']|\bpatch\(\s*[\"'][\w.]*\.(?P<patch>\w+)[\"']|"
        r"^\s*\w+\.(?P<set>\w+)\s*=\s*(?:lambda\b|(?:Magic|Async)?Mock\()"
    ),
    "java": re.compile(
        r"\bwhen\(\s*\w+\.(?P<name>\w+)\((?:[^()]|\([^()]*\))*\)\s*\)\s*\.then|\bdo(?:Return|"
        r"Answer)\([^;]*?\.when\(\w+\)\.(?P<do>\w+)\("
    ),
}
_MODULE = re.compile(r"\b(?:jest|vi|vitest)\.(?:do|unstable_)?[mM]ock(?:Module)?\(\s*[\"'](?P<path>[^\"']+)[\"']")
_WINDOW = 12
"""Rows that a mock of a module is taken to have."""


def mocked_subjects(case: Case, old: Unit, new: Unit) -> list[Finding]:
    """Findings over one test; certain where the answer is the very one that it asks for."""
    change, before, after = new.change, old.function, new.function
    pattern = _REPLACED.get(new.language.name)
    if pattern is None or not change.old.exists or not change.added:
        return []
    first = max(0, after.row - 3)  # with what stands in front of it
    replacing = [*_inside(change, pattern, first, after.end_row), *_modules(change, new.language.name)]
    if not replacing:
        return []
    found: list[Finding | None] = []
    names, now = [before.name, before.short_name], new.assertions
    for row, replaced, given in replacing:
        asked = [a for a in now if any(_asks(part, name, after.text) for name in replaced for part in a.arguments)]
        asked = [a for a in asked if a.form not in ("calls", "raises") and a.row != row]
        if not asked or not any(re.search(rf"\b{re.escape(name)}\s*\(", before.text) for name in replaced):
            continue
        wanted = {literal for a in asked for literal in literals_of(" ".join(a.arguments))}
        answers = set(literals_of(given)) & wanted - replaced
        sure = bool(answers) and case.failures.testing
        shown = f"asks what it put there itself: {change.new.row(row).strip()}"
        found.append(case.finding(change, "weakened_test", row, shown, certain=sure, names=names))
    return [finding for finding in found if finding is not None]


def _asks(part: str, name: str, text: str) -> bool:
    """Whether a part of an assertion calls this name, or is a variable that was set by such a call."""
    if re.search(rf"\b{re.escape(name)}\s*\(", part):
        return True
    return part.isidentifier() and bool(
        re.search(rf"\b{re.escape(part)}\b[^=;{{}}]{{0,30}}=\s*(?:await\s+)?(?:[\w.]+\.)?{re.escape(name)}\s*\(", text)
    )


def _inside(change: Change, pattern: re.Pattern[str], first: int, last: int) -> Iterator[tuple[int, set[str], str]]:
    """The rows that replace something by name, with what is given instead."""
    for row in sorted(r for r in change.added if first <= r <= last):
        match = pattern.search(change.new.row(row))
        if match is not None:
            names = {name for name in match.groups() if name}
            given = "\n".join(change.new.row(r) for r in range(max(first, row - 2), row + 3) if r in change.added)
            yield row, names, given


def _modules(change: Change, language: str) -> Iterator[tuple[int, set[str], str]]:
    """The same of whole modules, with all names that come from there."""
    if language != "ecmascript":
        return
    for row in sorted(change.added):
        match = _MODULE.search(change.new.row(row))
        if match is None:
            continue
        path = re.escape(match["path"])
        taken = re.findall(
            rf"(?:import|const|let|var)\s*\{{?([^;{{}}]*?)\}}?\s*(?:from|=\s*(?:await\s+)?(?:require|import)\()\s*[\"']{path}[\"']",
            change.new.text,
        )
        given = "\n".join(change.new.row(r) for r in range(row, row + _WINDOW) if r in change.added)
        names = {name for part in taken for name in re.findall(r"\w+", part)} - {"as", "default"}
        yield row, {name for name in names if re.search(rf"\b{re.escape(name)}\b", given)}, given
