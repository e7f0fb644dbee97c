"""Commands from somebody else's record: shown, and run after a yes (SPEC Z1)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from compile_loop.again.foreign import Agree

TrustChecks = Annotated[
    bool,
    typer.Option("--trust-checks", help="Run the checks of a record that is not of this machine without asking."),
]


def agreement(trusted: bool) -> Agree:
    """Somebody who agrees: beforehand where `trusted`, else at a terminal, if there is one."""

    def agree(commands: Sequence[str]) -> bool:
        if trusted:
            return True
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return False
        console = Console(stderr=True, highlight=False)
        console.print("This record is not of this machine. Its checks are commands that somebody else wrote:")
        for command in commands:
            console.print(f"  {escape(command)}", soft_wrap=True)
        return typer.confirm("Run them here?", default=False, err=True)

    return agree
