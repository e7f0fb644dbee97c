"""From a file's name as a tool printed it to the file (SPEC D3: directories of make, workspaces, links, drive letters)."""

from __future__ import annotations

import ntpath
import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from compile_loop.toolchains.sources import Sources

_NO_FILE = re.compile(r"^[<{\[(].*[>}\])]$|^-$")
_URL = re.compile(r"^(?!file:)[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_PREFIX = re.compile(r"^(?P<package>@?[\w./-]+)(?::[\w-]+)?(?:: | \| )(?P<rest>\S.*)$")
_MSYS = re.compile(r"^/(?:mnt/|cygdrive/)?([a-zA-Z])/")
_MEMORY = 4096


class Names:
    """Resolves names against the directories that the tool may have meant, in the order of their likelihood.

    A name that no file has is never invented: it resolves to None.
    """

    def __init__(self, *, root: str, cwd: str, sources: Sources) -> None:
        windows = bool(re.match(r"[A-Za-z]:[\\/]|\\\\", root))
        self._path = ntpath if windows else posixpath
        self._windows = windows
        self._sources = sources
        self.root = self._normal(root)
        self.cwd = self._normal(cwd)
        self.directories: list[str] = []
        """The directories that make or ninja entered and did not leave yet, innermost last; absolute."""
        self._known: dict[tuple[str, ...], str | None] = {}

    def _normal(self, path: str) -> str:
        return self._path.normpath(path).replace("\\", "/") if self._windows else posixpath.normpath(path)

    def join(self, base: str, name: str) -> str:
        """`name` as seen from `base`, absolute, with forward slashes."""
        return self._normal(self._path.join(base, name))

    def parents(self, path: str) -> Iterator[str]:
        """`path` and the directories above it up to and including the workspace root; none if it lies outside."""
        while path == self.root or path.startswith(self.root.rstrip("/") + "/"):
            yield path
            if path == self.root:
                return
            path = posixpath.dirname(path)

    def shown(self, path: str) -> str:
        """How a diagnostic names an absolute path: relative to the workspace root if it lies inside."""
        inside = self.root.rstrip("/") + "/"
        if path.startswith(inside) or (self._windows and path.lower().startswith(inside.lower())):
            return path[len(inside) :]
        return path

    def is_absolute(self, path: str) -> bool:
        """Whether a path as diagnostics name it is absolute, and so lies outside the workspace."""
        return bool(self._path.isabs(path))

    def exists(self, path: str) -> bool:
        """Whether the absolute `path` is a file."""
        return self._sources.exists(path)

    def resolve(self, name: str, *bases: str) -> str | None:
        """The absolute path of the file that a tool called `name`, or None.

        `bases` are directories to try before all others.
        """
        key = (name, *bases, *self.directories)
        if key not in self._known:
            if len(self._known) >= _MEMORY:
                self._known.clear()
            path = self._resolve(name, bases)
            self._known[key] = self._sources.spelling(path) if self._windows and path else path
        return self._known[key]

    def _resolve(self, name: str, bases: tuple[str, ...]) -> str | None:
        name = name.strip().strip("'\"")
        if not name or len(name) > 1000 or "\0" in name or _NO_FILE.match(name) or _URL.match(name):
            return None
        if name.lower().startswith("file:"):
            name = unquote(re.sub(r"^file:(?://[^/]*(?=/))?", "", name, flags=re.IGNORECASE))
            name = re.sub(r"^/(?=[A-Za-z]:)", "", name) if self._windows else name
        if self._windows and (drive := _MSYS.match(name)):
            name = f"{drive[1]}:/{name[drive.end() :]}"
        if self._path.isabs(name):
            return self._absolute(self._normal(name))
        return self._relative(name, bases) or self._prefixed(name, bases)

    def _absolute(self, path: str) -> str | None:
        if self.exists(path):
            return path
        # A tool in a container knows the tree under another root: the longest tail that exists under ours is meant.
        parts = path.split("/")
        tails = ("/".join(parts[i:]) for i in range(1, len(parts) - 1))
        return next((full for tail in tails if tail and self.exists(full := self.join(self.root, tail))), None)

    def _relative(self, name: str, bases: tuple[str, ...]) -> str | None:
        tried = [*bases, *reversed(self.directories), self.cwd, *self.parents(self.cwd)]
        for base in dict.fromkeys(tried):
            if self.exists(path := self.join(base, name)):
                return path
        found = self._sources.find(re.sub(r"^(?:\.\.?/)+", "", name.replace("\\", "/") if self._windows else name))
        return self._normal(found[0]) if len(found) == 1 else None

    def _prefixed(self, name: str, bases: tuple[str, ...]) -> str | None:
        """Monorepo runners put the package's name before each line of its output."""
        if not (prefix := _PREFIX.match(name)):
            return None
        found = [self._normal(path) for path in self._sources.find(prefix["rest"])]
        directory = prefix["package"].rsplit("/", 1)[-1]
        meant = [path for path in found if directory in path.split("/")] or found
        return meant[0] if len(meant) == 1 else self._relative(prefix["rest"], bases) if not found else None
