"""Keeping a check that runs in a copy from writing to the user's own tree, through a link or by a path (Linux)."""

from __future__ import annotations

import os
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
    """A check may write to `folders` and to its copy, nowhere else."""

    folders: tuple[str, ...]

    def around(self, command: Sequence[str], own: Path) -> list[str]:
        """The vector that starts `command` under the guard; `own` is the copy's folder."""
        folders = [str(own), *self.folders]
        return program("guard", str(len(folders)), *folders, *command)

    def variables(self, own: Path) -> dict[str, str]:
        """Variables for tools that have no cache yet and could not make one in the home folder."""
        home = Path.home()
        return {name: str(own / "home" / folder) for folder, name in _MOVED.items() if not (home / folder).exists()}


def guard_of(root: Path, confinement: Confinement | None) -> Guard:
    """A guard for checks of the workspace `root`: to the confinement's folders, or else to all but the workspace."""
    if confinement is not None:
        return Guard((*(str(folder) for folder in confinement.open_folders), *_MEMORY))
    return Guard(tuple(_beside(root)))


def _beside(root: Path) -> list[str]:
    """Everything that is neither `root` nor a folder on the way to it."""
    found = []
    for folder, on_the_way in zip(root.parents, (root, *root.parents), strict=False):
        try:
            found += [
                entry.path for entry in os.scandir(folder) if entry.path != str(on_the_way) and not entry.is_symlink()
            ]
        except OSError:
            continue
    return found
