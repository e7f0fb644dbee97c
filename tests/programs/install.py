"""Get the compilers and checkers that the tests of toolchains run: `python -m tests.programs.install [heavy | local]`.

Debian's packages need root, or `sudo` that does not ask; what npm offers goes into `.cache/tools`. `local` gets only the
latter, `heavy` also what is slow to get. What is not here afterwards is named, with the way to get it.
"""

from __future__ import annotations

import sys

from tests.support.tools import EDITORS, HEAVY, NPM, PYTHON, absent, hide_servers, how, install, obtainable, packages


def main(*arguments: str) -> int:
    """Install what is missing; returns 1 where something that can be got still is."""
    wanted = obtainable() + (sorted(HEAVY) if "heavy" in arguments else [])
    install([*wanted, *EDITORS], system="local" not in arguments)
    hide_servers()
    missing = absent()
    for program in missing:
        note = " (slow: its tests run only where it is installed)" if program in HEAVY else ""
        print(f"not here: {program}; {how(program)}{note}")
    everything = {*packages(), *NPM} - PYTHON
    print(f"{len(everything) - len(missing)} of {len(everything)} programs of toolchains are here")
    return 1 if set(missing) & set(wanted) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
