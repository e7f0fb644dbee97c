"""Data that decides whether the code is right, since a check compares with it or feeds it to a program (SPEC K6).

A file of a known programming language is none: it is what is compiled. Nor is one that the check itself writes. Where it
cannot be told from the commands which of two files is the program's own output, their names tell; else what version
control keeps, or what no source names, is held to be the expectation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.checks.compared import (
    EXPECTED,
    PRODUCED,
    expected_by_options,
    given_to_programs,
    held_against,
    plain_words,
    written_by,
)
from compile_loop.checks.followed import Followed, follow
from compile_loop.checks.named_paths import existing, files_in_folder, named, start_of
from compile_loop.checks.protected import is_protected
from compile_loop.checks.read_by_code import files_in
from compile_loop.checks.scripts import Command
from compile_loop.checks.version_control import VersionControl
from compile_loop.contracts.checks import Check

SOURCE = re.compile(
    r"\.(?:[cChHsSmM]|cc|cpp|cxx|c\+\+|hh|hpp|hxx|inl|ipp|tcc|cu|mm|rs|go|py[iwx]?|[cm]?[jt]sx?|vue|svelte|astro|java|kts?|scala|groovy|hs|lhs|"
    r"ml[ily]?|fsx?|vb|cs|php|rb|p[lm]|lua|zig|swift|dart|exs?|erl|hrl|cljs?|jl|nim|d|pas|f(?:90|95|03)?|asm|sh|bash|zsh|sql|proto|graphql|"
    r"css|scss|less|tex|v|sv|vhdl?|r|R|y|l|g4|cmake|mk|ipynb)$"
)
"""Files that are compiled, run or built: what a run is there to repair."""
SURE_NAME = re.compile(
    r"(?:^|[/._-])(?:expect(?:ed|ation)?s?|wanted|want|golden|reference|answers?|approved|snapshots?)(?=$|[/._-]|\d)",
    re.IGNORECASE,
)
_CHECK_PROGRAM = re.compile(
    r"(?:^|[/._-])(?:check|verify|validate|compare|test|tests|expect|assert|judge|grade)\w*\.", re.IGNORECASE
)
_MOST_SOURCES = 400


@dataclass
class Expectations:
    """What checks hold the code against, relative to the workspace.

    `certain` is that beyond doubt; `unsure` may also be what a program writes; `programs` are programs of theirs that
    only a script or a recipe runs; `produced` is what checks themselves write.
    """

    certain: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    programs: set[str] = field(default_factory=set)
    produced: set[str] = field(default_factory=set)


def expectations_of(checks: Iterable[Check], root: Path) -> Expectations:
    """What the checks compare with and read in, by the texts of all that they come to run. Nothing is run."""
    found = Expectations()
    for check in checks:
        _Reading(root, found).take(follow(check, root))
    found.certain -= found.produced
    found.unsure -= found.produced | found.certain
    return found


class Doubt:
    """Whether a file that may be a program's own output is an expectation after all."""

    def __init__(self, root: Path, of_checks: Collection[str] = ()) -> None:
        """`of_checks` are programs of checks: that one of them names a file says nothing of who writes it."""
        self._root = root
        self._of_checks = of_checks
        self._version_control = VersionControl(root)
        self._sources: list[bytes] | None = None

    def is_expectation(self, path: str) -> bool:
        """Version control keeps it, or no source nearby names it: then no program of the workspace writes it."""
        return self._version_control.keeps(path) or not any(
            path.rpartition("/")[2].encode() in text for text in self._texts()
        )

    def _texts(self) -> list[bytes]:
        if self._sources is None:
            self._sources = []
            for folder in (self._root, *(self._root / name for name in ("src", "lib", "app"))):
                for place in files_in_folder(folder)[:_MOST_SOURCES]:
                    path = place.relative_to(self._root).as_posix()
                    if SOURCE.search(path) and not is_protected(path) and path not in self._of_checks:
                        self._sources.append(start_of(place))
        return self._sources


class _Reading:
    """Takes what one check leads to."""

    def __init__(self, root: Path, found: Expectations) -> None:
        self._root = root
        self._found = found

    def take(self, followed: Followed) -> None:
        for command in followed.commands:
            if not command.said.maybe:
                written = list(written_by(command))
                self._found.produced |= self._paths(written, command.folders)
                self._found.produced |= named(written, command.folders[:1], self._root)
        worked_on = {
            path
            for command in followed.commands
            if held_against(command) is None
            for path in self._paths(plain_words(command), command.folders)
        }
        for command in followed.commands:
            self._command(command, worked_on)
        for program, folders in followed.programs.items():
            self._program(program, folders, decides=_CHECK_PROGRAM.search(program.name) is not None)

    def _command(self, command: Command, worked_on: set[str]) -> None:
        if (held := held_against(command)) is not None:
            twice = self._paths(held.twice, command.folders)
            sides = self._paths(held.words, command.folders)
            files = {
                path
                for path in sides - twice - self._found.produced
                if not SOURCE.search(path) or (EXPECTED.search(path) and path not in worked_on)
            }
            self._sort(files, held.by_program or not sides.isdisjoint(self._found.produced), len(held.words))
        given = self._paths(given_to_programs(command), command.folders)
        self._found.certain |= {path for path in given if not SOURCE.search(path) and not is_product(path)}
        sure = self._paths(expected_by_options(command), command.folders)
        by_name = self._paths(filter(SURE_NAME.search, plain_words(command)), command.folders)
        self._found.certain |= {path for path in sure | by_name if not SOURCE.search(path)}

    def _sort(self, files: set[str], by_program: bool, sides: int) -> None:
        if by_program:
            self._found.certain |= files
            return
        expected = {path for path in files if EXPECTED.search(path)}
        products = {path for path in files if is_product(path)}
        if expected:
            self._found.certain |= expected
        elif sides > 1:
            self._found.unsure |= files - products

    def _program(self, program: Path, folders: Sequence[Path], *, decides: bool) -> None:
        """A program that is not compiled, such as a script in Python: what it reads by name."""
        path = program.relative_to(self._root).as_posix()
        if decides:
            self._found.programs.add(path)
        said = files_in(start_of(program).decode("utf-8", "replace"))
        places = (program.parent, *folders, self._root)
        written = self._paths(said.written, places)
        self._found.produced |= {each for each in written if not EXPECTED.search(each)}
        read = {each for each in self._paths(said.read | said.embedded, places) - written if not SOURCE.search(each)}
        self._found.certain |= {each for each in read if SURE_NAME.search(each)}
        if decides:
            self._found.unsure |= {each for each in read if not is_product(each)}
            for line in said.run:
                for command in follow(Check("", line), folders[0] if folders else self._root).commands:
                    self._command(command, set())

    def _paths(self, words: Iterable[str], folders: Sequence[Path]) -> set[str]:
        return existing(words, folders, self._root)


def is_product(path: str) -> bool:
    """Whether a file's name says that it is what a program wrote."""
    return PRODUCED.search(path.rpartition("/")[2]) is not None and SURE_NAME.search(path) is None
