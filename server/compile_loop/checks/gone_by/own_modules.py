"""Modules of programs that look at the code and complain of it: they are the check's, whatever they are called (SPEC K6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from compile_loop.checks.gone_by.naming import Naming, names, takes_in
from compile_loop.checks.gone_by.texts import Deciding, DecidingTexts
from compile_loop.checks.modules import imports
from compile_loop.checks.protected import is_found_by_name, is_protected
from compile_loop.contracts.diagnostics import Diagnostic

_WALKS = re.compile(
    r"\br?i?glob\w*\s*\(|\bos\.walk\b|\bwalk\w*\s*\(|\bfind\b|\bscandir\b|\biterdir\b|\blistdir\b|\breaddir\w*\b|\bls-files\b|\*\*/|WalkDir|Dir\["
)
_READS = re.compile(r"\bopen\w*\s*\(|\bread\w*\s*\(|\bslurp\b|\bargv\b|\bARGV\b|\bargs\b")
_MOST_MODULES = 50


def own_module(
    path: str, failures: Sequence[Diagnostic], texts: DecidingTexts, root: Path
) -> tuple[Deciding, Naming] | None:
    """The program that takes a module in, and where.

    None where a failure lies in the module or in the program, which then calls the code, or where the code takes it in.
    """
    places = {error.file for error in failures if error.file is not None}
    if path in places or not places:
        return None
    for program in texts.programs:
        if program.path in places or not _looks(program):
            continue
        own = _modules_of(program, texts, root)
        code = [source for source in texts.sources if source.path not in own or source.path in places]
        if path in own and not any(takes_in(path, source.path, source.text) for source in code):
            return program, next(names(path, program.path, program.text), Naming(1, "", False))
    return None


def _looks(program: Deciding) -> bool:
    """Whether a program looks at the code instead of calling it; a test that reads a file may well do both."""
    walks = _WALKS.search(program.text) is not None
    return walks or (not is_found_by_name(program.path) and _READS.search(program.text) is not None)


def _modules_of(program: Deciding, texts: DecidingTexts, root: Path) -> set[str]:
    found: set[str] = set()
    waiting = [program.path]
    while waiting and len(found) < _MOST_MODULES:
        path = waiting.pop()
        place = root / path
        more = imports(place, texts.text_of(path), (place.parent, root), root) - found
        found |= more
        waiting += [each for each in more if not is_protected(each)]
    return found
