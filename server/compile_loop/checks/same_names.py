"""Modules that come to stand before the project's own where an import is looked for (SPEC K6)."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path

from compile_loop.checks.named_paths import start_of

_INSTALLED = frozenset((".git", "node_modules", ".venv", "venv", ".tox", ".nox", "__pycache__", "site-packages"))
_MOST = 50_000
_PYTHON = re.compile(r"\.pyi?$")
_LOADED = re.compile(r"\.(?:[cm]?js|jsx|json|node|[cm]?ts|tsx)$")
_SEARCHED = re.compile(r"\.(?:rb|lua|p[lm])$")
"""Languages that look for a module in one folder after the other, whatever it belongs to."""
_IMPORTS = re.compile(
    rb"(?:^|[;:\"'(])[ \t]*(?:from[ \t]+([A-Za-z_]\w*)|import[ \t]+([\w., \t]+))|(?:import_module|__import__)\(\s*[\"'](\w+)",
    re.MULTILINE,
)


class SameNames:
    """The modules of a workspace by the names that they are imported by; read once, when an edit adds a module."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def instead_of(self, path: str, apart: Collection[str]) -> str | None:
        """The workspace's own module that may no longer be found once `path` is added.

        `apart` are the files that the edit adds or removes. Whether a failure names either of the two says nothing: a
        check that finds the broken module says its name as well.
        """
        folder, stem = _split(path)
        ending = path[len(folder) + len(stem) :]
        others: Iterator[str]
        if not ending:
            others = (
                each for each in self._files if each.startswith(path + ".") and _LOADED.fullmatch(each[len(path) :])
            )
        elif _PYTHON.fullmatch(ending):
            names = self._names(path, apart, self._own(folder))
            same = (each for each in self._of_stem(_module(path)[1]) if not _stays_first(each, path))
            others = (each for each in same if names & self._names(each, (), self._imported))
        elif _SEARCHED.fullmatch(ending):
            others = (each for each in self._of_stem(stem) if each.endswith(ending))
        else:
            return None
        return min((each for each in others if each != path and each not in apart), default=None)

    def _of_stem(self, stem: str) -> list[str]:
        return self._by_stem.get(stem, [])

    def _names(self, path: str, new: Collection[str], bare: Collection[str]) -> set[str]:
        """How a Python module is imported: from the folder that its packages lie in, and by one of `bare` names."""
        folder, stem = _module(path)
        parts = [stem]
        names = {stem} if stem in bare else set()
        while folder and any(f"{folder}__init__.py" in there for there in (self._files, new)):
            folder, last = _split(folder[:-1], whole=True)
            parts.insert(0, last)
        return names | {".".join(parts)}

    def _own(self, folder: str) -> set[str]:
        """What the programs in a folder import as if it lay beside them."""
        return {name for each, names in self._imports.items() if _split(each)[0] == folder for name in names}

    @cached_property
    def _imported(self) -> set[str]:
        return {name for names in self._imports.values() for name in names}

    @cached_property
    def _imports(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for path in self._files:
            if path.endswith(".py"):
                text = start_of(self._root / path)
                said = b",".join(b"".join(groups) for groups in _IMPORTS.findall(text)).decode()
                found[path] = set(re.findall(r"(?:^|,)\s*(\w+)", said))
        return found

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._files):
            if _PYTHON.search(path) or _SEARCHED.search(path):
                found.setdefault(_module(path)[1], []).append(path)
        return found

    @cached_property
    def _files(self) -> set[str]:
        found: set[str] = set()
        for folder, folders, names in os.walk(self._root):
            place = Path(folder)
            folders[:] = [
                each for each in folders if each not in _INSTALLED and not (place / each / "pyvenv.cfg").exists()
            ]
            inside = place.relative_to(self._root)
            found |= {(inside / name).as_posix() for name in names}
            if len(found) > _MOST:
                break
        return found


def _stays_first(other: str, path: str) -> bool:
    """Whether the other lies beside the new module and is found before it: its package, or its stub."""
    plain = path.rpartition(".")[0]
    return other in (f"{plain}/__init__.py", f"{plain}.pyi")


def _module(path: str) -> tuple[str, str]:
    """The folder that a module lies in, with its slash, and its name; a package lies where its folder does."""
    folder, stem = _split(path)
    return _split(folder[:-1], whole=True) if stem == "__init__" and folder else (folder, stem)


def _split(path: str, *, whole: bool = False) -> tuple[str, str]:
    """A path's folder, with its slash, and its last part, without its ending unless it is wanted `whole`."""
    folder, slash, name = path.rpartition("/")
    return folder + slash, name if whole else name.rpartition(".")[0] or name
