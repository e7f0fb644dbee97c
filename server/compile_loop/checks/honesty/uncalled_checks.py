"""Assertions put into a function that the test makes and never calls (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from compile_loop.checks.honesty.survey import Assertion, Function, row_of, squash, text_of
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_BODIES = frozenset(
    {
        "lambda_expression",
        "closure_expression",
        "func_literal",
        "arrow_function",
        "function_expression",
        "lambda",
        "function_definition",
        "function_declaration",
        "function_item",
    }
)
_BINDS = re.compile(
    r"(?:(?:const|let|var|auto|final|static|mut|val|[A-Z][\w<>, ?.]*|std::function<[^=]*>)\s+)*"
    r"(?P<name>[A-Za-z_]\w*)\s*(?::[^=]+)?:?=\s*[^=]",
    re.DOTALL,
)
_NAMED = re.compile(r"(?:async\s+)?(?:def|fn|function\*?)\s+(?P<name>[A-Za-z_]\w*)")
_UNHEARD = re.compile(r"(?<!\w)(?:(?:let )?_ = |\(void\)\s*|void |drop\(|del )&?\w+\)?;?(?=\s|$)")
"""What is named for the compiler alone."""
_RUN_BY_OTHERS = re.compile(r"^(?:test|Test|it$|setup|teardown)|^_$")


def uncalled_checks(
    case: Case, change: Change, before: Function, after: Function, was: Sequence[Assertion], now: Sequence[Assertion]
) -> list[Finding]:
    """Findings over assertions of one test that stood in it and now stand in what nobody calls."""
    old = {a.text for a in was}
    if not any(change.touches(a.row, a.row) for a in now):
        return []
    heard = _UNHEARD.sub(" ", after.text)
    known = {squash(text_of(node)) for _, node in _made(before)}
    found: list[Finding | None] = []
    names = [before.name, before.short_name]
    for name, node in _made(after):
        text = squash(text_of(node))
        if (
            text in known
            or _RUN_BY_OTHERS.match(name)
            or len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", heard)) > 1
        ):
            continue
        inside = [a for a in now if row_of(node) <= a.row <= node.end_point[0] and a.text.removeprefix("if ") in text]
        if inside and (kept := next((a for a in inside if a.text in old), None)) is not None:
            shown = f"nobody calls {name}: {kept.text}"
            found.append(case.finding(change, "weakened_test", kept.row, shown, certain=True, names=names))
    return [finding for finding in found if finding is not None]


def _made(function: Function) -> Iterator[tuple[str, Node]]:
    """The functions that are made inside one and given a name, with the statement that does so."""
    waiting = list(function.body.named_children) if function.body is not None else []
    while waiting:
        node = waiting.pop()
        waiting.extend(node.named_children)
        if node.type not in _BODIES:
            continue
        if named := _NAMED.match(squash(text_of(node))):
            yield named["name"], node
            continue
        holder = node.parent
        for _ in range(4):
            if holder is None or holder.type in _STATEMENTS or holder.type.endswith("_statement"):
                break
            holder = holder.parent
        bound = _BINDS.match(squash(text_of(holder))) if holder is not None else None
        if holder is not None and bound and text_of(holder).rstrip(" ;").endswith(text_of(node).rstrip()):
            yield bound["name"], holder


_STATEMENTS = frozenset(
    {
        "declaration",
        "let_declaration",
        "lexical_declaration",
        "variable_declaration",
        "local_variable_declaration",
        "short_var_declaration",
        "var_declaration",
    }
)
