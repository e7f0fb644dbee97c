"""New ways out of a test in front of what it demands (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from compile_loop.checks.honesty.survey import Assertion, Function, row_of, squash, statements, text_of
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_LEAVES = frozenset(
    {
        "return_statement",
        "return_expression",
        "continue_statement",
        "break_statement",
        "continue_expression",
        "break_expression",
    }
)
_IFS = frozenset({"if_statement", "if_expression"})
_SETTING = re.compile(
    r"platform|\bos\.name\b|\bGOOS\b|\bcfg!?\b|win32|windows|linux|darwin|version|hasattr|which\(|environ|process\.env|getenv|Getenv|uname|arch|"
    r"isatty|\bCI\b|endian|locale|root\b|geteuid|getuid|importlib|find_spec|available|supported?\b|exists\(",
    re.IGNORECASE,
)
"""Conditions about where a test runs."""


def early_exits(
    case: Case, change: Change, before: Function, after: Function, was: Sequence[Assertion], now: Sequence[Assertion]
) -> list[Finding]:
    """Findings for new conditions that leave a test, or a round of its loop, before an old assertion."""
    known = {squash(text_of(node)) for node in _ifs(before.body)}
    old = {a.text for a in was}
    found: list[Finding | None] = []
    for node in _ifs(after.body):
        text = squash(text_of(node))
        if text in known or not change.touches(row_of(node), int(node.end_point[0])) or not _only_leaves(node):
            continue
        spared = [a for a in now if a.row > row_of(node) and a.text in old]
        if not spared:
            continue
        condition = text_of(node.child_by_field_name("condition"))
        failed = case.failures.near(change.path, before.row, before.end_row, 0)
        certain = bool(failed) and case.failures.testing and not _SETTING.search(condition)
        shown = f"only sometimes, after {text}: {spared[0].text}"
        names = [before.name, before.short_name]
        found.append(case.finding(change, "weakened_test", row_of(node), shown, certain=certain, names=names))
    return [finding for finding in found if finding is not None]


def _ifs(body: Node | None) -> Iterator[Node]:
    """The conditions of a function, without those of functions inside."""
    waiting = [body] if body is not None else []
    while waiting:
        node = waiting.pop()
        if node.type in _IFS:
            yield node
        if node is body or not ("function" in node.type or "closure" in node.type or "lambda" in node.type):
            waiting.extend(reversed(node.named_children))


def _only_leaves(node: Node) -> bool:
    body = node.child_by_field_name("consequence")
    if body is None or node.child_by_field_name("alternative") is not None:
        return False
    inner = [
        s.named_children[0] if s.type == "expression_statement" and s.named_children else s for s in statements(body)
    ]
    told = [
        s
        for s in inner
        if not re.match(
            r"(?:console\.\w+|print(?:ln!?|f)?|fmt\.Print\w*|System\.out\.\w+|t\.Logf?|warnings\.warn|log\w*\.\w+)\s*\(",
            text_of(s),
        )
    ]
    return bool(told) and all(s.type in _LEAVES and len(text_of(s)) < 40 for s in told)
