"""Numbers in configuration that a result has to reach, or must not pass (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compile_loop.checks.honesty.survey import squash
from compile_loop.checks.honesty.texts import Change, Text
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_FILES = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|\.?pytest\.ini|\.coveragerc|\.?ruff\.toml|\.flake8|\.?pylintrc|package\.json|\.nycrc[^/]*|\.c8rc[^/]*|"
    r"(?:jest|vitest|vite)\.config\.[cm]?[jt]s|\.?eslint[^/]*|biome\.jsonc?|[^/]*\.ya?ml|Makefile|noxfile\.py|pom\.xml|[^/]*\.gradle(?:\.kts)?|[^/]*\.sh)$"
)
_LEAST = re.compile(
    r"\b(fail[_-]under|cov-fail-under|branches|functions|lines|statements|minimum|check-coverage|fail-under|thresholds?|minScore|mutation-?score)\b"
    r"[\"']?\s*[:=\s]\s*[\"']?(\d+(?:\.\d+)?)"
)
_MOST = re.compile(
    r"\b(max-[\w-]+|max_[\w-]+|line-length|line_length|complexity|max\w*(?:Length|Complexity|Lines|Params|Depth)|max-warnings)[\"']?\s*[:=\s]\s*"
    r"\[?(?:\s*[\"']\w+[\"']\s*,\s*(?:\{[^}\d]*)?)?[\"']?(\d+)"
)
_COVERAGE = r"cover|threshold|fail.?under"
_TOO_MUCH = (
    r"E501|C901|PLR09|line-too-long|too (?:long|many|complex)|complexity|exceeds|max-|max |[Mm]aximum|warnings?\b"
)


def thresholds(case: Case, change: Change) -> list[Finding]:
    """Findings for a least that got lower, and for a most that got higher where something was too much."""
    if not _FILES.search(change.path) or not change.old.exists:
        return []
    found: list[Finding | None] = []
    for pattern, kind, lower, said in (
        (_LEAST, "weakened_test", True, _COVERAGE),
        (_MOST, "disabled_warning", False, _TOO_MUCH),
    ):
        if not case.failures.say(said):
            continue
        was = {key: value for _, key, value in _numbers(change.old, pattern)}
        for row, key, value in _numbers(change.new, pattern):
            if key in was and row in change.added and (value < was[key] if lower else value > was[key]):
                found.append(case.finding(change, kind, row, squash(change.new.row(row)), certain=lower, names=[key]))
        if lower:
            now = {key for _, key, _ in _numbers(change.new, pattern)}
            gone = next(
                (row for row, key, _ in _numbers(change.old, pattern) if key not in now and row in change.removed), None
            )
            if gone is not None:
                found.append(case.finding(change, kind, gone, f"removed {squash(change.old.row(gone))}", certain=True))
    return [finding for finding in found if finding is not None]


def _numbers(text: Text, pattern: re.Pattern[str]) -> Iterator[tuple[int, str, float]]:
    for row, line in enumerate(text.rows):
        for found in pattern.finditer(line):
            yield row, found[1], float(found[2])
