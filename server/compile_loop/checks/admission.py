"""Which files of a workspace may become targets, and which a check lives by (SPEC E10, K6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from pathspec import GitIgnoreSpec

from compile_loop.checks.contract_file import NAME, ContractFile
from compile_loop.checks.expectations import Doubt, Expectations
from compile_loop.checks.led_to import LedTo
from compile_loop.checks.protected import is_protected
from compile_loop.checks.scripts import scripts_of
from compile_loop.contracts.checks import Check
from compile_loop.edits.paths import protected_part


def gate(
    root: Path,
    file: ContractFile,
    scripts: frozenset[str],
    expected: Expectations | None = None,
    led: LedTo | None = None,
    *,
    named: bool = False,
    hidden: Collection[str] = (),
) -> Callable[[str, bool], str | None]:
    """Why a workspace-relative path may not become a target, or None where it may.

    The gate's second argument says whether an error lies in the file itself. `scripts` are files that a check runs,
    `expected` the data that it compares with, `led` what its configuration and programs take in. `named`: the
    user named the files to be edited. `hidden` are files that only hidden checks see: to a model there are none.
    """
    data = expected or Expectations()
    followed = led or LedTo()
    taken_in = followed.files
    doubt = Doubt(root, {*scripts, *data.programs})
    listed = GitIgnoreSpec.from_lines(file.protected)

    def admit(path: str, has_error: bool) -> str | None:
        place = root / path
        if not place.resolve().is_relative_to(root):
            return "it lies outside the workspace"
        if (part := protected_part(path)) is not None:
            return f"{part} decides what runs on this machine"
        if listed.match_file(path):
            return f"{NAME} protects it"
        if path in scripts:
            return "the check runs it"
        if not has_error and is_protected(path):
            return "it is a test, build or configuration file"
        if not has_error and path in data.programs:
            return "the check runs it"
        if not has_error and (path in data.certain or (path in data.unsure and doubt.is_expectation(path))):
            return "the check compares with it"
        if not has_error and named and path in followed.helpers:
            return "it holds the code against what is right; name it among the files to let it be edited"
        if not has_error and path in taken_in:
            return "the check or its configuration takes it in"
        return None if place.is_file() and path not in hidden else "it is no file of the workspace"

    return admit


def check_scripts(checks: Sequence[Check], root: Path) -> frozenset[str]:
    """Files of the workspace that a check runs, as a program or by an interpreter.

    No run over other files edits them (SPEC E10).
    """
    return frozenset(path for check in checks for path in scripts_of(check, root))
