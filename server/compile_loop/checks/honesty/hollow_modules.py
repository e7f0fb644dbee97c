"""Missing modules that were made, so that they are there, and in which nothing is done (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.failures import literals_of, telling
from compile_loop.checks.honesty.hollow import nature
from compile_loop.checks.honesty.idle import is_idle_name
from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.survey import Function, text_of
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_MISSING = re.compile(
    r"cannot find (?:module|package)|no module named|module not found|unresolved (?:import|module)|"
    r"file not found for module|could not resolve|"
    r"package [\w.]+ does not exist|no required module|not in (?:std|GOROOT)|no such file|ERR_MODULE_NOT_FOUND|TS2307|E0583|E0432",
    re.IGNORECASE,
)


def hollow_modules(case: Case, sheet: Sheet) -> list[Finding]:
    """A finding for a new file that a failure missed, and all of whose functions do nothing."""
    path = sheet.change.path
    if sheet.change.old.exists or is_test_path(path) or not _missed(case, path):
        return []
    made = [f for f in sheet.new_functions if f.body is not None and not f.plain]
    if not made or not all(_idle(f) for f in made) or is_idle_name(path.rsplit("/", 1)[-1].split(".")[0]):
        return []
    names = [name for f in made for name in (f.name, f.short_name)]
    shown = f"nothing is done in it: {', '.join(f.short_name for f in made[:4])}"
    sure = any(nature(f) != "constant" for f in made)
    found = case.finding(sheet.change, "stub", made[0].row, shown, certain=sure, names=names)
    return [found] if found is not None else []


def _missed(case: Case, path: str) -> bool:
    """Whether a failure says that this file, or the module that it is, is not there."""
    parts = re.sub(r"\.\w+$", "", path).split("/")
    stem = parts[-2] if parts[-1] in ("index", "__init__", "mod", "lib") and len(parts) > 1 else parts[-1]
    return any(
        _MISSING.search(f"{d.code or ''} {d.message}")
        and re.search(rf"(?<![\w-]){re.escape(stem)}(?![\w-])", d.message)
        for d in case.failures.all
    )


def _idle(function: Function) -> bool:
    what = nature(function)
    return bool(what) and not (what == "constant" and telling(literals_of(text_of(function.body))))
