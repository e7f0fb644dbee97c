"""The directories that cargo's names are relative to: the workspace's root, not the one the command ran in."""

from __future__ import annotations

import re

from compile_loop.toolchains.tree import Tree

_WORKSPACE = re.compile(rb"^\s*\[\s*workspace[\s.\]]", re.MULTILINE)


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
