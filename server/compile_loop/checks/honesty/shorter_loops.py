"""Loops of tests that go fewer rounds than before (SPEC K7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.survey import Function, row_of, squash
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_LOOPS = frozenset(
    {
        "for_statement",
        "for_expression",
        "enhanced_for_statement",
        "for_range_loop",
        "while_statement",
        "for_in_statement",
    }
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d_]*")


def shorter_loops(case: Case, sheet: Sheet) -> list[Finding]:
    """Findings over loops whose heads differ from the ones before in nothing but a smaller number."""
    found: list[Finding | None] = []
    for before, after in sheet.pairs[0]:
        if not (before.test and after.test) or before.text == after.text:
            continue
        known = Counter(head for _, head in _heads(before))
        lost = known - Counter(head for _, head in _heads(after))
        for row, head in _heads(after):
            if known[head]:
                continue
            mask = _NUMBER.sub("#", head)
            was = next((old for old in lost if _NUMBER.sub("#", old) == mask and _sum(head) < _sum(old)), None)
            if was is not None:
                names = [after.name, after.short_name]
                shown = f"{was} became {head}"
                certain = case.failures.testing and 2 * _sum(head) <= _sum(was)
                found.append(case.finding(sheet.change, "weakened_test", row, shown, certain=certain, names=names))
    return [finding for finding in found if finding is not None]


def _sum(head: str) -> int:
    return sum(int(n.replace("_", "") or 0) for n in _NUMBER.findall(head))


def _heads(function: Function) -> Iterator[tuple[int, str]]:
    waiting = [function.body] if function.body is not None else []
    while waiting:
        node = waiting.pop()
        waiting.extend(node.named_children)
        if node.type in _LOOPS:
            body = node.child_by_field_name("body")
            end = body.start_byte - node.start_byte if body is not None else None
            yield row_of(node), squash((node.text or b"")[:end].decode("utf-8", "replace"))
