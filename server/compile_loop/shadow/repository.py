"""A workspace's Git folders: what of them lies elsewhere, and how a copy gets one of its own (SPEC H09, W2).

A work tree or submodule has a file `.git` that points to a folder elsewhere; Git commands in a copy of it would write
there, into the user's own repository.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from compile_loop.toolchains.plain_files import text_in

_TIED = re.compile(r"^\s*(?:worktree\s*=.*|bare\s*=\s*true\s*)\n?", re.MULTILINE | re.IGNORECASE)
"""Settings that say where the user's work tree is."""


def folders_outside(root: Path) -> list[Path]:
    """Git folders outside `root` that Git commands inside it write to, outermost only."""
    pointer = next((place / ".git" for place in (root, *root.parents) if (place / ".git").exists()), None)
    if pointer is None:
        return []
    folder = pointer.resolve() if pointer.is_dir() else _pointed_to(pointer)
    if folder is None:
        return []
    folders = {folder, _common(folder)}
    outside = {f for f in folders if f.is_dir() and not f.is_relative_to(root) and not root.is_relative_to(f)}
    return sorted(f for f in outside if not any(f != other and f.is_relative_to(other) for other in outside))


def give_own_folder(pointer: Path, copy: Path, source: Path) -> bool:
    """Make `copy` a Git folder of its own for the `.git` file `pointer`, if that leads out of the tree `source`.

    It has the same commit, index, branches and configuration, and borrows the objects. Returns whether it was needed.
    """
    folder = _pointed_to(pointer)
    if folder is None or folder.is_relative_to(source):
        return False
    common = _common(folder)
    copy.mkdir()
    for name in ("HEAD", "index", "config.worktree"):
        _copy_file(folder / name, copy / name)
    for name in ("config", "packed-refs", "shallow"):
        _copy_file(common / name, copy / name)
    for name in ("refs", "info"):
        if (common / name).is_dir():
            shutil.copytree(common / name, copy / name, symlinks=True)
    for configuration in (copy / "config", copy / "config.worktree"):
        if configuration.is_file():
            text = configuration.read_text(encoding="utf-8", errors="surrogateescape")
            configuration.write_text(_TIED.sub("", text), encoding="utf-8", errors="surrogateescape")
    borrowed = copy / "objects" / "info"
    borrowed.mkdir(parents=True)
    (borrowed / "alternates").write_text(f"{common / 'objects'}\n")
    (copy / "refs").mkdir(exist_ok=True)
    return True


def _pointed_to(pointer: Path) -> Path | None:
    """The folder that a `.git` file names."""
    try:
        word, _, path = text_in(pointer, "surrogateescape").strip().partition(": ")
    except OSError:
        return None
    return (pointer.parent / path).resolve() if word == "gitdir" and path else None


def _common(folder: Path) -> Path:
    """The repository's main folder, for the folder of one of its work trees."""
    try:
        return (folder / text_in(folder / "commondir").strip()).resolve()
    except OSError:
        return folder


def _copy_file(source: Path, target: Path) -> None:
    if source.is_file():
        shutil.copyfile(source, target)
