"""What decides about green one step or more behind the check: what its configuration and its own programs take in (SPEC K6).

Includes of Makefiles and shell scripts, bases, plugins and set-up files of configuration, files of options, and modules of
programs that look at the code. A module is the code under test, and none of the check's, where the user named it, where
the check names it or its folder as what it looks at, or where the check calls the code instead of looking at it. Nothing is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from pathlib import Path

from compile_loop.checks.configuration_links import is_linking, links_of
from compile_loop.checks.expectations import SOURCE
from compile_loop.checks.followed import Followed, follow
from compile_loop.checks.holding import holds_against
from compile_loop.checks.modules import ENDINGS, find, imported_words, is_program
from compile_loop.checks.named_paths import existing, named, start_of
from compile_loop.checks.options import files_of_options, modules_of_options
from compile_loop.checks.protected import is_protected
from compile_loop.checks.tools_make import is_nobodys
from compile_loop.contracts.checks import Check

_SUFFIXES = (
    "",
    ".json",
    *ENDINGS["script"][1:8],
    ".py",
    "/tsconfig.json",
    "/index.js",
    "/__init__.py",
    ".yml",
    ".yaml",
    ".rs",
    "/mod.rs",
)
_CODE = re.compile(r"\.(?:[cm]?[jt]sx?|py)$")
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
"""What a bare word means only as the name of a package."""
_STRING = re.compile(r"\"([^\"\n\\]{1,200})\"|'([^'\n\\]{1,200})'|`([^`\n\\$]{1,200})`")
_PLACES = re.compile(
    r"\b(?:require(?:\.resolve)?|import|import_module|__import__)\s*\(\s*[\"'][^\"'\n]*[\"']|\bsys\.path[^\n]*|\bchdir\b[^\n]*|"
    r"\b(?:PYTHON|NODE_)PATH\b[^\n]*|^[ \t]*(?:from|import|use|require_relative)\b[^\n;]*|\bfrom\s*[\"'][^\"'\n]*[\"']",
    re.MULTILINE,
)
"""What names modules, and folders where they are looked for."""
_MOST_FILES = 20_000
_MOST_STEPS = 400
_MOST_PROGRAMS = 400


@dataclass
class LedTo:
    """Files that a check is led to, relative to the workspace.

    `texts` are the shell scripts and Makefiles of checks, `programs` what an interpreter runs for them, `protected` all files
    that are protected by their names, `sources` all other ones of programming languages.
    `helpers` are modules that tests and programs of checks take in, and no other code does, to hold the code against what is
    right. `awaited` are paths where it would find one, with whether it does without; `patterns` match such paths.
    """

    files: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    programs: set[str] = field(default_factory=set)
    protected: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    helpers: set[str] = field(default_factory=set)
    awaited: dict[str, bool] = field(default_factory=dict)
    patterns: list[re.Pattern[str]] = field(default_factory=list)

    def awaits(self, path: str) -> bool | None:
        """Whether a new file of this path would be taken in: True for sure, False where it may be what is missing."""
        if any(pattern.match(path) for pattern in self.patterns):
            return True
        return self.awaited.get(path)


def led_to(checks: Iterable[Check], root: Path) -> LedTo:
    """What the checks are led to, by the texts of all that they run and of the workspace's configuration."""
    found = LedTo()
    reading = _Reading(root, found)
    for check in checks:
        reading.check(follow(check, root))
    reading.configuration()
    return found


class _Reading:
    def __init__(self, root: Path, found: LedTo) -> None:
        self._root = root
        self._found = found
        self._steps = 0

    def check(self, followed: Followed) -> None:
        for read in followed.read_in:
            self._read_in(read.word, read.folders, optional=read.optional)
        for command in followed.commands:
            for word in files_of_options(command):
                if (path := find(word, command.folders, self._root, ("", ".json", ".js"))) is not None:
                    self._take(path, path)
            for module in modules_of_options(command):
                self._plugin(module, command.folders)
        self._found.texts |= {
            place.relative_to(self._root).as_posix() for place in followed.texts if place.is_relative_to(self._root)
        }
        for program, folders in followed.programs.items():
            self._program(program, folders, followed)

    def _plugin(self, module: str, folders: Sequence[Path]) -> None:
        if (path := find(module, folders, self._root, ENDINGS["python"])) is not None:
            self._take(path, path)
            return
        for other in named([f"{module}.py", f"{module}/__init__.py"], folders, self._root):
            self._found.awaited.setdefault(other, False)

    def configuration(self) -> None:
        """Follow what the workspace's configuration names, whichever of it the check reads."""
        tests: list[str] = []
        sources: list[str] = []
        for path in self._walk():
            protected = is_protected(path)
            if protected:
                self._found.protected.append(path)
            elif SOURCE.search(path):
                self._found.sources.append(path)
            if protected and is_linking(path):
                self._links(path, path)
            if is_program(path):
                (tests if protected or path in self._found.programs else sources).append(path)
        self._find_helpers(tests[:_MOST_PROGRAMS], sources)

    def _find_helpers(self, tests: Sequence[str], sources: Sequence[str]) -> None:
        """Modules of tests alone, beside another that is what they test."""
        taken: dict[str, set[str]] = {test: self._imports(test, (self._root,)) for test in tests}
        among = {
            each
            for found in taken.values()
            for each in found
            if each in sources and holds_against(each, self._text(each))
        }
        if not among:
            return
        for source in sources[:_MOST_PROGRAMS]:
            if source not in among:
                among -= self._imports(source, (self._root,))
        self._found.helpers |= {
            each for found in taken.values() if any(o in sources for o in found - among) for each in found & among
        }

    # --- what is read in

    def _read_in(self, word: str, folders: Sequence[Path], *, optional: bool) -> None:
        if not re.search(r"\w", re.sub(r"[*?{}\[\]]", "", word)):
            return
        self._found.files |= {path for path in existing([word], folders, self._root) if (self._root / path).is_file()}
        if re.search(r"[*?\[]", word):
            for folder in folders[:1]:
                place = Path(os.path.normpath(folder / word))
                if place.is_relative_to(self._root):
                    pattern = place.relative_to(self._root).as_posix()
                    self._found.patterns.append(re.compile(translate(pattern).replace(".*", "[^/]*")))
            return
        for path in named([word], folders, self._root):
            if not (self._root / path).exists():
                self._found.awaited[path] = optional or self._found.awaited.get(path, False)

    # --- configuration

    def _take(self, path: str, like: str) -> None:
        """A file that is part of a configuration, and what it names in its turn."""
        if path in self._found.files or self._steps >= _MOST_STEPS:
            return
        self._steps += 1
        self._found.files.add(path)
        self._links(path, like)
        if _CODE.search(path):
            self._modules(path, (), frozenset())

    def _links(self, path: str, like: str) -> None:
        place = self._root / path
        for word in links_of(path, start_of(place).decode("utf-8", "replace"), like):
            folders = (place.parent, self._root)
            dotted = word.replace(".", "/") if re.fullmatch(r"\w+(?:\.\w+)+", word) else ""
            to = find(word, folders, self._root, _SUFFIXES) or find(
                dotted.partition(":")[0], folders, self._root, (".py", "/__init__.py")
            )
            if to is None:
                for other in named([word], folders[:1], self._root) if re.search(r"^\.{0,2}/|/|\.\w+$", word) else ():
                    self._found.awaited.setdefault(other, False)
            elif to != path and not (_SCRIPT.search(to) and re.fullmatch(r"[\w@-]+", word)):
                self._take(to, like)

    def _walk(self) -> Iterator[str]:
        count = 0
        for folder, folders, names in os.walk(self._root):
            here = Path(folder).relative_to(self._root).as_posix()
            below = "" if here == "." else f"{here}/"
            folders[:] = sorted(name for name in folders if not is_nobodys(f"{below}{name}/-"))
            for name in names:
                count += 1
                yield f"{below}{name}"
            if count > _MOST_FILES:
                return

    # --- programs of the check

    def _program(self, program: Path, folders: Sequence[Path], followed: Followed) -> None:
        """A program that looks at the code is the check's, with its modules; one that calls it says nothing of them."""
        path = program.relative_to(self._root).as_posix()
        self._found.programs.add(path)
        text = start_of(program).decode("utf-8", "replace")
        said = _PLACES.sub("", text)
        strings = {part for made in _STRING.finditer(said) for part in made.groups() if part}
        places = (program.parent, *folders, self._root)
        looked_at = self._sources(strings, places)
        for command in followed.commands:
            at = next((n for n, word in enumerate(command.bare[:8]) if word.endswith(program.name)), None)
            if at is not None and path in existing(command.bare[at : at + 1], command.folders, self._root):
                looked_at |= self._sources(command.bare[at + 1 :], command.folders)
        looked_at.discard(path)
        own = self._imports(path, places)
        if not looked_at or own & looked_at:
            return
        self._found.files.add(path)
        called = {each for code in sorted(looked_at)[:50] for each in self._imports(code, (self._root,))}
        self._modules(path, places, frozenset(looked_at | called))

    def _modules(self, path: str, folders: Sequence[Path], code: frozenset[str]) -> None:
        for each in sorted(self._imports(path, folders) - code):
            if each not in self._found.files and self._steps < _MOST_STEPS:
                self._steps += 1
                self._found.files.add(each)
                self._modules(each, folders, code)

    def _text(self, path: str) -> str:
        return start_of(self._root / path).decode("utf-8", "replace")

    def _imports(self, path: str, folders: Sequence[Path]) -> set[str]:
        place = self._root / path
        found = set()
        for word, endings in imported_words(path, self._text(path)):
            to = find(word, (place.parent, *folders), self._root, endings)
            if to is not None and to != path:
                found.add(to)
        return found

    def _sources(self, words: Iterable[str], folders: Sequence[Path]) -> set[str]:
        """The files of code that words name: themselves, by a pattern, or by their folder."""
        plain = [word for word in words if word.strip("./*")]
        return {path for path in existing(plain, folders, self._root) if SOURCE.search(path) and not is_protected(path)}
