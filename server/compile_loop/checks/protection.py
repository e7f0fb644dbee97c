"""Protected files of a workspace, looked at before and after, byte for byte, additions too (SPEC K6, Q16)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from pathspec import GitIgnoreSpec

from compile_loop.checks.contract_file import NAME
from compile_loop.checks.protected import is_found_by_name, is_protected
from compile_loop.contracts.protected import Broken, FileMark, Marks
from compile_loop.contracts.protocols import Shadow
from compile_loop.edits.paths import protected_part

_SAME = FileMark(b"as in the user's tree")
_TOOLS_MAKE = re.compile(
    r"(?:^|/)(?:__pycache__|node_modules|\.git|target|CMakeFiles|\.gradle|\.dart_tool|\.next|\.tox|\.nox|\.venv|venv|coverage|"
    r"_?build|cmake-build-[^/]*|out|dist|obj|[^/]*cache[^/]*|[^/]*\.(?:egg-info|dist-info|dSYM)|test-results|playwright-report|TestResults)/|"
    r"\.(?:py[co]|o|obj|a|lib|so(?:\.[\d.]+)?|dylib|dll|exe|pdb|d|class|jar|gc(?:da|no|ov)|hi|beam|tsbuildinfo|log|tmp|pid|sw[op])$|"
    r"(?:^|/)(?:[^/]*\.lock(?:file)?|(?:package|npm)-(?:lock|shrinkwrap)\.json|pnpm-lock\.yaml|bun\.lockb|go\.(?:work\.)?sum)$",
    re.IGNORECASE,
)
"""What builds and test runs leave, also in folders of tests, and the locks that follow a manifest."""
_PROGRAMS: tuple[bytes, ...] = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\0asm", b"!<arch>")


class WorkspaceProtection:
    """Files below `root` that decide about green: by their names, by `listed` patterns, or since a check runs them."""

    def __init__(self, root: Path, listed: Iterable[str], scripts: frozenset[str]) -> None:
        self._root = root
        self._listed = GitIgnoreSpec.from_lines(listed)
        self._scripts = scripts
        self._rules: dict[Path, GitIgnoreSpec | None] = {}

    def decides(self, path: str) -> bool:
        """Whether a workspace-relative path names a file that decides about green."""
        if self._named(path):
            return True
        if path.startswith(".git/") or _TOOLS_MAKE.search(path):
            return False
        return is_protected(path) or protected_part(path) is not None

    async def look(self, shadow: Shadow) -> Marks:
        """Those files as they are now in the shadow. Raises `ShadowError`."""
        return await shadow.marks(self.decides)

    def broken(self, before: Marks, after: Marks) -> list[Broken]:
        """What became different, where that can matter: what tools make, and what is ignored, cannot."""
        found = []
        for path in sorted(before.keys() | after.keys()):
            was, now = before.get(path, _SAME), after.get(path, _SAME)
            if was != now and (how := self._how(path, was, now)) is not None:
                found.append(
                    Broken(path, f"{path} decides whether the code is right, and was {how} while the check ran")
                )
        return found

    def _how(self, path: str, was: FileMark, now: FileMark) -> str | None:
        existed = (self._root / path).is_file() if was is _SAME else was.digest is not None
        exists = now.digest is not None
        if not existed and not exists:
            return None
        if not self._named(path) and (self._ignored(path) or any(now.head.startswith(mark) for mark in _PROGRAMS)):
            return None
        if existed:
            return "changed" if exists else "removed"
        # Output of a test run beside the tests decides nothing; what a tool finds by its name does.
        made_anew = not (self._root / path).parent.is_dir()
        return "added" if self._named(path) or (is_found_by_name(path) and not made_anew) else None

    def _named(self, path: str) -> bool:
        return path == NAME or path in self._scripts or self._listed.match_file(path)

    def _ignored(self, path: str) -> bool:
        """Whether version control leaves a path out, by the user's own files, not those of the shadow."""
        place = self._root / path
        folder = place.parent
        while folder.is_relative_to(self._root):
            rules = self._of(folder)
            if rules is not None and rules.match_file(place.relative_to(folder).as_posix()):
                return True
            folder = folder.parent
        return False

    def _of(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._rules:
            lines: list[str] = []
            for name in (".gitignore", ".git/info/exclude", ".hgignore"):
                try:
                    lines += (folder / name).read_text(encoding="utf-8", errors="replace").splitlines()
                except OSError:
                    continue
            self._rules[folder] = GitIgnoreSpec.from_lines(lines) if lines else None
        return self._rules[folder]
