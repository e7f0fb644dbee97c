"""Whether a module that a language server would import is one that the project means (SPEC D5)."""

from __future__ import annotations

import re
import sys

from compile_loop.toolchains.tree import Tree

_IMPORT = re.compile(r"^\s*(?:from|import)\s+(\.*[\w.]*)", re.MULTILINE)
_SOURCES = ("", "src/", "lib/")


def imports_a_stranger(text: str, tree: Tree) -> bool:
    """Whether a fix puts in an import of something else than Python's own library, or a package of the workspace.

    Servers offer every module of the environment that has such a name, also the inner parts of a package that is only
    there because another one needs it.
    """
    return any(not _is_known(module, tree) for module in _IMPORT.findall(text))


def _is_known(module: str, tree: Tree) -> bool:
    parts = module.split(".")
    if not parts[0]:
        return True  # relative: it is in the workspace
    if any(part.startswith("_") for part in parts):
        return False
    return parts[0] in sys.stdlib_module_names or any(_is_there(f"{at}{parts[0]}", tree) for at in _SOURCES)


def _is_there(package: str, tree: Tree) -> bool:
    at = tree.names.join(tree.names.root, package)
    return any(tree.read(name) is not None for name in (f"{at}.py", f"{at}.pyi", f"{at}/__init__.py"))
