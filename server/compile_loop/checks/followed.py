"""All that a check comes to run: its own commands, those of scripts, Makefile goals and package scripts (SPEC E10, K6).

Nothing is run. What only a run can tell (a name that a program makes up) is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.checks.build_goals import MAKE, MANAGER, made_by, packaged
from compile_loop.checks.named_paths import start_of
from compile_loop.checks.scripts import Command, commands_of, run_by, sourced_by
from compile_loop.contracts.checks import Check

_SHELL_SCRIPT = re.compile(r"\.(?:sh|bash|zsh|ksh|bats)$")
_SHEBANG = re.compile(rb"#!.*\b(?:ba|da|z|k)?sh\b")
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
        if MAKE.match(bare[0]):
            self._make(bare[1:], command.folders)
        elif MANAGER.match(bare[0]):
            self._package(bare[1:], command.folders)
        for path in self._existing(run_by(command), command.folders):
            if is_shell_script(path):
                rest = next((bare[at + 1 :] for at, word in enumerate(bare) if word.endswith(path.name)), [])
                self._script(path, command.folders[0], rest)
            else:
                self._found.programs.setdefault(path, command.folders)

    def _script(self, path: Path, folder: Path, arguments: Sequence[str]) -> None:
        self._found.texts.append(path)
        self.line(text_of(path), folder, arguments, str(path))

    def _existing(self, words: Sequence[str], folders: Sequence[Path]) -> Iterator[Path]:
        for word in words:
            for folder in folders:
                place = (folder / word).resolve() if word and "\0" not in word else self._root
                if place.is_relative_to(self._root) and place.is_file():
                    yield place
                    break

    def _make(self, words: Sequence[str], folders: Sequence[Path]) -> None:
        made = made_by(words, folders[0], self._root)
        if made is not None:
            self._found.texts += made.makefile.files
            for recipe in made.makefile.recipes(made.goals):
                self.line(recipe, made.folder)
            places = (made.folder, *made.searched)
            self._found.read_in += [ReadIn(word, places, may) for word, may in made.makefile.includes]

    def _package(self, words: Sequence[str], folders: Sequence[Path]) -> None:
        if (run := packaged(words, folders[0], self._root)) is not None:
            self._found.texts.append(run.folder / "package.json")
            for line in run.lines:
                self.line(line, run.folder)


def is_shell_script(path: Path) -> bool:
    """Whether a file is a shell's program, by its name or its first line."""
    return bool(_SHELL_SCRIPT.search(path.name) or _SHEBANG.match(start_of(path, 80)))


def text_of(path: Path) -> str:
    """The start of a file as text, its ends of lines as a shell wants them."""
    return start_of(path).decode("utf-8", "replace").replace("\r\n", "\n")
