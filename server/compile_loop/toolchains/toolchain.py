"""What one toolchain says about itself: data, and two small functions for detection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.contracts.checks import Check, Unrun
from compile_loop.toolchains.advice import Adviser
from compile_loop.toolchains.json_documents import JsonShape
from compile_loop.toolchains.language_server.servers import LanguageServer
from compile_loop.toolchains.reader import Reader


@dataclass(frozen=True, slots=True)
class Program:
    """A program to look for on PATH, and how to get it: the Debian package's name, or a short sentence."""

    name: str
    package: str


@dataclass(frozen=True, slots=True)
class Toolchain:
    """One toolchain.

    `readers` read its text, `shapes` its JSON. `endings` are file name endings of its sources, with the dot, in lower
    case; `interpreters` are programs that a `#!` line may name instead. `order` sorts readers and manifests: lower comes
    first. `notice` is given a directory and the workspace root, both absolute, and gives the check of a manifest in that
    directory, if it holds one; `builds` are the endings, or whole names, of files for which such a manifest counts.
    `compile` is given files of this language and the root, and gives a check of just these files; `recheck` does the
    same for a tool that checks files of others' languages, and is taken only where a finding of its own is to be
    reproduced. `advise` asks the
    tool for fixes that its output does not hold; the first of `servers` that the user has is asked where that gave none.
    `tests` is given the same, and gives the tests of these files that a check which only compiles leaves out;
    `only_compiles`: the checks of this toolchain are of that kind.
    `sources` are what editors call its findings, where that is not its own
    name. `environment` are
    variables that make the tool say more for a program to read, whoever calls it.
    """

    name: str
    readers: tuple[type[Reader], ...] = ()
    shapes: tuple[type[JsonShape], ...] = ()
    programs: tuple[Program, ...] = ()
    endings: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()
    order: int = 50
    notice: Callable[[Path, Path], Check | None] | None = None
    compile: Callable[[Sequence[Path], Path], Check | None] | None = None
    recheck: Callable[[Sequence[Path], Path], Check | None] | None = None
    tests: Callable[[Sequence[Path], Path], Unrun | None] | None = None
    only_compiles: bool = False
    sources: tuple[str, ...] = ()
    advise: Adviser | None = None
    servers: tuple[LanguageServer, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
