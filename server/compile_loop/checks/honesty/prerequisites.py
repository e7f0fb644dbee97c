"""Steps that a check consisted of and that are not among them any more: recipes, scripts, sources (SPEC K7)."""

from __future__ import annotations

import re
from itertools import takewhile

from compile_loop.checks.honesty.failures import same_file
from compile_loop.checks.honesty.survey import squash
from compile_loop.checks.honesty.texts import Change, Text
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_MAKE = re.compile(r"(?:^|/)(?:[Mm]akefile|GNUmakefile|[^/]*\.mk|[Jj]ustfile)$")
_LISTS = re.compile(
    r"(?:^|/)(?:[Mm]akefile|GNUmakefile|[^/]*\.mk|CMakeLists\.txt|[^/]*\.cmake|meson\.build|BUILD(?:\.bazel)?|SConstruct|binding\.gyp)$"
)
_RULE = re.compile(r"^([A-Za-z][\w.-]*)\s*::?(?!=)\s*([^#=|;]*)")
_CHECK = re.compile(r"test|check|lint|verify|type|spec|audit|valgrind|asan|memcheck", re.IGNORECASE)
_GOALS = re.compile(
    r"^(?:all|check|ci|test|tests|verify|default|build|lint|validate|precommit|pre-commit|qa)", re.IGNORECASE
)


def prerequisites(case: Case, change: Change) -> list[Finding]:
    """Findings over makefiles and lists of sources."""
    found: list[Finding | None] = []
    if change.old.exists and change.new.exists:
        if _MAKE.search(change.path):
            found += _targets(case, change)
        if _LISTS.search(change.path):
            found += _sources(case, change)
    return [finding for finding in found if finding is not None]


def _rules(text: Text) -> dict[str, tuple[int, list[str]]]:
    rules: dict[str, tuple[int, list[str]]] = {}
    for row, line in enumerate(text.rows):
        match = _RULE.match(line)
        if match and match[1] != ".PHONY":
            first, needs = rules.get(match[1], (row, []))
            rules[match[1]] = (first, needs + match[2].split())
    return rules


def _targets(case: Case, change: Change) -> list[Finding | None]:
    was, now = _rules(change.old), _rules(change.new)
    found: list[Finding | None] = []
    for name, (_, needs) in was.items():
        if name not in now or not _GOALS.match(name):
            continue
        row, left = now[name]
        reached = set(left) | {need for other in left for need in now.get(other, (0, []))[1]}
        recipe = "\n".join(takewhile(lambda line: line[:1].isspace(), change.new.rows[row + 1 :]))
        lost = [need for need in needs if need not in reached and _CHECK.search(need) and need not in recipe]
        fresh = [need for need in left if need not in needs and _CHECK.search(need)]
        if len(lost) > len(fresh) and row in change.added:
            text = f"without {', '.join(lost)}: {squash(change.new.row(row))}"
            found.append(
                case.finding(change, "fewer_tests", row, text, certain=all(n in now for n in lost), names=lost)
            )
    return found


def _sources(case: Case, change: Change) -> list[Finding | None]:
    """A source that fails to compile and is in no list any more."""
    found: list[Finding | None] = []
    for row in sorted(change.removed):
        for name in re.findall(r"[\w./-]+\.(?:c|cc|cpp|cxx|m|mm|f90|rs|o|obj)\b", change.old.row(row).split("#")[0]):
            stem = name.rsplit(".", 1)[0]
            if re.search(
                rf"(?<![\w-]){re.escape(stem)}\.(?:c|cc|cpp|cxx|m|mm|f90|rs|o|obj)\b",
                re.sub(r"#.*", "", change.new.text),
            ):
                continue
            fails = any(d.file and same_file(d.file.rsplit(".", 1)[0], stem) for d in case.failures.all)
            if fails and not case.failures.say(
                r"multiple definition|duplicate|redefinition|No such file|cannot find source|no rule to make"
            ):
                found.append(case.finding(change, "disabled_code", row, f"removed {name}", certain=False, names=[name]))
    return found
