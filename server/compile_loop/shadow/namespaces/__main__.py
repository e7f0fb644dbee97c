"""Start one of the programs here, without site packages and without running the package's own start-up code."""

from __future__ import annotations

import sys
from types import ModuleType

PROGRAMS = ("holder", "enter", "guard")


def _bare_packages(here: str) -> None:
    """Make `compile_loop.shadow.namespaces` importable from this folder alone."""
    folder = here
    for name in ("compile_loop.shadow.namespaces", "compile_loop.shadow", "compile_loop"):
        package = ModuleType(name)
        package.__path__ = [folder]
        sys.modules[name] = package
        folder = folder.rpartition("/")[0]


def main() -> None:
    """Run the program that the first argument names."""
    _bare_packages(__file__.rpartition("/")[0])
    program = sys.argv[1]
    if program == "holder":
        from compile_loop.shadow.namespaces.holder import main as run
    elif program == "enter":
        from compile_loop.shadow.namespaces.enter import main as run
    elif program == "guard":
        from compile_loop.shadow.namespaces.guard import main as run
    else:
        raise SystemExit(f"one of {PROGRAMS}, not {program!r}")
    run(sys.argv[2:])


if __name__ == "__main__":
    main()
