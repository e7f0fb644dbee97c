"""Failing code put behind a condition of the build that nothing fulfils (SPEC K7).

That a build file elsewhere fulfils it cannot be excluded, so it is a suspicion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.survey import squash
from compile_loop.checks.honesty.texts import Text
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.edits import Edit
from compile_loop.contracts.honesty import Finding

_IF = re.compile(
    r"^\s*#\s*(?:if\s+(?:defined\s*)?\(?\s*(?:defined\s*\(?\s*)?|ifdef\s+)(?P<name>[A-Za-z]\w*)\s*\)*(?:\s*(?:==|>=|>)\s*\d+|\s*&&.*)?\s*(?://.*|/\*.*)?$"
)
_END = re.compile(r"^\s*#\s*(?P<what>if|el|endif)")
_FEATURE = re.compile(
    r"^\s*#!?\[\s*cfg\s*\(\s*(?:all\s*\(\s*)?(?:feature\s*=\s*\"(?P<feature>[\w-]+)\"|(?P<flag>[a-z]\w*)\s*[,)])"
)
_TAG = re.compile(r"^//go:build\s+(?P<tag>[a-z]\w*)\s*$")
_USUAL = re.compile(
    r"(?:_\w*|\w*(?:WIN|WINDOWS|LINUX|APPLE|DARWIN|UNIX|BSD|ANDROID|ARM|AARCH|X86|AMD64|SSE|AVX|NEON|MSVC|GNUC|CLANG|EMSCRIPTEN|SOLARIS)\w*|"
    r"HAVE_\w+|NDEBUG|DEBUG|SIG[A-Z]+|[A-Z]+_MAX|E[A-Z]+|[OMSF]_[A-Z]+|(?:\w+_)?VERSION\w*|linux|unix|cplusplus|"
    r"test|windows|debug_assertions|doc|miri|loom|docsrs|target_\w+|panic|fuzzing|not|any|all|feature|"
    r"darwin|android|ios|\w*bsd|solaris|aix|amd64|arm\w*|386|race|cgo|go1|js|wasm|plan9|ignore|integration|e2e)$"
)
"""What compilers, systems and configure scripts define, or tests are asked for by."""
_IDLE = re.compile(
    r"(?:\(void\)\s*\w+;|return\b\s*(?:[-\w:.\"]*|\{\}|\w+(?:::\w+)*\(\)|std::nullopt)\s*;|[{}]|\w+\s*=\s*(?:0|NULL|nullptr|\"\"|\{\});|std::ignore\s*=.*;|"
    r"/[/*].*|\*.*|f?printf\(.*\);|\w+\s*\(void\)\s*\{.*)$"
)


def undefined_conditions(case: Case, sheets: Sequence[Sheet], edit: Edit) -> list[Finding]:
    """Findings for new conditions around what failed whose name nothing in the edit, and nothing before it, defines."""
    found: list[Finding | None] = []
    for sheet in sheets:
        change = sheet.change
        if not change.old.exists or not change.new.exists or not case.failures.in_file(change.path):
            continue
        for row, name in _conditions(sheet):
            if _USUAL.match(name) or re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", change.old.text):
                continue
            if _named_elsewhere(edit, change.path, name) or not _hides_the_failure(case, sheet, row):
                continue
            shown = squash(change.new.row(row))
            found.append(case.finding(change, "disabled_code", row, shown, certain=False, names=[name]))
    return [finding for finding in found if finding is not None]


def _conditions(sheet: Sheet) -> Iterator[tuple[int, str]]:
    pattern = {"c": _IF, "cpp": _IF, "rust": _FEATURE, "go": _TAG}.get(sheet.new.grammar)
    for row in sorted(sheet.change.added) if pattern is not None else ():
        match = pattern.match(sheet.change.new.row(row)) if pattern is not None else None
        if match is not None:
            yield row, next(g for g in match.groups() if g)


def _named_elsewhere(edit: Edit, path: str, name: str) -> bool:
    """Whether another file of the edit has the name: a build file that sets it, or a header that defines it."""
    word = re.compile(rf"(?<![\w-])(?:D|define\s+)?{re.escape(name)}(?![\w-])".encode())
    return any(file.path != path and file.after is not None and word.search(file.after) for file in edit.files)


def _hides_the_failure(case: Case, sheet: Sheet, row: int) -> bool:
    """Whether what failed lies behind the condition now, and what stands in its stead does nothing."""
    change = sheet.change
    rows = [change.kept_as(d.range.start.line) for d in case.failures.in_file(change.path)]
    kept = [row for row in rows if row is not None]
    if sheet.new.grammar in ("c", "cpp"):
        inside, otherwise = _branches(change.new, row)
        idle = all(_IDLE.match(squash(change.new.row(r))) for r in otherwise if change.new.row(r).strip())
        return idle and any(at in inside for at in kept)
    if sheet.new.grammar == "go":
        return True
    functions = [f for f in sheet.new_functions if row <= f.row <= row + 4]
    whole = sheet.change.new.row(row).lstrip().startswith("#![")
    return (
        whole
        or any(f.row <= at <= f.end_row for f in functions[:1] for at in kept)
        or any(row < at <= row + 3 for at in kept)
    )


def _branches(text: Text, row: int) -> tuple[range, range]:
    """The rows under a condition, and those under its `#else`."""
    level, middle = 0, 0
    for at in range(row + 1, len(text.rows)):
        match = _END.match(text.row(at))
        if match is None:
            continue
        if match["what"] == "if":
            level += 1
        elif match["what"] == "endif":
            if level == 0:
                return range(row + 1, middle or at), range(middle + 1, at) if middle else range(0)
            level -= 1
        elif level == 0 and not middle:
            middle = at
    return range(row + 1, len(text.rows)), range(0)
