"""Which files of a workspace may be shown to a model.

What ignore rules allow, and nothing that looks like a secret (SPEC T3, Q26).
"""

from __future__ import annotations

import re
from pathlib import Path

from pathspec import GitIgnoreSpec

_SECRET = re.compile(
    r"(?:^|/)(?:\.env(?:\.(?!example$|sample$|template$)[^/]*)?|[^/]*\.(?:pem|key|p12|pfx|jks|keystore)|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*|"
    r"\.netrc|\.npmrc|\.pypirc|[^/]*credentials[^/]*|[^/]*secrets?\.(?:json|ya?ml|toml|ini)|\.git/.*|\.ssh/.*|\.aws/.*)$",
    re.IGNORECASE,
)


class Visible:
    """The reading gate of one workspace."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._rules: dict[Path, GitIgnoreSpec | None] = {}

    def why_not(self, path: str) -> str | None:
        """Why a workspace-relative path is not shown, or None where it is."""
        if _SECRET.search(path):
            return "it looks like a secret"
        if path == "compile-loop.toml":
            return "it is the run's own configuration"
        place = self._root / path
        if not place.resolve().is_relative_to(self._root.resolve()):
            return "it lies outside the workspace"
        folder = place.parent
        while folder.is_relative_to(self._root):
            rules = self._of(folder)
            if rules is not None and rules.match_file(place.relative_to(folder).as_posix()):
                return "the workspace's ignore rules leave it out"
            folder = folder.parent
        return None

    def _of(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._rules:
            try:
                lines = (folder / ".gitignore").read_text(encoding="utf-8", errors="replace").splitlines()
                self._rules[folder] = GitIgnoreSpec.from_lines(lines)
            except OSError:
                self._rules[folder] = None
        return self._rules[folder]
