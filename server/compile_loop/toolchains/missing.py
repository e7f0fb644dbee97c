"""What to do about a program that a check names and that is not on the PATH."""

from __future__ import annotations

from pathlib import Path

from compile_loop.toolchains.manifest import own_program
from compile_loop.toolchains.registry import toolchains, way_to_get

INSTALL = "Install it or put it on the PATH, then run again."
_NPM = "npm install "


def advice(program: str, directory: Path, root: Path) -> str:
    """A sentence: the project's own copy, which a check in `directory` has to name by its path; else how it is got."""
    own = own_program(program, directory, root) if "/" not in program and "\\" not in program else program
    if "node_modules/" in own and own != program:
        return f"The project has its own: write `npx {program}` or `{own}`."
    if own.replace(".cmd", "") != program:
        return f"The project has its own: write `{own}`."
    package = next((one.package for each in toolchains() for one in each.programs if one.name == program), None)
    if package is None:
        return INSTALL
    if package.startswith(_NPM):
        return f"Install it with `{package}` and write `npx {program}`, or put it on the PATH, then run again."
    return f"Install it ({way_to_get(package)}) or put it on the PATH, then run again."
