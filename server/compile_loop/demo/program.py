"""The broken program of the demonstration: a small C program of several files, whose check is `make check`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

CHECK = "make check"
"""Builds the program and runs its self-test; red until every file is fixed."""


def copy_to(directory: Path) -> tuple[Path, ...]:
    """Copy the program into `directory`, which is made where it is missing; returns the files, sorted by name."""
    directory.mkdir(parents=True, exist_ok=True)
    copied = []
    for source in (files("compile_loop.demo") / "shop").iterdir():
        if source.is_file():
            target = directory / source.name
            target.write_bytes(source.read_bytes())
            copied.append(target)
    return tuple(sorted(copied))
