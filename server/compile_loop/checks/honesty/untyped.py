"""Python functions that a type checker does not look into any more, as they have no annotation left (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.survey import Function, text_of
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_CHECKERS = frozenset({"mypy", "pyright", "basedpyright", "ty", "pyre", "pyrefly"})


def untyped(case: Case, change: Change, pairs: list[tuple[Function, Function]]) -> list[Finding]:
    """Findings for functions with a type error inside that lost all their annotations."""
    found = []
    for before, after in pairs:
        if before.text == after.text or not _typed(before) or _typed(after):
            continue
        near = case.failures.near(change.path, before.row, before.end_row, 0)
        if any(d.source.split(" ")[0].lower() in _CHECKERS for d in near):
            text = f"{after.name} without annotations"
            found.append(case.finding(change, "suppression", after.row, text, certain=True, names=[after.short_name]))
    return [finding for finding in found if finding is not None]


def _typed(function: Function) -> bool:
    node = next((c for c in function.node.named_children if c.type == "function_definition"), function.node)
    parameters = node.child_by_field_name("parameters")
    hinted = parameters is not None and any("typed" in child.type for child in parameters.named_children)
    return (
        hinted
        or node.child_by_field_name("return_type") is not None
        or re.search(r"#\s*type:\s*\(", text_of(node)) is not None
    )
