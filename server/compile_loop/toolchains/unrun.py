"""Tests that lie beside a file, where the check that was found only compiles it: named with a command that runs them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.toolchains.sources import SKIPPED

_RUNS_TESTS = re.compile(r"(?:^|\s|/)(?:py\.?test|unittest|test|--test\S*)(?:\s|$)")
_PLACES = ("tests", "test", "__tests__")
_MOST = 500


def runs_tests(check: Check) -> bool:
    """Whether a check's command says that it runs tests."""
    return _RUNS_TESTS.search(check.line) is not None


def tests_of(file: Path, root: Path, is_its: Callable[[Path], bool]) -> list[Path]:
    """The files beside `file`, or in a folder of tests beside it or above, that `is_its` takes for tests of it."""
    found: list[Path] = []
    for directory in file.parents:
        if directory != root and root not in directory.parents:
            break
        beside = _files(directory) if directory == file.parent else iter(())
        below = (path for place in _PLACES for path in _below(directory / place))
        found += [path for path in (*beside, *below) if path != file and is_its(path)]
        if directory == root:
            break
    return list(dict.fromkeys(found))


def shown(files: Sequence[Path], root: Path) -> tuple[str, ...]:
    """The files as the user knows them."""
    return tuple(file.relative_to(root).as_posix() for file in files)


def inside(directory: Path, root: Path, line: str) -> str:
    """A shell line that runs in a directory of the workspace."""
    return line if directory == root else f"cd '{directory.relative_to(root).as_posix()}' && {line}"


def _files(directory: Path) -> Iterator[Path]:
    try:
        yield from islice((path for path in sorted(directory.iterdir()) if path.is_file()), _MOST)
    except OSError:
        return


def _below(directory: Path, depth: int = 3) -> Iterator[Path]:
    yield from _files(directory)
    try:
        folders = [path for path in sorted(directory.iterdir()) if path.is_dir() and path.name not in SKIPPED]
    except OSError:
        return
    for folder in folders[:_MOST] if depth else ():
        yield from _below(folder, depth - 1)
