"""What a hidden check takes in and nothing here provides: no edit of a file that is there mends that (SPEC L3, Q7)."""

from __future__ import annotations

import os
import re
from pathlib import Path

_SAID = re.compile(
    r"ModuleNotFoundError: No module named '(?P<python>[\w.]+)'"
    r"|Cannot find (?:module|package) '(?P<node>[^'./\\][^']*)'"
    r"|cannot load such file -- (?P<ruby>[\w/-]+)"
    r"|Can't locate (?P<perl>[\w/]+)\.pm in @INC"
    r"|module '(?P<lua>[\w.]+)' not found:"
    r"|no required module provides package (?P<go>[\w./-]+)"
    r"|fatal error: (?P<c>[\w./+-]+): No such file or directory"
)
_PASSED_OVER = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"})
_MOST_FOLDERS = 2_000


def missing_module(output: str, root: Path) -> str | None:
    """The module that a program says it cannot find, where nothing below `root` is called so; the last it names counts."""
    said = [match[match.lastgroup or 0] for match in _SAID.finditer(output)]
    if not said:
        return None
    name = said[-1]
    words = {word.lower() for word in re.split(r"[./\\@]+", name) if len(word) > 1}
    return None if _provides(root, words) else name


def _provides(root: Path, words: set[str]) -> bool:
    """Whether a file or folder has one of these names; True, too, where the workspace is too large to tell."""
    for number, (_, folders, files) in enumerate(os.walk(root)):
        if number >= _MOST_FOLDERS:
            return True
        folders[:] = [name for name in folders if name not in _PASSED_OVER]
        if any(name.split(".")[0].lower() in words for name in (*folders, *files)):
            return True
    return False
