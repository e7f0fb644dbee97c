"""Installed packages in a copy of a workspace: links to the user's, in folders of the copy's own.

Copying them would cost minutes. One link for the whole folder would let a check write into the user's tree
(`node_modules/.cache`, a new package, a changed `.pth`), and would lead packages of the workspace back to the unedited
originals. So the folders are real, each package in them is a link, and what names the workspace by its path is rewritten.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

PACKAGE_FOLDERS = frozenset({"node_modules", ".venv", "venv"})
_MADE_AGAIN = frozenset({".cache", ".vite", ".vite-temp", "__pycache__"})
_OF_AN_ENVIRONMENT = frozenset({"bin", "Scripts", "lib", "Lib", "site-packages"})
_TEXT_LIMIT = 1 << 20

CopyLink = Callable[[Path, Path], None]


def holds_packages(folder: Path) -> bool:
    """Whether a folder that is called so holds installed packages; one without an interpreter is the user's own."""
    if folder.name not in PACKAGE_FOLDERS:
        return False
    marks = ("pyvenv.cfg", "bin/python", "Scripts/python.exe")
    return folder.name == "node_modules" or any((folder / mark).exists() for mark in marks)


def lay_out_packages(folder: Path, copy: Path, source: str, target: str, copy_link: CopyLink) -> None:
    """Make `copy` stand for the package folder `folder`; the workspace `source` is copied to `target`."""
    if folder.name == "node_modules":
        _node(folder, copy, copy_link)
    elif (folder / "pyvenv.cfg").is_file():
        _python(folder, copy, source, target, copy_link)
    else:
        copy.symlink_to(folder, target_is_directory=True)


def _node(folder: Path, copy: Path, copy_link: CopyLink) -> None:
    copy.mkdir()
    with os.scandir(folder) as entries:
        for entry in entries:
            place, there = Path(entry.path), copy / entry.name
            if entry.is_symlink():
                copy_link(place, there)
            elif entry.name in _MADE_AGAIN:
                continue
            elif entry.is_file():
                shutil.copy2(place, there)
            elif entry.name == ".bin" or entry.name.startswith("@"):
                _node(place, there, copy_link)
            elif entry.name.startswith(".") and entry.name != ".pnpm":
                shutil.copytree(place, there, symlinks=True)  # what generators write beside the packages
            else:
                there.symlink_to(place, target_is_directory=True)


def _python(folder: Path, copy: Path, source: str, target: str, copy_link: CopyLink, *, packages: bool = False) -> None:
    """A virtual environment: its scripts, `.pth` files and editable installs lead into the copy."""
    copy.mkdir()
    with os.scandir(folder) as entries:
        for entry in entries:
            place, there = Path(entry.path), copy / entry.name
            if entry.is_symlink():
                copy_link(place, there)
            elif entry.is_file():
                _rewrite(place, there, source, target)
            elif not packages and (entry.name in _OF_AN_ENVIRONMENT or entry.name.startswith("python")):
                _python(place, there, source, target, copy_link, packages=entry.name == "site-packages")
            elif entry.name not in _MADE_AGAIN:
                there.symlink_to(place, target_is_directory=True)


def _rewrite(place: Path, there: Path, source: str, target: str) -> None:
    """Copy a file; in a short text, the workspace's path becomes the copy's."""
    shutil.copy2(place, there)
    if place.stat().st_size > _TEXT_LIMIT:
        return
    data = place.read_bytes()
    old, new = os.fsencode(source), os.fsencode(target)
    if b"\0" not in data and old in data:
        there.chmod(there.stat().st_mode | 0o200)
        there.write_bytes(data.replace(old, new))
