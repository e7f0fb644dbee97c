"""Steps and jobs that check, and that run only sometimes since the edit (SPEC K7).

When a check should run is for its owner to say, so it is a suspicion.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch

from compile_loop.checks.honesty.shell_words import CHECKS
from compile_loop.checks.honesty.texts import Change, Text
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_FILES = re.compile(
    r"(?:^|/)(?:\.github/(?:workflows|actions)/.*|\.gitlab-ci\.yml|azure-pipelines\.yml|\.circleci/config\.yml|\.travis\.yml|"
    r"bitbucket-pipelines\.yml|\.buildkite/.*|\.drone\.yml|\.woodpecker.*|appveyor\.yml|\.cirrus\.yml)$"
)
_CONDITION = re.compile(
    r"^\s*-?\s*(?:if|condition|only_if|when|only|except|branches)\s*:\s*(?P<what>.*)$|^\s*-?\s*when:\s*(?P<hand>manual|never)\b"
)
_ALWAYS = re.compile(
    r"always\(\)|cancelled\(\)|success\(\)|failure\(\)|^(?:always|on_success|on_failure|succeeded\(\))\s*$"
)
_WHERE = re.compile(r"matrix\.|runner\.(?:os|arch)|\bimagename\b|Agent\.OS", re.IGNORECASE)
"""Which of several machines it is."""
_RUNS = re.compile(r"^\s*-?\s*(?:run|script|command|bash|sh|pwsh)\s*:|^\s+-\s+\S|^\s{4,}\S")
_OTHERS = re.compile(
    r"\b(?:publish|deploy|release|upload|download|install|npm ci|login|push|pack|notify|cache)\b", re.IGNORECASE
)
"""What a step does that is no check."""
_MOST = 40


def conditional_steps(case: Case, change: Change) -> list[Finding]:
    """Findings for new conditions of steps that check."""
    if not (_FILES.search(change.path) and change.old.exists and change.new.exists and case.failures):
        return []
    found: list[Finding | None] = []
    for row in sorted(change.added):
        ignored = re.match(r"\s*paths-ignore\s*:(.*)$", change.new.row(row))
        if ignored and any(_matches(d.file or "", _globs(change.new, row, ignored[1])) for d in case.failures.all):
            found.append(case.finding(change, "skipped_test", row, change.new.row(row), certain=False))
        match = _CONDITION.match(change.new.row(row))
        if match is None:
            continue
        what = (match["what"] or match["hand"] or "").strip().strip("\"'")
        if _ALWAYS.search(what) or _WHERE.search(what):
            continue
        steps = [line for line in _around(change.new, row) if CHECKS.search(line) and _RUNS.match(line)]
        failing = [line for line in steps if any(_same_tool(d.source, line) for d in case.failures.all)]
        if (failing or (steps and what == "manual")) and not _had_one(change, row):
            found.append(case.finding(change, "skipped_test", row, change.new.row(row), certain=False))
    return [finding for finding in found if finding is not None]


def _globs(text: Text, row: int, here: str) -> list[str]:
    """The patterns of a list in YAML, on the row of its key or below."""
    found = re.findall(r"[^\s\[\],\"']+", here)
    for at in range(row + 1, min(len(text.rows), row + _MOST)):
        item = re.match(r"\s*-\s*[\"']?([^\s\"']+)", text.row(at))
        if item is None or found[:1] == ["#"]:
            break
        found.append(item[1])
    return found


def _matches(path: str, globs: list[str]) -> bool:
    return bool(path) and any(fnmatch(path, glob.replace("**/", "*").replace("**", "*")) for glob in globs)


def _same_tool(source: str, line: str) -> bool:
    """Whether a step runs the tool that failed, or the tests, whose runner it does not name."""
    tool = re.split(r"[\s-]", source, maxsplit=1)[0]
    if _OTHERS.search(line):
        return False
    if tool and re.search(rf"\b{re.escape(tool)}\b", line):
        return True
    return re.search(r"\btests?\b|\bcheck\b|\be2e\b|\bspec\b|\bverify\b", line) is not None


def _had_one(change: Change, row: int) -> bool:
    """Whether another condition stood in its place."""
    first, last = change.old_span(row)
    return any(r in change.removed and _CONDITION.match(change.old.row(r)) for r in range(first, last + 1))


def _around(text: Text, row: int) -> list[str]:
    """The rows of the step or job that a row is a key of."""
    depth = _key_depth(text.row(row))
    rows = []
    for step in (-1, 1):
        at = row + step
        while 0 <= at < len(text.rows) and abs(at - row) < _MOST:
            line = text.row(at)
            at += step
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            here, dashed = _key_depth(line), line.lstrip().startswith("- ")
            if here < depth or (here == depth and dashed and step > 0):
                break
            rows.append(line)
            if here == depth and dashed:
                break
    return rows


def _key_depth(line: str) -> int:
    """The column at which a row's key stands, whether or not a dash begins it."""
    found = re.match(r"\s*(?:-\s+)?", line)
    return len(found[0]) if found else 0
