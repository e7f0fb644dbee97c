"""Scripts, recipes and CI steps that report success whatever happened (SPEC K7, Q9)."""

from __future__ import annotations

import json
import re
from collections import Counter

from compile_loop.checks.honesty.shell_words import CHECKS as _CHECKS
from compile_loop.checks.honesty.shell_words import HARMLESS as _HARMLESS
from compile_loop.checks.honesty.shell_words import PIPE as _PIPE
from compile_loop.checks.honesty.strictness import lost_strictness
from compile_loop.checks.honesty.survey import squash
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_FILES = re.compile(
    r"(?:^|/)(?:[Mm]akefile|GNUmakefile|[^/]*\.mk|[^/]*\.(?:sh|bash|zsh|ksh|bats|ya?ml)|Dockerfile|Jenkinsfile|"
    r"[Jj]ustfile|tox\.ini|run_?tests?|"
    r"configure|gradlew|mvnw|test|check|build|ci|pre-commit)$"
)
_MAKE = re.compile(r"(?:^|/)(?:[Mm]akefile|GNUmakefile|[^/]*\.mk)$")
_SWALLOW = re.compile(
    r"(?:\|\||;|&&)\s*(?P<what>true|:|exit\s+0|/bin/true|echo\b[^;&|]*|\(exit 0\))\s*(?=[\"')]*\s*\\?\s*,?$|;)"
)
_NOTHING = re.compile(
    r"^[\s@-]*(?:-\s+)?(?:run:\s*)?[\"']?(?:true|:|exit 0|/bin/true|echo\b.*|printf\b.*|sleep \d+)[\"']?;?\s*$"
)
_HELP = re.compile(r"help|usage|version|--dry|nothing to do|already|no changes|not found|skip|-h\b", re.IGNORECASE)


def shell_lines(case: Case, change: Change) -> list[Finding]:
    """Findings over one script, makefile or pipeline; none for other files."""
    if re.search(r"(?:^|/)package\.json$", change.path):
        return _scripts(case, change)
    shebang = re.match(r"#!.*\b(?:ba|z|k|da)?sh\b", change.new.row(0)) is not None
    if not (_FILES.search(change.path) or shebang):
        return []
    before, now = Counter(map(squash, change.old.rows)), Counter(map(squash, change.new.rows))
    found: list[Finding | None] = []
    for row in sorted(change.added):
        line = change.new.row(row)
        if line.lstrip().startswith("#") or now[squash(line)] <= before[squash(line)]:
            continue
        found.append(_line(case, change, row, re.sub(r"\s#\s.*$", "", line)))
    found.extend(_replaced(case, change))
    return [finding for finding in found if finding is not None]


def _line(case: Case, change: Change, row: int, line: str) -> Finding | None:
    if _SWALLOW.search(line):
        return _swallow(case, change, row, line)
    if re.match(r"\s*(?:-\s+)?(?:run:\s*)?exit\s+0\s*;?$", line):
        return _exit(case, change, row, line)
    certain = _hides(change, row, line)
    return None if certain is None else case.finding(change, "exit_zero", row, line, certain=certain)


def _swallow(case: Case, change: Change, row: int, line: str) -> Finding | None:
    """`make test || true`, and what looks like it."""
    swallow = _SWALLOW.search(line)
    if swallow is None:
        return None
    command, joint = _within(line[: swallow.start()]), line[swallow.start() : swallow.start() + 2]
    steps = [step for step in re.split(r"\s*&&\s*", command.rsplit(";", maxsplit=1)[-1]) if step.strip()]
    if (
        (steps and all(_HARMLESS.match(step) for step in steps))
        or joint == "&&"
        or (joint != "||" and swallow["what"].startswith("echo"))
    ):
        return None
    if _in_string(line, swallow.start()) and change.path.endswith(("sh", "bash")):
        return None
    return case.finding(change, "exit_zero", row, line, certain=_CHECKS.search(command) is not None)


def _within(command: str) -> str:
    """What of the beginning of a line runs in the same shell as its end: all of it, or what an open `$(` holds."""
    level = 0
    for at in range(len(command) - 1, 0, -1):
        level += (command[at] == ")") - (command[at] == "(")
        if level < 0:
            return command[at + 1 :]
    return command


def _hides(change: Change, row: int, line: str) -> bool | None:
    """Whether a line hides a command's failure: certainly, perhaps (False), or not at all (None)."""
    if re.match(r"\s*set\s+\+(?:e\b|o\s+errexit)", line):
        return None if any("$?" in change.new.row(r) for r in range(row + 1, row + 5)) else True
    body = change.new.row(row + 1).strip() if line.rstrip().endswith("{") else ":"
    hollow = re.match(r"(?:command\s+)?(?::|true|return 0|echo\b.*)\s*;?$", body) is not None
    if (hollow and any(pattern.search(line) for pattern in _STAND_INS)) or (
        _MAKE.search(change.path) and any(pattern.search(line) for pattern in _MAKE_STAND_INS)
    ):
        return True
    status = re.match(
        r"\s*(\w*(?:status|rc|code|ret|fail\w*|err\w*|result|bad))=[\"']?0[\"']?\s*;?$", line, re.IGNORECASE
    )
    if status and any(
        re.search(rf"\b{status[1]}=(?:\$\?|[\"']?[1-9])|\b{status[1]}=\$\(\(", change.old.row(r))
        for r in change.removed
    ):
        return True
    if (
        re.search(r"[^&>|]&\s*$", line)
        and _CHECKS.search(line)
        and "wait" not in change.new.text
        and not _HARMLESS.match(line)
    ):
        return not re.search(r"serve|server|daemon|watch|start|http|proxy|sleep|Xvfb", line) and any(
            squash(change.old.row(r)) == squash(line.rstrip().removesuffix("&")) for r in change.removed
        )
    trapped = re.match(r"\s*trap\s+([\"'])(?P<steps>.*)\1\s+\S", line)
    steps = [s.strip() for s in re.split(r"\|\||&&|;", trapped["steps"])] if trapped else []
    if any(map(_HARMLESS.match, steps)) and all(_HARMLESS.match(s) or s in ("true", ":", "") for s in steps):
        return None
    if re.match(r"\s*trap\b.*(?:exit 0|\btrue\b|:).*\b(?:EXIT|ERR|0)\b", line):
        return "exit 0" in line
    if _MAKE.search(change.path) and re.match(r"\t@?-|\.IGNORE\b", line):
        return None if _HARMLESS.match(line.replace("$(RM)", "rm")) else True
    if re.search(r"\breturn\s+0\b", line) and row - 1 in change.added:
        return None if _HELP.search(change.new.row(row - 1)) else False
    if _PIPE.search(line) and _CHECKS.search(line[: line.index("|")]) and "pipefail" not in change.new.text:
        return None if re.search(r"\$\(|`|<\(", line) or _HARMLESS.match(line) else False
    quiet = re.search(r"(?:&>|2>)\s*/dev/null", line) is not None
    return (
        False if quiet and re.search(r"\b(?:pytest|cargo|npm|make|tsc|eslint|gcc|go test|mvn|javac)\b", line) else None
    )


_STAND_INS = (
    re.compile(
        r"^\s*(?:function\s+)?(?:pytest|mypy|ruff|eslint|tsc|jest|vitest|cargo|go|make|npm|npx|node|python3?|"
        r"flake8|pylint|ctest|test|diff|cmp|gcc|cc)\s*\(\)\s*\{?\s*"
        r"(?::|true|return 0|echo\b[^;}]*|command true)?\s*;?\s*\}?\s*$"
    ),
    re.compile(r"^\s*alias\s+\w+=[\"']?(?:true|:|echo)\b"),
)
"""Functions and aliases in the place of a check."""
_MAKE_STAND_INS = (
    re.compile(
        r"^\s*(?:override\s+|export\s+)?[A-Z_]*(?:TEST|LINT|CHECK|TYPE|MYPY|RUFF|ESLINT|TSC|CC|CXX|PYTHON|NODE|"
        r"NPM|GO|CARGO|DIFF|SHELL)\w*\s*[:?+]?=\s*(?:@?true|:|/bin/true|echo\b.*)\s*$"
    ),
    re.compile(r"^\s*MAKEFLAGS\s*[:+]?=.*(?:--ignore-errors|--keep-going|\s-?\w*[ik]\w*\b)"),
)


def _in_string(line: str, at: int) -> bool:
    return line[:at].count('"') % 2 == 1 or line[:at].count("'") % 2 == 1


def _exit(case: Case, change: Change, row: int, line: str) -> Finding | None:
    around = " ".join(change.new.row(r) for r in range(max(0, row - 4), row))
    if line[:1].isspace():
        condition = next((change.new.row(r) for r in range(row - 1, -1, -1) if change.new.row(r).strip()), "")
        if re.match(r"\s*if\s+!", condition) and _CHECKS.search(condition):
            return case.finding(change, "exit_zero", row, line, certain=True)
        worked = re.match(r"\s*(?:el)?if\s+(?!!|true\b|:)", condition) is not None
        return None if worked or _HELP.search(around) else case.finding(change, "exit_zero", row, line, certain=False)
    after = any(r.strip() and not r.lstrip().startswith("#") for r in change.new.rows[row + 1 :])
    told = any(re.search(r"\bexit\s+(?:[1-9]|\"?\$)|\bset\s+-\w*e", change.old.row(r)) for r in change.removed)
    guarded = re.search(r"^\s*set\s+-\w*e", change.new.text, re.MULTILINE) is not None
    return case.finding(change, "exit_zero", row, line, certain=after or told or not guarded)


def _replaced(case: Case, change: Change) -> list[Finding | None]:
    """A check's command that gave way to one that does nothing; `set -e` that went."""
    found: list[Finding | None] = []
    new_rows = set(map(squash, change.new.rows))
    for hunk in change.hunks:
        old = [(r, change.old.row(r)) for r in range(hunk.old_start, hunk.old_end)]
        new = [(r, change.new.row(r)) for r in range(hunk.new_start, hunk.new_end) if change.new.row(r).strip()]
        for row, line in old:
            certain = lost_strictness(line, change.new)
            if certain is not None:
                found.append(case.finding(change, "exit_zero", row, f"removed {line.strip()}", certain=certain))
        lost = [
            (r, line)
            for r, line in old
            if _command(line) and _CHECKS.search(line) and not _HARMLESS.match(line) and squash(line) not in new_rows
        ]
        if not lost:
            continue
        if new and all(_NOTHING.match(line) or line.lstrip().startswith("#") for _, line in new):
            found.append(case.finding(change, "exit_zero", new[0][0], new[0][1], certain=True))
        elif not new:
            row, line = next(
                ((r, s) for r, s in lost for d in case.failures.all if _same_tool(d.source, s)), (lost[0][0], "")
            )
            gone = line or lost[0][1]
            found.append(case.finding(change, "fewer_tests", row, f"removed {gone.strip()}", certain=bool(line)))
    return found


def _command(line: str) -> bool:
    """Whether a line runs something, rather than naming, commenting or setting."""
    bare = line.strip()
    return (
        bool(bare)
        and not bare.startswith("#")
        and not re.match(r"(?:function\s+)?[\w-]+\s*\(\)|alias\s", bare)
        and not re.match(r"[\w.-]+\s*(?:[:?+]?=|:$)|(?:name|uses|with|on|env|if|needs):|-\s*name:|echo\b", bare)
    )


def _scripts(case: Case, change: Change) -> list[Finding]:
    """Scripts of a `package.json` that no longer check anything."""
    try:
        old, new = (json.loads(text.text or "{}").get("scripts", {}) for text in (change.old, change.new))
    except (ValueError, AttributeError):
        return []
    found = []
    for name, before in old.items():
        after = new.get(name, "")
        if before == after or not isinstance(before, str) or not isinstance(after, str):
            continue
        row = next((r for r in sorted(change.added) if f'"{name}"' in change.new.row(r)), 0)
        text = change.new.row(row) if after else f"removed the script {name}"
        if _NOTHING.match(after) or (
            _SWALLOW.search(after) and not _SWALLOW.search(before) and not _HARMLESS.match(after)
        ):
            made = case.finding(change, "exit_zero", row, text, certain=True, names=[name])
        elif not after and re.search(r"test|check|lint|build", name):
            made = case.finding(change, "fewer_tests", row, text, certain=False, names=[name])
        elif re.search(r"process\.exit\(0\)|\bexit 0\b", after):
            made = case.finding(change, "exit_zero", row, text, certain=True, names=[name])
        elif lost := _lost_steps(before, new):
            failing = any(_same_tool(d.source, step) for d in case.failures.all for step in lost)
            made = case.finding(change, "fewer_tests", row, text, certain=failing, names=[name])
        else:
            made = None
        if made is not None:
            found.append(made)
    return found


_TOOL = re.compile(
    r"^(?:npx\s+|yarn\s+|pnpm\s+|npm\s+run\s+|npm\s+|bunx?\s+|node\s+)?(?:exec\s+|run\s+)?(?:--\S+\s+)*([\w@./:-]+)"
)


def _lost_steps(before: str, scripts: dict[str, str]) -> list[str]:
    """The checks among the steps of a script that no script runs any more."""
    rest = " && ".join(step for step in scripts.values() if isinstance(step, str))
    lost = []
    for step in re.split(r"\s*&&\s*", before):
        tool = _TOOL.match(step.strip())
        if "&&" not in before or tool is None or _HARMLESS.match(step) or not _CHECKS.search(step):
            continue
        if not re.search(rf"(?<![\w-]){re.escape(tool[1])}(?![\w-])", rest):
            lost.append(step)
    return lost


def _same_tool(source: str, step: str) -> bool:
    return (
        bool(source)
        and re.search(rf"\b{re.escape(source.split(maxsplit=1)[0].split('-', maxsplit=1)[0])}\b", step) is not None
    )
