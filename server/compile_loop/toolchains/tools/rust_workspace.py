"""The directories that cargo's names are relative to: the workspace's root, not the one the command ran in."""

from __future__ import annotations

import re

from compile_loop.contracts.diagnostics import NOWHERE, Range
from compile_loop.toolchains.tree import Tree

_WORKSPACE = re.compile(rb"^\s*\[\s*workspace[\s.\]]", re.MULTILINE)
_REFERENCED = re.compile(r"^>>> referenced by [^(\n]*\((?P<file>[^()\n]+?):(?P<line>\d{1,9})\)", re.MULTILINE)


def bases(tree: Tree, start: str) -> tuple[str, ...]:
    """The workspace's root for a package in or above `start`, then the package itself; absolute, may be empty."""
    package = None
    for directory in tree.names.parents(start):
        manifest = tree.read(tree.names.join(directory, "Cargo.toml"))
        if manifest is None:
            continue
        package = package or directory
        if _WORKSPACE.search(manifest):
            return tuple(dict.fromkeys((directory, package)))
    return (package,) if package else ()


def referenced(tree: Tree, message: str) -> tuple[str | None, Range]:
    """The place that a linker's message says refers to what it did not find."""
    for found in _REFERENCED.finditer(message):
        path = tree.resolve(found["file"], *bases(tree, tree.names.cwd))
        if path is not None:
            return path, tree.whole_line(path, int(found["line"]) - 1)
    return None, NOWHERE
