"""Headers that come to stand before the project's own where an include is looked for (SPEC K6)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from compile_loop.checks.named_paths import files_below, start_of

_HEADER = re.compile(r"\.(?:h|hh|hpp|hxx|h\+\+|inc|inl|ipp|tcc|def|cuh)$|^[^.]+$")
_INCLUDES = re.compile(rb"^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*[\"<]([^\">\n]+)[\">]", re.MULTILINE)
_SOURCE = re.compile(r"\.(?:[cChHmM]|cc|cpp|cxx|c\+\+|hh|hpp|hxx|inl|ipp|tcc|cu|cuh|mm|S)$")


class Headers:
    """The includes of the workspace's sources, read once when an edit adds a header."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: tuple[set[str], dict[str, set[str]]] | None = None

    def instead_of(self, path: str, new: Collection[str]) -> str | None:
        """The workspace's own header that a source there finds now, and may find no more once `path` is added."""
        if not _HEADER.search(path.rpartition("/")[2]):
            return None
        files, includes = self._read()
        for said, folders in includes.items():
            if not _ends_in(path, said):
                continue
            others = sorted(each for each in files if each not in new and each != path and _ends_in(each, said))
            # One that lies beside all who include it is found there first.
            if others and any((f"{folder}/{said}" if folder else said) not in files for folder in folders):
                return others[0]
        return None

    def _read(self) -> tuple[set[str], dict[str, set[str]]]:
        if self._known is None:
            files: set[str] = set()
            includes: dict[str, set[str]] = {}
            for place, path in self._files():
                files.add(path)
                if _SOURCE.search(path):
                    for made in _INCLUDES.finditer(start_of(place)):
                        said = re.sub(r"^(?:\.{1,2}/)+", "", made.group(1).decode("utf-8", "replace"))
                        includes.setdefault(said, set()).add(path.rpartition("/")[0])
            self._known = files, includes
        return self._known

    def _files(self) -> Iterator[tuple[Path, str]]:
        for place in files_below(self._root):
            yield place, place.relative_to(self._root).as_posix()


def _ends_in(path: str, said: str) -> bool:
    return path == said or path.endswith(f"/{said}")
