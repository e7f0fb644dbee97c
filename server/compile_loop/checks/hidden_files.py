"""Which files a hidden check names, so that they can be kept from the model (SPEC K5).

Rather one too many than one too few: a holdout of the contract file says by `files` what it means exactly.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from compile_loop.checks.scripts import Command, commands_of, scripts_of
from compile_loop.contracts.checks import Check

_NOT_OURS = frozenset((".git", "node_modules", ".venv", "venv", ".tox", "__pycache__", "target"))
"""Folders of what is installed or built: no hidden check is kept there, and its programs are everybody's."""
_LEADS_TO = frozenset(("-C", "--directory", "--cwd", "--prefix", "--rootdir"))
"""Options whose folder is where the other words start from."""
_OF_THE_CODE = frozenset(
    [
        "-I",
        "-L",
        "-isystem",
        "-iquote",
        "--cov",
        "--source",
        "--include",
        "--manifest-path",
        "--project",
        "-p",
        "--build",
        "-B",
        "-S",
        "--test-dir",
    ]
)
"""Options whose value is the code under test, or what builds it."""
_LOOKS_AT_CODE = re.compile(
    r"(?:.*/)?(?:mypy|pyright|ruff|flake8|pylint|black|isort|bandit|eslint|biome|prettier|tsc|gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|clang-tidy|"
    r"cppcheck|javac|rustc|gofmt|golangci-lint|shellcheck)$"
)
"""Programs whose folders are code that is looked at, not cases that are hidden."""
_TASK_RUNNER = re.compile(
    r"(?:.*/)?(?:[gn]?make|ninja|cmake|npm|yarn|pnpm|bun|deno|cargo|go|gradlew?|mvnw?|dotnet|swift|mix|rake|just|task|tox|nox|sbt|stack|cabal|zig|"
    r"composer|bundle|bazel|nx|turbo|meson)$"
)
"""Programs whose plain words are tasks of theirs: `npm test` does not mean the folder `test`."""
_MANIFESTS = (
    "package.json", "Cargo.toml", "pyproject.toml", "go.mod", "Makefile", "CMakeLists.txt", "CMakeCache.txt", "build.ninja",
    "pom.xml", "build.gradle", "build.gradle.kts", "meson.build",
)  # fmt: skip
"""What makes a folder that a command only enters a project, not one of cases."""
_MOST = 5000
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_IN_CODE = re.compile(r"[\w@%+~./-]*[./][\w@%+~./-]*")


def files_named(check: Check, root: Path, targets: Iterable[str], visible: Sequence[Check]) -> set[str]:
    """The workspace-relative files that a hidden check names: by themselves, by a folder, a test's id, a module, a pattern.

    Not the `targets`, nor a folder that holds one, nor programs that the `visible` checks run as well.
    """
    kept = {root / target for target in targets}
    found: set[Path] = set()
    entered: set[Path] = {root / check.cwd}
    for command in commands_of(check.command, root / check.cwd):
        entered.add(command.folders[0])
        for place in _places(command, root):
            found |= _files_at(place, root, kept)
    found |= {root / name for name in scripts_of(check, root)}
    if not found:
        for folder in entered:
            if not any((folder / name).exists() for name in _MANIFESTS):
                found |= _files_at(folder, root, kept)
    shared = {root / name for each in visible for name in scripts_of(each, root)}
    names = {place.relative_to(root) for place in found - kept - shared}
    return {name.as_posix() for name in names if not _NOT_OURS & set(name.parts)}


def _places(command: Command, root: Path) -> Iterator[Path]:
    """Existing places in the workspace that a simple command's words may mean."""
    words = [*command.words, *command.reads]
    if words[:1] == ["cd"]:
        return
    bases = [*command.folders]
    bases += [base / value for option, value in _options(words) if option in _LEADS_TO for base in command.folders]
    whole = not any(_LOOKS_AT_CODE.match(word) for word in words)
    tasks = any(_TASK_RUNNER.match(word) for word in words)
    values = {value for option, value in _options(words) if option in _LEADS_TO | _OF_THE_CODE}
    for word in words:
        if word in values or word.startswith(tuple(f"{option}=" for option in _LEADS_TO | _OF_THE_CODE)):
            continue
        for name in _meant_by(word):
            for base in bases:
                folders = whole and not (tasks and "/" not in word)
                yield from (place for place in _existing(base, name, root) if folders or place.is_file())


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each option with the word after it, or with what stands behind its `=`."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("-"):
            option, equals, value = word.partition("=")
            yield option, value if equals else following


def _meant_by(word: str) -> Iterator[str]:
    """The paths that a word may mean."""
    if re.search(r"[\s\"'();]", word):  # a program's text
        yield word
        yield from _IN_CODE.findall(word)
        return
    for part in dict.fromkeys((word, word.partition("=")[2], word[2:] if re.match(r"-\w[^-=]", word) else "")):
        if not part or part.startswith("--"):
            continue
        name = part.lstrip("@").removesuffix("/...")
        yield name
        yield name.partition("::")[0]
        yield name.partition(":")[0]
        if _MODULE.fullmatch(name):
            parts = name.split(".")
            for count in range(len(parts), 1, -1):
                yield "/".join(parts[:count])
                yield "/".join(parts[:count]) + ".py"


def _existing(base: Path, name: str, root: Path) -> Iterator[Path]:
    if not re.search(r"\w", name) or "\0" in name:  # nothing, or what only a run can tell
        return
    try:
        if re.search(r"[*?\[{]", name) and not name.startswith("/"):
            for each in _braces(name):
                yield from (place.resolve() for place in base.glob(each))
        place = (base / name).resolve()
        if place.exists() and place.is_relative_to(root):
            yield place
    except (OSError, ValueError, NotImplementedError, IndexError):  # no name, or no pattern
        return


def _braces(name: str) -> list[str]:
    """What a shell makes of `{a,b}`."""
    match = re.search(r"\{([^{}]*,[^{}]*)\}", name)
    if match is None:
        return [name]
    return [
        whole
        for part in match.group(1).split(",")
        for whole in _braces(name[: match.start()] + part + name[match.end() :])
    ]


def _files_at(place: Path, root: Path, kept: set[Path]) -> set[Path]:
    """A file, or all files of a folder that holds no target; where a link leads within the workspace comes with it."""
    place = place.resolve()
    if not place.is_relative_to(root):
        return set()
    if place.is_file():
        return {place}
    if not place.is_dir() or any(each.is_relative_to(place) for each in (root, *kept)):
        return set()
    found: set[Path] = set()
    for folder, folders, names in os.walk(place):
        folders[:] = [name for name in folders if name not in _NOT_OURS]
        files = [Path(folder, name) for name in names if Path(folder, name).is_file()]
        found |= {*files, *(file.resolve() for file in files if file.resolve().is_relative_to(root))}
        if len(found) > _MOST:
            return set()
    return found
