"""Which files of a workspace may be shown to a model.

What ignore rules allow, and nothing that looks like a secret (SPEC T3, Q26).
"""

from __future__ import annotations

from pathlib import Path

from pathspec import GitIgnoreSpec

from compile_loop.contracts.secret_names import is_secret_file
from compile_loop.toolchains.plain_files import text_in


def looks_secret(path: str) -> bool:
    """Whether a workspace-relative path is named like a secret, or is the run's own configuration."""
    return is_secret_file(path) or path == "compile-loop.toml"


class Visible:
    """The reading gate of one workspace."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._rules: dict[Path, GitIgnoreSpec | None] = {}

    def why_not(self, path: str) -> str | None:
        """Why a workspace-relative path is not shown, or None where it is."""
        if (reason := self.concealed(path)) is not None:
            return reason
        place = self._root / path
        folder = place.parent
        while folder.is_relative_to(self._root):
            rules = self._of(folder)
            if rules is not None and rules.match_file(place.relative_to(folder).as_posix()):
                return "the workspace's ignore rules leave it out"
            folder = folder.parent
        return None

    def concealed(self, path: str) -> str | None:
        """Why nothing of a file is shown, not even the lines around an error, or None where it may be."""
        if path == "compile-loop.toml":
            return "it is the run's own configuration"
        if looks_secret(path):
            return "it looks like a secret"
        place = self._root / path
        if not place.resolve().is_relative_to(self._root.resolve()):
            return "it lies outside the workspace"
        if looks_secret(place.resolve().relative_to(self._root.resolve()).as_posix()):
            return "it leads to what looks like a secret"
        return None

    def _of(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._rules:
            try:
                lines = text_in(folder / ".gitignore").splitlines()
                self._rules[folder] = GitIgnoreSpec.from_lines(lines)
            except OSError:
                self._rules[folder] = None
        return self._rules[folder]
