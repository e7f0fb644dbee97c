"""What the checks of manifests share."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from compile_loop.contracts.checks import Check
from compile_loop.toolchains.plain_files import text_in

_OWN_PROGRAMS = ("node_modules/.bin", ".venv/bin", "venv/bin", ".venv/Scripts", "venv/Scripts", "vendor/bin")
_LARGEST = 1 << 20


def manifest_check(name: str, command: str | tuple[str, ...], manifest: str, directory: Path, root: Path) -> Check:
    """The check of a manifest in `directory`: it runs there, and its name and reason say where that is."""
    place = directory.relative_to(root).as_posix()
    return Check(
        name=name if place == "." else f"{name} ({place})",
        command=command,
        cwd=place,
        reason=f"{manifest if place == '.' else f'{place}/{manifest}'} is the nearest manifest",
    )


def own_program(name: str, directory: Path, root: Path) -> str:
    """How to start a program in `directory`: the project's own copy, relative to there, else the name for PATH."""
    found = _own(name, directory, root)
    if found is not None:
        return os.path.relpath(found, directory).replace(os.sep, "/")
    return f"{name}.cmd" if os.name == "nt" and shutil.which(f"{name}.cmd") else name


def installed(name: str, directory: Path) -> str | None:
    """Where a program is: in the project around `directory`, or on PATH; None if nowhere."""
    found = _own(name, directory, Path(directory.anchor))
    return str(found) if found is not None else shutil.which(name)


def _own(name: str, directory: Path, root: Path) -> Path | None:
    names = (f"{name}.cmd", f"{name}.exe", name) if os.name == "nt" else (name,)
    for above in (directory, *directory.parents):
        for folder in _OWN_PROGRAMS:
            for spelled in names:
                if (program := above / folder / spelled).exists():
                    return program
        if above == root:
            return None
    return None


def first_file(directory: Path, *names: str) -> str | None:
    """The first of `names` that is a file in `directory`."""
    return next((name for name in names if (directory / name).is_file()), None)


def holds(directory: Path, name: str, pattern: str) -> bool:
    """Whether the file `name` in `directory` matches a pattern, line by line."""
    return re.search(pattern, text_of(directory / name), re.MULTILINE) is not None


def text_of(path: Path) -> str:
    """A manifest's text; empty where it cannot be read or is far too large to be one."""
    try:
        if path.stat().st_size > _LARGEST:
            return ""
        return text_in(path)
    except OSError:
        return ""


def json_of(path: Path) -> dict[str, Any]:
    """A JSON manifest's object; empty where it is none."""
    try:
        document = json.loads(text_of(path) or "null")
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
