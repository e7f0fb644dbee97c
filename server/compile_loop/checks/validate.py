"""Refusing a contract that could not tell red from green (SPEC K1)."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence

from compile_loop.contracts.checks import Check


class ContractError(ValueError):
    """The checks cannot be used; the message is a sentence for the user."""


_VERSION = re.compile(r"^(?:--version|-version|-V|-v|version)$")
_LONGEST_ON_WINDOWS = 8_000
"""Characters of a line for cmd.exe, which takes 8,191; a program's own line may have 32,767."""
_V_IS_VERBOSE = frozenset({"make", "pytest", "mocha", "jest", "vitest"})


def validate(checks: Sequence[Check], platform: str = sys.platform) -> None:
    """Raise `ContractError` for no check, an empty, duplicate, assertion-less or version-only one."""
    if not checks:
        raise ContractError("There is no check. Give a command that fails now and passes when the code is right.")
    names: set[str] = set()
    commands: set[tuple[object, ...]] = set()
    for check in checks:
        words = _words(check)
        if not words:
            raise ContractError(f"The check “{check.name}” is empty. Give the command that it should run.")
        if not all(map(_can_be_passed, words)):
            raise ContractError(
                f"The check “{_shown(check.name)}” holds a character that no command can have (NUL, or half of a pair). "
                "Write it anew."
            )
        if check.name in names or (check.cwd, *words) in commands:
            raise ContractError(
                f"The check “{check.name}” is given twice. Give each check once, with a name of its own."
            )
        names.add(check.name)
        commands.add((check.cwd, *words))
        if check.expect.empty:
            raise ContractError(
                f"The check “{check.name}” asserts nothing, so it could never fail. Give it an expectation."
            )
        if platform == "win32" and sum(map(len, words)) + len(words) > _LONGEST_ON_WINDOWS:
            raise ContractError(
                f"The check “{check.name[:60]}…” is longer than Windows can start. Put it into a script and run that."
            )
        if _only_version(words):
            raise ContractError(
                f"The check “{check.name}” only prints a version and says nothing about your code. "
                "Give the command that builds or tests it."
            )


def _words(check: Check) -> tuple[str, ...]:
    if not isinstance(check.command, str):
        return tuple(word for word in check.command if word)
    try:
        return tuple(shlex.split(check.command))
    except ValueError:
        return (check.command.strip(),) if check.command.strip() else ()


def _can_be_passed(word: str) -> bool:
    """Whether a program can be given a word."""
    try:
        return b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False


def _shown(name: str) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in name)


def _only_version(words: tuple[str, ...]) -> bool:
    if len(words) != 2 or not _VERSION.match(words[1]):
        return False
    return not (words[1] in ("-v", "-V") and words[0].rpartition("/")[2] in _V_IS_VERBOSE)
