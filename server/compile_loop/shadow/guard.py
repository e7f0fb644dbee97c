"""Keeping a check that runs in a copy from writing to the user's own tree, through a link or by a path (Linux)."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from compile_loop.shadow.confinement import Confinement
from compile_loop.shadow.holding import program

_MEMORY = ("/dev", "/proc", "/sys", "/run")
_MOVED = {
    ".cache": "XDG_CACHE_HOME",
    ".config": "XDG_CONFIG_HOME",
    ".npm": "npm_config_cache",
    ".cargo": "CARGO_HOME",
    ".gradle": "GRADLE_USER_HOME",
    ".nuget": "NUGET_PACKAGES",
    "go": "GOPATH",
}
"""Folders that tools make in the home folder when they are first used, and the variable that moves them."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A check may write to `folders` and to its copy, nowhere else, and not read the files and folders `unseen`.

    `own_temporary` says that the system's temporary folder is not among them as a whole, since it holds the workspace.
    """

    folders: tuple[str, ...]
    own_temporary: bool = False
    unseen: tuple[Path, ...] = ()

    def around(self, command: Sequence[str], own: Path) -> list[str]:
        """The vector that starts `command` under the guard; `own` is the copy's folder."""
        folders = [str(own), *self.folders]
        unseen = _real(self.unseen)
        return program("guard", str(len(folders)), *folders, str(len(unseen)), *unseen, *command)

    def variables(self, own: Path) -> dict[str, str]:
        """Variables for tools that could not make their folder where they usually do."""
        home = Path.home()
        found = {name: str(own / "home" / folder) for folder, name in _MOVED.items() if not (home / folder).exists()}
        if self.own_temporary:
            (own / "tmp").mkdir(exist_ok=True)
            found["TMPDIR"] = str(own / "tmp")
        return found


def guard_of(root: Path, confinement: Confinement | None, unseen: Sequence[Path] = ()) -> Guard:
    """A guard for checks of the workspace `root`: to the confinement's places, or else to all but the workspace.

    What is allowed is allowed with all that lies in it, so that of a folder that holds the workspace only the other
    entries can be.
    """
    allowed = confinement.open_places if confinement is not None else (Path("/"),)
    folders = [str(folder) for folder in allowed if not root.is_relative_to(folder)]
    for outer in (folder for folder in allowed if root.is_relative_to(folder)):
        folders += _beside(root, outer)
    kept = confinement.layered if confinement is not None else ()
    folders = [folder for folder in folders if not any(Path(folder).is_relative_to(place) for place in kept)]
    temporary = Path(tempfile.gettempdir()).resolve()
    return Guard((*dict.fromkeys(folders), *_MEMORY), root.is_relative_to(temporary), tuple(unseen))


def _real(places: Sequence[Path]) -> tuple[str, ...]:
    """Where places are that exist, without those that lie in another one."""
    found = {place.resolve() for place in places if place.exists()}
    return tuple(sorted(str(place) for place in found if not found & set(place.parents)))


def _beside(root: Path, outer: Path) -> list[str]:
    """Everything in `outer` that is neither `root` nor on the way to it."""
    found = []
    for way in (root, *root.parents):
        if way == outer:
            break
        with contextlib.suppress(OSError), os.scandir(way.parent) as entries:
            found += [entry.path for entry in entries if entry.path != str(way) and not entry.is_symlink()]
    return found
