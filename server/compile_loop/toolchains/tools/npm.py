"""Scripts of a package.json: what a project itself calls its build, its type check, its tests."""

from __future__ import annotations

from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.toolchains.manifest import json_of, manifest_check
from compile_loop.toolchains.toolchain import Program, Toolchain

BUILDING = frozenset({"typecheck", "type-check", "check-types", "tsc", "build", "compile"})
"""Scripts that find what a compiler finds."""
_SCRIPTS = ("typecheck", "type-check", "check-types", "tsc", "compile", "build", "lint", "test")
_LOCKS = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun"))
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


TOOLCHAIN = Toolchain(
    name="npm",
    programs=(Program("npm", "npm"),),
    builds=(".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", "package.json"),
    order=26,
    notice=_notice,
)
