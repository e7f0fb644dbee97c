"""Scripts of a package.json: what a project itself calls its build, its type check, its tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from compile_loop.contracts.checks import Check, Unrun
from compile_loop.toolchains.manifest import json_of, manifest_check
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.unrun import inside, shown, tests_of

BUILDING = frozenset({"typecheck", "type-check", "check-types", "tsc", "build", "compile"})
"""Scripts that find what a compiler finds."""
_SCRIPTS = ("typecheck", "type-check", "check-types", "tsc", "compile", "build", "lint", "test")
_LOCKS = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun"))
_TEST = re.compile(
    r"(?:(?P<before>.+?)[.\-_](?:test|spec)|test[.\-_](?P<after>.+?))\.[cm]?[jt]sx?",
)
_NO_TESTS = "no test specified"
_WATCHING = ("--watch", " -w ", " watch", " serve", " dev")


def _manager(directory: Path, root: Path) -> str:
    """The package manager that the project names, or whose lock lies in or above the package."""
    for above in (directory, *directory.parents):
        named = json_of(above / "package.json").get("packageManager")
        if isinstance(named, str) and named.split("@")[0] in ("npm", "pnpm", "yarn", "bun"):
            return named.split("@")[0]
        for lock, manager in _LOCKS:
            if (above / lock).is_file():
                return manager
        if above == root:
            break
    return "npm"


def _notice(directory: Path, root: Path) -> Check | None:
    scripts = json_of(directory / "package.json").get("scripts")
    if not isinstance(scripts, dict):
        return None
    for name in _SCRIPTS:
        line = scripts.get(name)
        if isinstance(line, str) and _NO_TESTS not in line and not any(word in f" {line} " for word in _WATCHING):
            command = (_manager(directory, root), "run", name)
            return manifest_check(" ".join(command), command, "package.json", directory, root)
    return None


def tests_by_name(files: Sequence[Path], root: Path) -> list[Path]:
    """`a.test.js`, `a.spec.ts` and their like, of files."""
    return [path for file in files for path in tests_of(file, root, partial(_is_test_of, file))]


def script_tests(files: Sequence[Path], root: Path) -> Unrun | None:
    """Tests of files by their names, where the nearest package has a script that runs its tests."""
    found = tests_by_name(files, root)
    package = next((above for above in found[0].parents if (above / "package.json").is_file()), None) if found else None
    if package is None or not package.is_relative_to(root):
        return None
    scripts = json_of(package / "package.json").get("scripts")
    line = scripts.get("test") if isinstance(scripts, dict) else None
    if not isinstance(line, str) or _NO_TESTS in line:
        return None
    return Unrun(shown(found, root), inside(package, root, f"{_manager(package, root)} run test"))


def _is_test_of(file: Path, path: Path) -> bool:
    named = _TEST.fullmatch(path.name)
    return named is not None and (named["before"] or named["after"]) == file.stem


TOOLCHAIN = Toolchain(
    name="npm",
    programs=(Program("npm", "npm"),),
    builds=(".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", "package.json"),
    order=26,
    notice=_notice,
    only_compiles=True,
)
