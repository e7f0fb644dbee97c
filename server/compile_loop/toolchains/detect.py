"""Which check is meant when nobody named one (SPEC D1): the nearest manifest upward, else a compile of the files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.toolchains.plain_files import data_of
from compile_loop.toolchains.registry import toolchains
from compile_loop.toolchains.sources import SKIPPED
from compile_loop.toolchains.task_check import default_task
from compile_loop.toolchains.tasks import TaskError
from compile_loop.toolchains.toolchain import Toolchain
from compile_loop.toolchains.unrun import runs_tests

_SHEBANG = re.compile(rb"^#!\s*(?:\S*/env\s+(?:-S\s+)?)?(?:\S*/)?(?P<name>[A-Za-z]+)[\d.]*")
_DEPTH = 4
_MOST_DIRECTORIES = 200
_MOST_FILES = 200


@dataclass(frozen=True, slots=True)
class Proposal:
    """A check that suits the files, and the toolchain whose it is; `check.reason` says why."""

    check: Check
    toolchain: str


def detect(root: Path, targets: Sequence[Path]) -> list[Proposal]:
    """The checks that together cover `targets`, most of them covered first.

    `root` is the workspace; targets are files in it, absolute or relative to it. Files of one package share its check,
    files without a manifest share one compile for each language. Without targets the workspace's own manifests are
    taken: the root's, else those nearest below it, else all sources that lie there loose. Nothing known: an empty list.
    A default build task of `.vscode/tasks.json` goes before all of these, if it needs no answers.
    """
    root = root.absolute()
    if (check := _build_task(root, targets)) is not None:
        return [Proposal(check, "tasks.json")]
    return [_with_unrun(proposal, root, [root / target for target in targets]) for proposal in _detect(root, targets)]


def _with_unrun(proposal: Proposal, root: Path, files: Sequence[Path]) -> Proposal:
    """The proposal, with the tests of the files that it leaves out."""
    by_name = {toolchain.name: toolchain for toolchain in toolchains()}
    if not by_name[proposal.toolchain].only_compiles or runs_tests(proposal.check):
        return proposal
    for toolchain in toolchains():
        theirs = [file for file in files if file.suffix.lower() in toolchain.endings]
        if toolchain.tests and theirs and (unrun := toolchain.tests(theirs, root)) is not None:
            return replace(proposal, check=replace(proposal.check, unrun=unrun))
    return proposal


def _build_task(root: Path, targets: Sequence[Path]) -> Check | None:
    try:
        task = default_task(root, targets)
        return task.check() if task else None
    except TaskError:
        return None


def _detect(root: Path, targets: Sequence[Path]) -> list[Proposal]:
    if not targets:
        return _whole(root)
    covered: dict[Check | str, tuple[Proposal, int]] = {}
    alone: dict[str, tuple[Toolchain, list[Path]]] = {}
    for target in targets:
        path = root / target
        if (found := _nearest(path, root)) is not None:
            toolchain, check = found
            key = f"{check.command} {check.cwd}"
            covered[key] = (Proposal(check, toolchain.name), covered.get(key, (None, 0))[1] + 1)
        elif (language := _language(path)) is not None:
            alone.setdefault(language.name, (language, []))[1].append(path)
    proposals = [(proposal, count) for proposal, count in covered.values()]
    for toolchain, files in alone.values():
        proposals += [(Proposal(check, toolchain.name), len(files)) for check in _compiles(toolchain, files, root)]
    return [proposal for proposal, _ in sorted(proposals, key=lambda pair: -pair[1])]


def candidates(root: Path, target: Path) -> list[Proposal]:
    """Every check that suits a file, for a person to choose from: nearest manifests first, then the file by itself."""
    root = root.absolute()
    path = root / target
    found: list[Proposal] = []
    for directory in path.parents:
        if directory != root and root not in directory.parents:
            break
        found += [Proposal(check, one.name) for one, check in _manifests(directory, root) if _builds(one, path)]
    if (language := _language(path)) is not None:
        found += [Proposal(check, language.name) for check in _compiles(language, [path], root)]
    found += [
        Proposal(check, toolchain.name)
        for toolchain in toolchains()
        if toolchain.recheck and _builds(toolchain, path) and (check := toolchain.recheck([path], root))
    ]
    return list({f"{one.check.command} {one.check.cwd}": one for one in reversed(found)}.values())[::-1]


def check_of_source(source: str, root: Path, targets: Sequence[Path]) -> Proposal | None:
    """The check that reproduces findings that an editor shows under `source` (SPEC Q1): `eslint`, `Pylance`, `rustc`."""
    root = root.absolute()
    wanted = source.strip().lower().replace("-language-server", "")
    files = [root / target for target in targets]
    for toolchain in toolchains():
        if wanted not in {toolchain.name, *toolchain.sources, *(reader.source for reader in toolchain.readers)}:
            continue
        for file in files:
            for directory in file.parents:
                if directory != root and root not in directory.parents:
                    break
                if toolchain.notice and _builds(toolchain, file) and (check := toolchain.notice(directory, root)):
                    return Proposal(check, toolchain.name)
        theirs = [file for file in files if _builds(toolchain, file)]
        if toolchain.recheck and (check := toolchain.recheck(theirs, root)):
            return Proposal(check, toolchain.name)
        ours = [file for file in files if file.suffix.lower() in toolchain.endings]
        if toolchain.compile and (check := toolchain.compile(ours, root)):
            return Proposal(check, toolchain.name)
    return None


def _whole(root: Path) -> list[Proposal]:
    """The checks of a workspace of which no file was named."""
    level, files = [root], list[Path]()
    for _ in range(_DEPTH):
        found = [next(_manifests(directory, root), None) for directory in level]
        if proposals := [Proposal(check, toolchain.name) for toolchain, check in filter(None, found)]:
            return proposals
        below = sorted(path for directory in level for path in _entries(directory))
        files += [path for path in below if path.is_file() and _language(path)]
        level = [path for path in below if path.is_dir() and path.name not in SKIPPED][:_MOST_DIRECTORIES]
    return _detect(root, files[:_MOST_FILES]) if files else []


def _entries(directory: Path) -> list[Path]:
    try:
        return [path for path in directory.iterdir() if not path.name.startswith(".") and not path.is_symlink()]
    except OSError:
        return []


def _manifests(directory: Path, root: Path) -> Iterator[tuple[Toolchain, Check]]:
    for toolchain in toolchains():
        if toolchain.notice and (check := toolchain.notice(directory, root)):
            yield toolchain, check


def _nearest(path: Path, root: Path) -> tuple[Toolchain, Check] | None:
    """The manifest nearest above a file that builds files like it."""
    for directory in path.parents:
        if directory != root and root not in directory.parents:
            return None
        for toolchain, check in _manifests(directory, root):
            if _builds(toolchain, path):
                return toolchain, check
    return None


def _builds(toolchain: Toolchain, path: Path) -> bool:
    """Whether the toolchain's manifests count for a file."""
    return path.suffix.lower() in toolchain.builds or path.name in toolchain.builds


def _language(path: Path) -> Toolchain | None:
    ending = path.suffix.lower()
    if ending:
        return next((one for one in toolchains() if one.compile and ending in one.endings), None)
    name = _interpreter(path)
    return next((one for one in toolchains() if one.compile and name in one.interpreters), None) if name else None


def _interpreter(path: Path) -> str | None:
    """The program that a script without an ending names in its first line."""
    try:
        found = _SHEBANG.match(data_of(path, start=200))
    except OSError:
        return None
    return found["name"].decode() if found else None


def _compiles(toolchain: Toolchain, files: Sequence[Path], root: Path) -> Iterator[Check]:
    if toolchain.compile is None:
        return
    check = toolchain.compile(files, root)
    if check is not None:
        yield check
        return
    for file in files if len(files) > 1 else ():
        if (check := toolchain.compile([file], root)) is not None:
            yield check
