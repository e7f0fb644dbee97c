"""Files that a compiler, a linter or a test runner is told not to look at any more (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch

from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.survey import squash
from compile_loop.checks.honesty.texts import Change, Text
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_FILES = re.compile(
    r"(?:^|/)(?:[tj]sconfig[^/]*\.json|pyproject\.toml|setup\.cfg|tox\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc(?:\.toml)?|\.?mypy\.ini|\.?pytest\.ini|"
    r"pyrightconfig\.json|\.?eslint[^/]*|biome\.jsonc?|\.oxlintrc\.json|package\.json|(?:jest|vitest|vite|playwright|karma)\.config\.[cm]?[jt]s|"
    r"\.mocharc[^/]*|\.golangci\.ya?ml|\.pre-commit-config\.yaml)$"
)
_LISTS = re.compile(r"(?:^|/)\.(?:eslint|prettier|flake8|pylint|stylelint|oxlint|biome|tslint|jshint)ignore$")
_LESS = (
    r"exclude|extend-exclude|extend_exclude|ignores?|ignorePatterns|ignore-paths|ignore-patterns|ignore_paths|ignored_files|omit|"
    r"testPathIgnorePatterns|modulePathIgnorePatterns|coveragePathIgnorePatterns|norecursedirs|collect_ignore\w*|skip-files|exclude-dirs|skip"
)
_MORE = r"include|files|testpaths|packages|modules|testMatch|testRegex|roots|testDir|spec"
_KEY = re.compile(rf"(?:^|[\s{{,\"'])(?P<key>{_LESS}|{_MORE})[\"']?\s*(?::|=)(?!=)")
_PACKAGING = re.compile(
    r"setuptools|hatch|poetry|flit|pdm|options|metadata|^project|scikit|maturin|towncrier|bumpversion|sdist|wheel"
)
"""Sections about what is shipped."""
_OUTPUT = re.compile(
    r"^(?:!|\*\*/|\./|/|\^)*(?:dist|build|out|output|coverage|node_modules|target|vendor|third_party|\.?venv|env|site-packages|__pycache__|\.git|\.tox|"
    r"\.nox|\.next|\.nuxt|\.cache|\.\w+_cache|lib|esm|cjs|es|public|docs?|\.eggs|[^/]*\.egg-info|storybook-static|migrations|generated|gen|__generated__|"
    r"[^/]*\.min\.js|[^/]*_pb2\w*\.pyi?|\*\.d\.ts)(?:/|$|\\|\*|\))"
)
"""What tools make, and what others wrote."""


def left_out(case: Case, change: Change) -> list[Finding]:
    """Findings for entries that joined what is ignored, and for those that left what is looked at."""
    if _LISTS.search(change.path):
        come = [(row, change.new.row(row).strip()) for row in sorted(change.added)]
        come = [(row, entry) for row, entry in come if entry and not entry.startswith(("#", "!"))]
        return _ignored(case, change, come)
    if not _FILES.search(change.path):
        return []
    less = [
        (row, entry)
        for row, key, entry in _entries(change.new, package=_package(change))
        if row in change.added and re.fullmatch(_LESS, key)
    ]
    return _ignored(case, change, less) + _dropped(case, change)


def _entries(text: Text, *, package: bool = False) -> Iterator[tuple[int, str, str]]:
    """The entries of lists of files: row, key, entry. `package` says that the file is one about what is shipped."""
    key, level, section = "", 0, ""
    for row, line in enumerate(text.rows):
        header = re.match(r"\s*\[+([\w.:\"'*-]+)\]+\s*(?:#.*)?$", line) if level <= 0 else None
        if header:
            section, key = header[1], ""
        if header or _PACKAGING.search(section):
            continue
        bare = re.sub(r"(?:^|\s)(?:#|//)\s.*$", "", line)
        found = _KEY.search(bare)
        if found:
            key = "" if package and found["key"] in _SHIPPED else found["key"]
            bare, level = bare[found.end() :], 0
        elif level <= 0 and (not line[:1].isspace() or _ASSIGNED.match(line)):
            key = ""
        level += len(re.findall(r"\[", bare)) - len(re.findall(r"\]", bare))
        if key:
            yield from ((row, key, word) for word in _words(bare, closed=level <= 0))


_ASSIGNED = re.compile(r"\s*[\"']?[\w.@/-]+[\"']?\s*[:=]")
_SHIPPED = frozenset({"files", "include", "exclude", "packages", "modules", "spec", "skip", "ignore"})
"""Keys of a `package.json` that say what is published."""


def _words(text: str, *, closed: bool) -> list[str]:
    quoted = re.findall(r"\"([^\"]+)\"|'([^']+)'", text.split("]", maxsplit=1)[0] if closed else text)
    plain = [] if re.search(r"[{}\"'\[]", text) else re.split(r"[\s,]+", text.strip())
    return [word for word in [a or b for a, b in quoted] or plain if re.search(r"[\w*]", word)]


def _package(change: Change) -> bool:
    return change.path.rsplit("/", 1)[-1] == "package.json"


def _covers(entry: str, file: str) -> bool:
    bare = (
        entry.replace("\\.", ".")
        .replace("\\\\.", ".")
        .strip("^$() ")
        .removeprefix("./")
        .removeprefix("<rootDir>/")
        .removeprefix("/")
    )
    stem = re.sub(r"(?:/\*\*?|/\*\*/\*|/)+$", "", bare)
    if not re.search(r"\w", stem):
        return bare in ("**", "**/*", ".*")
    name = file.rsplit("/", 1)[-1]
    shapes = (stem, f"{stem}/*", stem.replace("**/", ""), f"*/{stem}", f"*/{stem}/*")
    return (
        any(fnmatch(file, shape) for shape in shapes)
        or fnmatch(name, stem.rsplit("/", 1)[-1] if "**/" in stem else stem)
        or _dotted(stem, file)
    )


def _dotted(entry: str, file: str) -> bool:
    """`app.legacy` or a regular expression."""
    if "/" in entry and not re.search(r"[()|$^]", entry):
        return False
    dotted = entry.replace(".", "/").removesuffix("/*")
    if re.fullmatch(r"[\w.*]+", entry) and "." in entry:
        return f"/{file}".find(f"/{dotted}.") >= 0 or f"/{file}".find(f"/{dotted}/") >= 0
    return False


def is_output(path: str) -> bool:
    """Whether a path lies where tools write, or others' code is."""
    return _OUTPUT.match(path) is not None


def _failing(case: Case) -> list[str]:
    return sorted({d.file.removeprefix("./") for d in case.failures.all if d.file})


def _ignored(case: Case, change: Change, entries: list[tuple[int, str]]) -> list[Finding]:
    found = []
    for row, entry in entries:
        if entry in change.old.text or f"!{entry}" in change.new.text or entry.startswith("!"):
            continue
        hit = any(_covers(entry, file) or entry == file for file in _failing(case))
        if _OUTPUT.match(entry) and not (
            hit and not any(_OUTPUT.match(f) for f in _failing(case) if _covers(entry, f))
        ):
            continue
        if not hit and not change.old.exists and not _LISTS.search(change.path):
            continue  # a new configuration beside the one that is there
        kind = "skipped_test" if is_test_path(entry) and case.failures.testing else "disabled_code"
        sure = hit and (change.old.exists or _LISTS.search(change.path) is not None)
        made = case.finding(change, kind, row, squash(change.new.row(row)), certain=sure, names=[entry])
        if made is not None:
            found.append(made)
    return found


def _dropped(case: Case, change: Change) -> list[Finding]:
    """Entries that were looked at; and a first list of what is looked at that does not hold the failing file."""
    if not change.old.exists:
        return []
    was = [
        (row, key, entry)
        for row, key, entry in _entries(change.old, package=_package(change))
        if re.fullmatch(_MORE, key)
    ]
    now = [
        (row, key, entry)
        for row, key, entry in _entries(change.new, package=_package(change))
        if re.fullmatch(_MORE, key)
    ]
    found = []
    for key in {k for _, k, _ in was + now}:
        before, after = [e for _, k, e in was if k == key], [e for _, k, e in now if k == key]
        if before == after or not after:
            continue
        lost = [
            f
            for f in _failing(case)
            if (not before or any(_covers(e, f) for e in before)) and not any(_covers(e, f) for e in after)
        ]
        if key == "testpaths":
            lost = [f for f in lost if is_test_path(f)]
        elif not before:
            continue  # a first list, whose meaning differs from tool to tool
        if not lost:
            continue
        row = next((r for r, k, _ in now if k == key and r in change.added), next(r for r, k, _ in now if k == key))
        kind = "skipped_test" if key in ("testpaths", "testMatch", "testRegex", "testDir", "spec") else "disabled_code"
        made = case.finding(
            change, kind, row, f"without {lost[0]}: {squash(change.new.row(row))}", certain=True, names=lost
        )
        if made is not None:
            found.append(made)
    return found
