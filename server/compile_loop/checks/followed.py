"""All that a check comes to run: its own commands, those of scripts, Makefile goals and package scripts (SPEC E10, K6).

Nothing is run. What only a run can tell (a name that a program makes up) is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.checks.makefile import NAMES, Makefile
from compile_loop.checks.named_paths import start_of
from compile_loop.checks.scripts import Command, commands_of, run_by, sourced_by
from compile_loop.contracts.checks import Check
from compile_loop.toolchains.manifest import json_of

_SHELL_SCRIPT = re.compile(r"\.(?:sh|bash|zsh|ksh|bats)$")
_SHEBANG = re.compile(rb"#!.*\b(?:ba|da|z|k)?sh\b")
_MAKE = re.compile(r"(?:.*/)?g?n?make$")
_MANAGER = re.compile(r"(?:.*/)?(?:npm|pnpm|yarn|bun)$")
_MANAGERS_OWN = frozenset(
    {"install", "ci", "i", "add", "exec", "dlx", "x", "init", "create", "publish", "audit", "outdated"}
)
_MOST_TEXTS = 200


@dataclass(frozen=True, slots=True)
class ReadIn:
    """A word for what is taken as part of a Makefile or of a shell's program, there or not; it starts from `folders`.

    `optional`: nothing fails without it.
    """

    word: str
    folders: tuple[Path, ...]
    optional: bool


@dataclass
class Followed:
    """What a check leads to: `commands` of all texts, and the `programs` of the workspace that an interpreter runs.

    `direct` are those that the check's own line names. Paths are absolute.
    """

    commands: list[Command] = field(default_factory=list)
    programs: dict[Path, tuple[Path, ...]] = field(default_factory=dict)
    """Each with the folders that its own paths may start from."""
    read_in: list[ReadIn] = field(default_factory=list)
    texts: list[Path] = field(default_factory=list)
    """The shell scripts, Makefiles and package files that were followed."""


def follow(check: Check, root: Path) -> Followed:
    """All commands that a check leads to, by their texts."""
    found = Followed()
    _Follower(root, found).line(check.command, root / check.cwd)
    return found


class _Follower:
    def __init__(self, root: Path, found: Followed) -> None:
        self._root = root
        self._found = found
        self._seen: set[tuple[object, ...]] = set()

    def line(self, text: str | Sequence[str], folder: Path, arguments: Sequence[str] = (), place: str = "") -> None:
        """Take a text's commands, and what they lead to."""
        key = (text if isinstance(text, str) else tuple(text), folder, tuple(arguments))
        if key in self._seen or len(self._seen) >= _MOST_TEXTS:
            return
        self._seen.add(key)
        for command in commands_of(text, folder, arguments, place):
            self._found.commands.append(command)
            self._onward(command)

    def _onward(self, command: Command) -> None:
        for word in sourced_by(command):
            self._found.read_in.append(ReadIn(word, command.folders, True))
            for path in self._existing([word], command.folders):
                self._script(path, command.folders[0], ())
        bare = command.bare
        if not bare:
            return
        if _MAKE.match(bare[0]):
            self._make(bare[1:], command.folders)
        elif _MANAGER.match(bare[0]):
            self._package(bare[1:], command.folders)
        for path in self._existing(run_by(command), command.folders):
            if self._is_shell(path):
                rest = next((bare[at + 1 :] for at, word in enumerate(bare) if word.endswith(path.name)), [])
                self._script(path, command.folders[0], rest)
            else:
                self._found.programs.setdefault(path, command.folders)

    def _script(self, path: Path, folder: Path, arguments: Sequence[str]) -> None:
        self._found.texts.append(path)
        self.line(_text(path), folder, arguments, str(path))

    def _existing(self, words: Sequence[str], folders: Sequence[Path]) -> Iterator[Path]:
        for word in words:
            for folder in folders:
                place = (folder / word).resolve() if word and "\0" not in word else self._root
                if place.is_relative_to(self._root) and place.is_file():
                    yield place
                    break

    def _is_shell(self, path: Path) -> bool:
        return bool(_SHELL_SCRIPT.search(path.name) or _SHEBANG.match(start_of(path, 80)))

    def _make(self, words: Sequence[str], folders: Sequence[Path]) -> None:
        folder, named, goals, given = folders[0], "", [], {}
        searched: list[Path] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word in ("-C", "--directory", "-f", "--file", "--makefile") and rest:
                value = rest.pop(0)
                folder, named = (folder / value, named) if word in ("-C", "--directory") else (folder, value)
            elif made := re.match(r"(?:-C|--directory=)(.+)", word):
                folder = folder / made.group(1)
            elif made := re.match(r"(?:-f|--file=|--makefile=)(.+)", word):
                named = made.group(1)
            elif made := re.match(r"(\w+):?=(.*)", word):
                given[made.group(1)] = made.group(2)
            elif word in ("-I", "--include-dir") and rest:
                searched.append(folder / rest.pop(0))
            elif made := re.match(r"(?:-I|--include-dir=)(.+)", word):
                searched.append(folder / made.group(1))
            elif word in ("-j", "-l", "-o", "-W") and rest and (rest[0].isdigit() or word in ("-o", "-W")):
                rest.pop(0)
            elif not word.startswith("-"):
                goals.append(word)
        path = folder / named if named else next((folder / name for name in NAMES if (folder / name).is_file()), None)
        if path is not None and path.resolve().is_relative_to(self._root):
            makefile = Makefile(path, given, folder)
            self._found.texts += makefile.files
            for recipe in makefile.recipes(goals):
                self.line(recipe, folder)
            self._found.read_in += [ReadIn(word, (folder, *searched), may) for word, may in makefile.includes]

    def _package(self, words: Sequence[str], folders: Sequence[Path]) -> None:
        folder, plain = folders[0], []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word in ("--prefix", "-C", "--dir", "--cwd") and rest:
                folder = folder / rest.pop(0)
            elif word == "--":
                break
            elif not word.startswith("-"):
                plain.append(word)
        name = plain[1] if plain[:1] in (["run"], ["run-script"]) and len(plain) > 1 else (plain or [""])[0]
        name = "test" if name in ("t", "tst") else name
        if not name or name in _MANAGERS_OWN:
            return
        for above in (folder, *folder.parents):
            if not above.is_relative_to(self._root):
                return
            if (above / "package.json").is_file():
                self._found.texts.append(above / "package.json")
                scripts = json_of(above / "package.json").get("scripts")
                for each in (f"pre{name}", name, f"post{name}"):
                    if isinstance(scripts, dict) and isinstance(line := scripts.get(each), str):
                        self.line(line, above)
                return


def _text(path: Path) -> str:
    return start_of(path).decode("utf-8", "replace").replace("\r\n", "\n")
