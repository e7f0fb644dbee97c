"""Functions that keep their name and lose their body: declared, abstract, native or deleted instead of defined (SPEC K7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tree_sitter import Node

from compile_loop.checks.honesty.failures import surplus
from compile_loop.checks.honesty.grammar import Tree
from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.survey import Function, ancestors, row_of, squash, text_of
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_C = "(declaration declarator: (_) @name) @declared (field_declaration declarator: (_) @name) @declared"
_DECLARED = {
    "c": _C,
    "cpp": _C,
    "rust": "(function_signature_item name: (_) @name) @declared",
    "typescript": "(function_signature name: (_) @name) @declared (abstract_method_signature name: (_) @name) @declared "
    "(ambient_declaration (lexical_declaration (variable_declarator name: (_) @name))) @declared "
    "(ambient_declaration (variable_declaration (variable_declarator name: (_) @name))) @declared",
}
_DECLARED["tsx"] = _DECLARED["typescript"]
_UNKNOWN = r"cannot find|not defined|undeclared|undefined|unresolved|unknown|not found"


def bodies_gone(case: Case, sheet: Sheet, others: Sequence[Sheet]) -> list[Finding]:
    """Findings over the functions of one file whose body went and whose name is still declared there.

    What another file of the edit defines has moved, and a definition too many is rightly given up.
    """
    pairs, gone, _ = sheet.pairs
    defined = {
        f.short_name for other in others if other is not sheet for f in other.new_functions if f.body is not None
    }
    lost: list[tuple[Function, int, str]] = []
    for before, after in pairs:
        if before.body is not None and after.body is None and "= default" not in after.text:
            lost.append((before, after.row, after.text))
    if gone or case.failures.say(_UNKNOWN):
        new, old = _declarations(sheet.new), _declarations(sheet.old)
        more = Counter(name for name, _ in new) - Counter(name for name, _ in old)
        places = {name: node for name, node in new if more[name] > 0}
        lost += [
            (f, row_of(places[f.short_name]), squash(text_of(places[f.short_name])))
            for f in gone
            if f.short_name in places and f.body is not None
        ]
    found: list[Finding | None] = []
    for before, row, text in lost:
        near = case.failures.near(sheet.change.path, before.row, before.end_row, 0)
        if before.test or before.short_name in defined or (near and all(surplus(d) for d in near)):
            continue
        sure = bool(near) and re.search(r"\babstract\b|\bvirtual\b", text) is None
        names = [before.name, before.short_name]
        found.append(
            case.finding(sheet.change, "emptied_body", row, f"no body any more: {text}", certain=sure, names=names)
        )
    return [finding for finding in found if finding is not None] + _only_said(case, sheet)


def _only_said(case: Case, sheet: Sheet) -> list[Finding]:
    """A missing name that TypeScript is told to believe in."""
    if sheet.new.grammar not in ("typescript", "tsx") or not case.failures.say(_UNKNOWN):
        return []
    was = {name for name, _ in _declarations(sheet.old)}
    made = [
        case.finding(sheet.change, "stub", row_of(node), squash(text_of(node)), certain=False, names=[name])
        for name, node in _declarations(sheet.new)
        if name not in was
        and case.failures.name(name)
        and (node.type == "ambient_declaration" or any(a.type == "ambient_declaration" for a in ancestors(node)))
    ]
    return [finding for finding in made if finding is not None]


def _declarations(tree: Tree) -> list[tuple[str, Node]]:
    """The functions that a file declares without a body, by their short names."""
    pattern = _DECLARED.get(tree.grammar)
    if pattern is None:
        return []
    found = []
    whole: Node | None = None
    for capture, node in tree.find(pattern):
        if capture == "declared":
            whole = node
            continue
        if whole is None:
            continue
        name = _name(node) if tree.grammar in ("c", "cpp") else text_of(node)
        if name:
            found.append((name, whole))
    return found


def _name(declarator: Node) -> str:
    """The short name that a C declarator gives to a function; empty where it declares something else."""
    node: Node | None = declarator
    while node is not None and node.type != "function_declarator":
        node = node.child_by_field_name("declarator")
    named = node.child_by_field_name("declarator") if node is not None else None
    return text_of(named).rsplit("::", 1)[-1] if named is not None and named.type.endswith("identifier") else ""
