"""Failures that a function reports as success since the edit (SPEC K7).

That it was none cannot be excluded, so it is always a suspicion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.survey import Function, ancestors, row_of, squash, text_of
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_BAD = re.compile(
    r"return\s+(?:-\d+|[1-9]\d*|false|False|err\w*|Err\(.*|E[A-Z]+|-E[A-Z]+|nil, err\w*|nullptr|NULL|None|null)\s*;?$|"
    r"(?:throw|raise)\b"
)
_GOOD = re.compile(r"return\s+(?:0|true|True|nil|Ok\(\(?.*|nil, nil|EXIT_SUCCESS)\s*;?$")
_ENDS = frozenset({"return_statement", "return_expression", "throw_statement", "raise_statement"})
_IFS = frozenset({"if_statement", "if_expression", "catch_clause", "except_clause"})


def good_news(case: Case, sheet: Sheet) -> list[Finding]:
    """Findings over branches that ended badly, and end well under the same condition."""
    if not case.failures.at_run_time:
        return []
    found: list[Finding | None] = []
    for before, after in sheet.pairs[0]:
        if after.test or before.text == after.text:
            continue
        bad = {under for under, _, text in _branches(before) if _BAD.match(text)}
        still = {under for under, _, text in _branches(after) if _BAD.match(text)}
        good = {under for under, _, text in _branches(before) if _GOOD.match(text)}
        for under, node, text in _branches(after):
            if under in bad - still - good and _GOOD.match(text):
                names = [after.name, after.short_name]
                shown = f"{under}: {text}"
                row = row_of(node)
                found.append(case.finding(sheet.change, "swallowed_exception", row, shown, certain=False, names=names))
    return [finding for finding in found if finding is not None]


def _branches(function: Function) -> Iterator[tuple[str, Node, str]]:
    """The ends of a function's branches with the condition that they stand under."""
    waiting = [function.body] if function.body is not None else []
    while waiting:
        node = waiting.pop()
        waiting.extend(node.named_children)
        if node.type in _ENDS:
            around = next((a for a in ancestors(node) if a.type in _IFS), None)
            if around is not None and around.start_byte > function.node.start_byte:
                condition = around.child_by_field_name("condition") or (
                    around.named_children[0] if around.named_children else None
                )
                yield squash(text_of(condition)), node, squash(text_of(node))
