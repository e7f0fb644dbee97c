"""What version control keeps of a workspace and what it leaves out, read from Git's index and the ignore files (SPEC Q16).

Nothing is run. The user's own files are read, never those of the shadow.
"""

from __future__ import annotations

import re
from pathlib import Path

from pathspec import GitIgnoreSpec

from compile_loop.toolchains.plain_files import data_of, text_in


class VersionControl:
    """What version control says of files below `root`; also where `root` lies inside of a larger repository."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
        self._index: bytes | None = None
        self._rules: dict[Path, GitIgnoreSpec | None] = {}

    def keeps(self, path: str) -> bool:
        """Whether Git's index names a workspace-relative path."""
        if self._index is None:
            self._index = _index_of(self._top / ".git")
        name = (self._root / path).relative_to(self._top).as_posix()
        return _in_index(self._index, name.encode("utf-8", "surrogateescape"))

    def keeps_below(self, folder: str) -> bool:
        """Whether Git's index names any file below a workspace-relative folder, given with its slash."""
        if self._index is None:
            self._index = _index_of(self._top / ".git")
        name = (self._root / folder).relative_to(self._top).as_posix() + "/"
        return name.encode("utf-8", "surrogateescape") in self._index

    def leaves_out(self, path: str) -> bool:
        """Whether the user's ignore files name a path that version control does not keep all the same."""
        place = self._root / path
        folder = place.parent
        while folder.is_relative_to(self._root):
            rules = self._of(folder)
            # The nearest file that says anything about the path has the last word.
            said = rules.check_file(place.relative_to(folder).as_posix()).include if rules is not None else None
            if said is not None:
                return said and not self.keeps(path)
            folder = folder.parent
        return False

    def _of(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._rules:
            lines: list[str] = []
            for name in (".git/info/exclude", ".hgignore", ".gitignore"):
                try:
                    lines += text_in(folder / name).splitlines()
                except OSError:
                    continue
            self._rules[folder] = GitIgnoreSpec.from_lines(lines) if lines else None
        return self._rules[folder]


def _index_of(git: Path) -> bytes:
    """The index beside a `.git`, which is a file that names the folder in a second work tree."""
    try:
        if git.is_file() and (made := re.match(r"gitdir:\s*(.+)", git.read_text(encoding="utf-8", errors="replace"))):
            git = git.parent / made.group(1).strip()
        return data_of(git / "index", 1 << 30)
    except OSError:
        return b""


def _in_index(index: bytes, path: bytes) -> bool:
    """Whether Git's index names a path: an entry is its name behind two bytes of flags that hold the name's length."""
    at = index.find(path + b"\0")
    while at >= 2:
        if int.from_bytes(index[at - 2 : at], "big") & 0xFFF == min(len(path), 0xFFF):
            return True
        at = index.find(path + b"\0", at + 1)
    return False
