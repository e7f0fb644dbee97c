"""Get the compilers and checkers that the tests of toolchains run: `python -m tests.programs.install [heavy]`.

Debian's packages need root, or `sudo` that does not ask; what npm offers goes into `.cache/tools`. What cannot be got is
named, with the way to get it.
"""

from __future__ import annotations

import sys

from tests.support.tools import HEAVY, NPM, PYTHON, how, install, packages, where


def main(*arguments: str) -> int:
    """Install what is missing; returns 1 where something still is."""
    wanted = sorted((set(packages()) | NPM) - PYTHON - (set() if "heavy" in arguments else HEAVY))
    install([program for program in wanted if where(program) is None])
    missing = [program for program in wanted if where(program) is None]
    for program in missing:
        print(f"missing: {program}; {how(program)}")
    print(f"{len(wanted) - len(missing)} of {len(wanted)} are here")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
