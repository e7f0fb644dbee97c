"""Which files of the workspace a check's command runs, through wrappers, variables and several commands (SPEC E10)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from compile_loop.checks.shell_text import Simple, read_shell
from compile_loop.contracts.checks import Check

_INTERPRETER = re.compile(
    r"(?:.*[/\\])?(?:python[\d.]*w?|py|pypy[\d.]*|(?:ba|da|z|k)?sh|node|ruby|perl|php|deno|bun|lua[\d.]*|tsx|ts-node|Rscript)(?:\.exe)?$"
)
_SHELL = re.compile(r"(?:.*/)?(?:ba|da|z|k)?sh$")
_PYTHON = re.compile(r"(?:.*[/\\])?(?:python[\d.]*w?|py|pypy[\d.]*)(?:\.exe)?$")
_RUNNER = re.compile(r"(?:.*/)?(?:pytest|py\.test)$|^unittest$")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
_START_UP = re.compile(r"(?:BASH_ENV|ENV|ZDOTDIR|PYTHONSTARTUP)=(.+)")
_BEFORE = re.compile(
    r"(?:[!{.]|if|then|elif|else|while|until|do|time|exec|command|builtin|env|nohup|nice|ionice|setsid|g?timeout|stdbuf|sudo|doas|"
    r"eval|xvfb-run|source|coverage|uv|poetry|pipenv|pdm|hatch|rye|run|npx|bunx)$"
)
"""What may stand before the command itself."""
_OWN_VALUE = frozenset({"-W", "-X", "-r", "--require", "--import", "--loader", "-I", "-Q"})
"""Options of interpreters that take the next word."""
_ONLY_LOOKS = frozenset({"--check", "-n", "-c", "-l", "-wc", "-cw", "--syntax-check", "--version", "-V"})
"""Options with which the interpreters other than Python and the shells' `-c` read a program and do not run it."""


def scripts_of(check: Check, root: Path) -> set[str]:
    """Workspace-relative paths of the files that a check runs, as programs, by an interpreter or as tests."""
    found: set[str] = set()
    for command in commands_of(check.command, root / check.cwd):
        found |= _inside(run_by(command), command.folders, root)
    return found


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command, as it stands in the text, and the folders that its paths may start from."""

    said: Simple
    folders: tuple[Path, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """Its words, the variables before it and wrappers included."""
        return self.said.words

    @property
    def reads(self) -> tuple[str, ...]:
        """The files that it reads by redirection."""
        return self.said.reads

    @property
    def bare(self) -> list[str]:
        """Its words from the command itself on; a wrapper's options, numbers and variables go with it."""
        return without_what_stands_before(self.words)


def commands_of(
    command: str | Sequence[str], folder: Path, arguments: Sequence[str] = (), place: str = ""
) -> Iterator[Command]:
    """The simple commands of a line, script or vector, with those that are handed to a shell as text.

    `arguments` and `place` are a script's `$1` and on, and `$0`.
    """
    folders = [folder]
    for said in read_shell(command, arguments, place) if isinstance(command, str) else [Simple(tuple(command))]:
        bare = without_what_stands_before(said.words)
        if bare[:1] in (["cd"], ["pushd"]) and len(bare) > 1:
            folders.append(folders[-1] / bare[-1])
        paths = [w.split("=", 1)[1] for w in said.words if w.startswith("PYTHONPATH=")]
        extra = [folders[-1] / part for path in paths for part in path.split(":") if part]
        yield Command(said, (*dict.fromkeys([folders[-1], folder, *extra]),))
        for text in _handed_over(said.words):
            yield from commands_of(text, folders[-1])


def _handed_over(words: Sequence[str]) -> Iterator[str]:
    """The texts that a shell is given as its program: `sh -c "…"`, `eval "…"`."""
    for at, word in enumerate(words):
        if _SHELL.match(word):
            for option, text in zip(words[at + 1 :], words[at + 2 :], strict=False):
                if not option.startswith("-"):
                    break
                if re.match(r"-\w*c$", option):
                    yield text
                    break
        elif word == "eval":
            yield " ".join(words[at + 1 :])


def without_what_stands_before(words: Sequence[str]) -> list[str]:
    """The words from the command itself on; a wrapper's options, numbers and variables go with it."""
    rest = list(words)
    wrapped = False
    while rest and (
        _BEFORE.match(rest[0])
        or _ASSIGNED.match(rest[0])
        or (wrapped and re.match(r"-|\d+(?:\.\d+)?[smhd]?$|[KTI]\w+$", rest[0]))
    ):
        wrapped = True
        rest.pop(0)
    return rest


def sourced_by(command: Command) -> Iterator[str]:
    """The words that name what a shell takes as part of its own program: `. FILE`, `source FILE`, `BASH_ENV=FILE`."""
    for word, following in pairwise([*command.words, ""]):
        if made := _START_UP.match(word):
            yield made.group(1)
        elif word in (".", "source"):
            yield following
            return
        elif not (_BEFORE.match(word) or _ASSIGNED.match(word)):
            return


def run_by(command: Command) -> list[str]:
    """The words that name what a simple command runs; a module `a.b` is named by the files it may lie in."""
    words = list(command.words)
    named = without_what_stands_before(words)[:1]
    for at, word in enumerate(words):
        if _INTERPRETER.match(word):
            return [*named, *_program(word, words[at + 1 :], command.reads)]
    at_runner = next((at for at, word in enumerate(words) if _RUNNER.match(word)), None)
    return named if at_runner is None else [*named, *_tests(words[at_runner + 1 :])]


def _program(interpreter: str, arguments: Sequence[str], reads: Sequence[str]) -> list[str]:
    python, shell = _PYTHON.match(interpreter) is not None, _SHELL.match(interpreter) is not None
    tests = False
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if python and (word == "-m" or re.match(r"-[bBdEhiIOqsSuvx]*m$", word)):
            return _module(rest)
        if (python or shell) and re.match(r"-\w*c$", word):
            return []
        if (shell and word == "-n") or (not python and not shell and word in _ONLY_LOOKS):
            return []
        if word in ("-e", "--eval", "-p", "--print") and not shell:
            return []
        tests = tests or word == "--test"
        if word in _OWN_VALUE and rest:
            rest.pop(0)
        elif not word.startswith("-") and word not in ("run", "test"):
            return [word, *(w for w in rest if not w.startswith("-"))] if tests else [word]
    return list(reads)


def _module(words: Sequence[str]) -> list[str]:
    if not words:
        return []
    if _RUNNER.match(words[0]):
        return _tests(words[1:])
    if words[0] == "coverage":
        rest = [word for word in words[1:] if word not in ("run",)]
        return _module(rest[1:]) if rest[:1] == ["-m"] else [word for word in rest if not word.startswith("-")][:1]
    return _files_of(words[0])


def _tests(words: Sequence[str]) -> list[str]:
    """The files that a test runner is pointed at. With doctests they are the code itself."""
    if any("doctest" in word for word in words):
        return []
    plain = [word.split("::")[0] for word in words if not word.startswith("-")]
    parts = [".".join(word.split(".")[:n]) for word in plain for n in range(1, word.count(".") + 2)]
    return [*plain, *(f"{part.replace('.', '/')}.py" for part in parts if re.fullmatch(r"[\w.]+", part))]


def _files_of(module: str) -> list[str]:
    place = module.replace(".", "/")
    return [f"{place}.py", f"{place}/__main__.py", f"{place}/__init__.py"]


def _inside(words: Sequence[str], folders: Sequence[Path], root: Path) -> set[str]:
    places = {(folder / word).resolve() for word in words for folder in folders if word and "\0" not in word}
    return {place.relative_to(root).as_posix() for place in places if place.is_relative_to(root) and place.is_file()}
