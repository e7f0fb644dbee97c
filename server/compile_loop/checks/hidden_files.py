"""Which files a hidden check names, so that they can be kept from the model (SPEC K5).

Rather one too many than one too few: a holdout of the contract file says by `files` what it means exactly.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import escape
from pathlib import Path

from compile_loop.checks.expectations import SOURCE
from compile_loop.checks.followed import follow
from compile_loop.checks.named_paths import existing, start_of
from compile_loop.checks.read_by_code import files_in
from compile_loop.checks.scripts import Command, commands_of, run_by, scripts_of
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


def files_named(
    check: Check, root: Path, targets: Iterable[str], visible: Sequence[Check], unsaved: Iterable[str] = ()
) -> set[str]:
    """The workspace-relative files that a hidden check leads to: by themselves, by a folder, a test's id, a module, a pattern.

    What it names is followed through shell scripts, Makefile goals, package scripts and the programs that it runs. Not
    the `targets`, nor a folder that holds one, nor programs that the `visible` checks run as well. `unsaved` are files
    that may not be on the disk yet.
    """
    tree = Tree(
        root, {root / target for target in targets}, {root / name for name in unsaved}, _run_folders(visible, root)
    )
    found: set[Path] = set()
    entered: set[Path] = {root / check.cwd}
    own = list(commands_of(check.command, root / check.cwd))
    for command in own:
        entered.add(command.folders[0])
        for place in _places(command, tree):
            found |= tree.files_at(place)
    found |= {root / name for name in scripts_of(check, root)}
    code = _code(visible, tree)
    found |= _led_to(check, own, found, code, tree)
    if not found:
        for folder in entered:
            if not any((folder / name).exists() for name in _MANIFESTS):
                found |= tree.files_at(folder)
    names = {place.relative_to(root) for place in found - tree.targets - code}
    return {name.as_posix() for name in names if not _NOT_OURS & set(name.parts)}


def _code(visible: Sequence[Check], tree: Tree) -> set[Path]:
    """What the visible checks run or compile: they could not do their work without it."""
    found = {tree.root / name for each in visible for name in scripts_of(each, tree.root)}
    for each in visible:
        followed = follow(each, tree.root)
        found |= followed.programs.keys()
        for command in followed.commands:
            if any(_LOOKS_AT_CODE.match(word) for word in command.words):
                found |= {place for place in _places(command, tree) if tree.is_file(place)}
    return found


def _run_folders(visible: Sequence[Check], root: Path) -> set[Path]:
    """Folders whose tests the visible checks run."""
    places = (
        (folder / word).resolve()
        for each in visible
        for command in follow(each, root).commands
        for word in run_by(command)
        for folder in command.folders
        if word and "\0" not in word
    )
    return {place for place in places if place != root and place.is_relative_to(root) and place.is_dir()}


def _led_to(check: Check, own: Sequence[Command], named: set[Path], code: set[Path], tree: Tree) -> set[Path]:
    """What scripts, goals and programs behind a hidden check name; without what lies beside the code that they test."""
    followed = follow(check, tree.root)
    beside = {place.parent for place in (*tree.targets, *code)}
    found: set[Path] = set(followed.programs)
    commands = [command for command in followed.commands if command not in own]
    for place, folders in followed.programs.items():
        if place in code:
            continue
        text = files_in(start_of(place).decode("utf-8", "replace"))
        for run in text.run:
            commands += [each for folder in folders for each in commands_of(run, folder)]
        for name in existing(sorted(text.read | text.embedded), (*folders, place.parent), tree.root):
            if (tree.root / name).parent not in beside and not SOURCE.search(name):
                found.add(tree.root / name)
    for command in commands:
        compiles = any(_LOOKS_AT_CODE.match(word) for word in command.words)
        for place in _places(command, tree):
            found |= {file for file in tree.files_at(place) if not (compiles and file.parent in beside)}
    return found - named


def all_names(names: Iterable[str], root: Path) -> set[str]:
    """The same files by all their names in the workspace: where links lead, hard links, and what Python compiled of them."""
    found = set(names)
    shared: set[tuple[int, int]] = set()
    for name in names:
        place = root / name
        try:
            real, status = place.resolve(), place.stat()
        except (OSError, RuntimeError):
            continue  # not on the disk yet
        if real.is_relative_to(root):
            found.add(real.relative_to(root).as_posix())
        if status.st_nlink > 1:
            shared.add((status.st_dev, status.st_ino))
    if shared:
        found |= {place.relative_to(root).as_posix() for place in _with_number(root, shared)}
    for name in [name for name in found if name.endswith(".py")]:
        compiled = (root / name).parent / "__pycache__"
        found |= {
            place.relative_to(root).as_posix()
            for place in compiled.glob(f"{escape(Path(name).stem)}.*.pyc")
            if place.is_file()
        }
    return found


def _with_number(root: Path, numbers: set[tuple[int, int]]) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in _NOT_OURS]
        for name in names:
            place = Path(folder, name)
            with contextlib.suppress(OSError):
                status = place.lstat()
                if (status.st_dev, status.st_ino) in numbers:
                    yield place


def _places(command: Command, tree: Tree) -> Iterator[Path]:
    """Existing places in the workspace that a simple command's words may mean."""
    words = [*command.words, *command.reads]
    if words[:1] == ["cd"]:
        return
    bases = [*command.folders]
    bases += [base / value for option, value in _options(words) if option in _LEADS_TO for base in command.folders]
    whole = not any(_LOOKS_AT_CODE.match(word) for word in words)
    tasks = any(_TASK_RUNNER.match(word) for word in words)
    values = {value for option, value in _options(words) if option in _LEADS_TO | _OF_THE_CODE} - {*run_by(command)}
    for word in words:
        if word in values or word.startswith(tuple(f"{option}=" for option in _LEADS_TO | _OF_THE_CODE)):
            continue
        for name in _meant_by(word):
            for base in bases:
                folders = whole and not (tasks and "/" not in word)
                yield from (place for place in tree.existing(base, name) if folders or tree.is_file(place))


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


@dataclass(frozen=True, slots=True)
class Tree:
    """The workspace as hidden checks may mean it: `root` with the files that are `unsaved`; `targets` stay in sight.

    So do the tests in `run` folders, where they are named more closely there than by the hidden check.
    """

    root: Path
    targets: set[Path]
    unsaved: set[Path]
    run: set[Path]

    def is_file(self, place: Path) -> bool:
        """Whether there is such a file, or will be."""
        return place in self.unsaved or place.is_file()

    def existing(self, base: Path, name: str) -> Iterator[Path]:
        """What a name may mean from a folder."""
        if not re.search(r"\w", name) or "\0" in name:  # nothing, or what only a run can tell
            return
        try:
            if re.search(r"[*?\[{]", name) and not name.startswith("/"):
                for each in _braces(name):
                    yield from (place.resolve() for place in base.glob(each))
                    yield from (place for place in self.unsaved if place.match(str(base / each)))
            place = (base / name).resolve()
            if place.is_relative_to(self.root) and (place.exists() or self._unsaved_at(place)):
                yield place
        except (OSError, ValueError, NotImplementedError, IndexError):  # no name, or no pattern
            return

    def _unsaved_at(self, place: Path) -> set[Path]:
        return {file for file in self.unsaved if file.is_relative_to(place)}

    def files_at(self, place: Path) -> set[Path]:
        """A file, or all files of a folder that holds no target; where a link leads within the workspace comes with it."""
        place = place.resolve()
        if not place.is_relative_to(self.root):
            return set()
        if self.is_file(place):
            return {place}
        if any(each.is_relative_to(place) for each in (self.root, *self.targets)):
            return set()
        found = self._unsaved_at(place)
        kept = {folder for folder in self.run if folder != place and folder.is_relative_to(place)}
        for folder, folders, names in os.walk(place):
            folders[:] = [name for name in folders if name not in _NOT_OURS and Path(folder, name) not in kept]
            files = [Path(folder, name) for name in names if Path(folder, name).is_file()]
            found |= {*files, *(file.resolve() for file in files if file.resolve().is_relative_to(self.root))}
            if len(found) > _MOST:
                return set()
        return found
