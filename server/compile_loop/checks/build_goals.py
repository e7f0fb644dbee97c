"""What `make` and the package managers of JavaScript are asked for, and the texts that they run for it (SPEC E10, K6, Q9)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from compile_loop.checks.makefile import NAMES, Makefile
from compile_loop.toolchains.manifest import json_of

MAKE = re.compile(r"(?:.*/)?g?n?make$")
MANAGER = re.compile(r"(?:.*/)?(?:npm|pnpm|yarn|bun)$")
_MANAGERS_OWN = frozenset(
    {"install", "ci", "i", "add", "exec", "dlx", "x", "init", "create", "publish", "audit", "outdated"}
)


@dataclass(frozen=True, slots=True)
class Made:
    """A Makefile of the workspace with the goals that are asked for; `searched` are folders for what it includes."""

    makefile: Makefile
    goals: tuple[str, ...]
    folder: Path
    searched: tuple[Path, ...]


def made_by(words: Sequence[str], folder: Path, root: Path) -> Made | None:
    """What `make` with these arguments makes; None without a Makefile in the workspace."""
    named, goals, given = "", [], {}
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
    if path is None or not path.resolve().is_relative_to(root):
        return None
    return Made(Makefile(path, given, folder), tuple(goals), folder, tuple(searched))


@dataclass(frozen=True, slots=True)
class Packaged:
    """The lines that a package manager runs for a `name`, in a folder; none where the package has no such script."""

    name: str
    lines: tuple[str, ...]
    folder: Path


def packaged(words: Sequence[str], folder: Path, root: Path) -> Packaged | None:
    """What a package manager with these arguments runs of the nearest package's scripts; None where that is its own."""
    plain: list[str] = []
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
        return None
    for above in (folder, *folder.parents):
        if not above.is_relative_to(root):
            return None
        if (above / "package.json").is_file():
            scripts = json_of(above / "package.json").get("scripts")
            lines = (
                [scripts.get(each) for each in (f"pre{name}", name, f"post{name}")] if isinstance(scripts, dict) else []
            )
            return Packaged(name, tuple(line for line in lines if isinstance(line, str)), above)
    return None
