"""Commands of a check that look at fewer places than before (SPEC K7)."""

from __future__ import annotations

import re
from fnmatch import fnmatch

from compile_loop.checks.honesty.left_out import is_output
from compile_loop.checks.honesty.survey import squash
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_FILES = re.compile(
    r"(?:^|/)(?:[Mm]akefile|GNUmakefile|[^/]*\.(?:mk|sh|bash|ya?ml)|package\.json|[Jj]ustfile|tox\.ini|noxfile\.py|"
    r"Taskfile\.ya?ml|Dockerfile|Jenkinsfile|"
    r"pyproject\.toml)$"
)
_COMMAND = re.compile(
    r"\b(?P<tool>pytest|mypy|pyright|ruff check|flake8|pylint|eslint|biome (?:check|lint|ci)|oxlint|jest|"
    r"vitest(?: run)?|mocha|node --test|tap|ava|"
    r"python3? -m (?:pytest|unittest|mypy|ruff|pyright)|go (?:test|vet|build)|shellcheck|prettier|tsc)\b(?P<rest>[^\n|;&\"']*)"
)
_VALUED = re.compile(
    r"(?:^|\s)(?:--?(?:config|c|p|project|n|numprocesses|rootdir|cov|cov-report|junitxml|reporter|"
    r"timeout|log-level|ext|cache-dir|o|k|m|t|r|run|tags|count|"
    r"format|import|loader|require|max-warnings)(?:[ =]))\S+"
)


def narrowed(case: Case, change: Change) -> list[Finding]:
    """Findings for commands that came to a failing file before and do not now."""
    if not _FILES.search(change.path) or not change.old.exists:
        return []
    found = []
    for hunk in change.hunks:
        was = [m for r in range(hunk.old_start, hunk.old_end) for m in _COMMAND.finditer(change.old.row(r))]
        now = [(r, m) for r in range(hunk.new_start, hunk.new_end) for m in _COMMAND.finditer(change.new.row(r))]
        for old in was:
            same = [(r, m) for r, m in now if m["tool"] == old["tool"]]
            if not same:
                continue
            before, after = _places(old["rest"]), [place for _, m in same for place in _places(m["rest"])]
            if before == after or not after or any(not _places(m["rest"]) for _, m in same):
                continue
            lost = [
                f for f in _failing(case, old["tool"]) if (not before or _covered(f, before)) and not _covered(f, after)
            ]
            if lost:
                row = same[0][0]
                text = f"without {lost[0]}: {squash(change.new.row(row))}"
                found.append(case.finding(change, "fewer_tests", row, text, certain=True, names=lost))
    return [finding for finding in found if finding is not None]


def _places(rest: str) -> list[str]:
    words = re.split(r"\s+", _VALUED.sub(" ", re.sub(r"\s#.*", "", rest)).strip())
    return [
        word.removeprefix("./")
        for word in words
        if word and not word.startswith("-") and re.search(r"[\w.*]", word) and "$" not in word and "=" not in word
    ]


def _failing(case: Case, tool: str) -> list[str]:
    name = tool.rsplit(maxsplit=1)[-1] if tool.startswith("python") else tool.split(maxsplit=1)[0]
    alike = {"node": "node", "go": "go", "unittest": "unittest"}.get(name, name)
    return sorted(
        {
            d.file.removeprefix("./")
            for d in case.failures.all
            if d.file and alike in d.source.lower() and not is_output(d.file)
        }
    )


def _covered(file: str, places: list[str]) -> bool:
    for place in places:
        stem = re.sub(r"(?:/\*\*)?/\*(?:\.\w+)?$|/\.\.\.$|/+$", "", place)
        if (
            stem in (".", "", "...", "**")
            or file == place
            or file.startswith(f"{stem}/")
            or fnmatch(file, place)
            or fnmatch(file, stem)
        ):
            return True
        if "::" in place and file == place.split("::", maxsplit=1)[0]:
            return True
    return False
