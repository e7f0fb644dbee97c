"""Python's detours around a checker: names asked for by a text, types taken away, things that have every attribute (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.names import enclosing_names
from compile_loop.checks.honesty.survey import Mark, ancestors, row_of, squash, statements, text_of

_QUERY = r"""
(call function: (_) @fn (#match? @fn "^(getattr|eval|exec|json[.]loads)$")) @call
(subscript value: (call function: (identifier) @fn (#match? @fn "^(globals|locals|vars)$"))) @looked
(function_definition name: (identifier) @fn (#match? @fn "^__(a?exit|getattr)__$")) @hook
(function_definition return_type: (type) @fn (#match? @fn "TypeGuard|TypeIs")) @guard
(class_definition !superclasses) @class
(if_statement condition: (not_operator (identifier) @fn (#eq? @fn "TYPE_CHECKING"))
  consequence: (block [(function_definition) (class_definition) (decorated_definition)])) @unchecked
(if_statement condition: (identifier) @fn (#eq? @fn "TYPE_CHECKING")
  alternative: (else_clause body: (block [(function_definition) (class_definition) (decorated_definition)]))) @unchecked
"""
_CHECKERS = frozenset({"mypy", "pyright", "basedpyright", "pyre", "ty", "pylint", "ruff", "flake8", "pyflakes"})
_MISSING = r"(?:undefined|not defined|unresolved|cannot find|E0602|F821)"


def python_launderings(tree: Tree, wanted: Filter) -> Iterator[Mark]:
    """Marks for such detours where a failure speaks of what they get round."""
    for name, node in tree.find(_QUERY):
        if name == "fn" or not wanted(node):
            continue
        row, names, line = row_of(node), enclosing_names(node), tree.text.row(row_of(node)).strip()
        if name == "call":
            yield from _call(squash(text_of(node)), row, names, line)
        elif name == "looked":
            key = re.search(r"\[[\"'](\w+)[\"']\]$", text_of(node))
            if key:
                yield Mark("suppression", row, line, names=names, only_if=rf"\b{key[1]}\b")
        elif name == "hook":
            yield from _hook(node, names)
        elif name == "guard":
            kept = _body(node)
            there = len(kept) == 1 and re.fullmatch(r"return (?:\w+ is not None|bool\(\w+\))", kept[0]) is not None
            if (kept in (["return True"], ["..."]) or there) and "Protocol" not in tree.text.text:
                yield Mark("any_cast", row, line, tools=_CHECKERS, scope="project", needs_failure=True, names=names)
        elif name == "unchecked":
            types = frozenset({"mypy", "pyright", "basedpyright", "pyre", "ty"})
            yield Mark("suppression", row, line, needs_failure=True, scope="block", tools=types, names=names)
        elif name == "class":
            short = text_of(node.child_by_field_name("name"))
            if all(text in ("pass", "...") for text in _body(node)):
                missing = rf"{_MISSING}.*\b{short}\b|\b{short}\b.*{_MISSING}"
                yield Mark("stub", row, line, certain=False, names=names | {short}, only_if=missing)


def _call(text: str, row: int, names: frozenset[str], line: str) -> Iterator[Mark]:
    attribute = re.match(r"getattr\([^,]+,\s*[\"'](\w+)[\"']\s*\)$", text)
    if attribute:
        yield Mark(
            "any_cast", row, line, names=names, only_if=rf"(?:attribute|member|attr-defined).*\b{attribute[1]}\b"
        )
    elif re.match(r"(?:eval|exec)\(\s*[\"']", text):
        yield Mark("any_cast", row, line, certain=False, only_near=True, tools=_CHECKERS, names=names)
    elif re.match(r"json\.loads\(\s*json\.dumps\(", text):
        yield Mark(
            "any_cast", row, line, only_near=True, tools=frozenset({"mypy", "pyright", "pyre", "ty"}), names=names
        )


def _body(node: Node) -> list[str]:
    return [squash(text_of(s)) for s in statements(node.child_by_field_name("body"))]


def _hook(node: Node, names: frozenset[str]) -> Iterator[Mark]:
    kept = _body(node)
    head = squash(text_of(node)).split(":")[0]
    if "getattr" in head:
        around = next(
            (text_of(a.child_by_field_name("name")) for a in ancestors(node) if a.type == "class_definition"), ""
        )
        if around and re.search(r"->\s*(?:typing\.)?[\"']?Any\b", squash(text_of(node)).split(" return ")[0]):
            said = rf"\"{around}\" has no attribute|attribute \"\w+\" for class \"{around}"
            yield Mark("any_cast", row_of(node), squash(text_of(node)).split(" return ")[0], names=names, only_if=said)
        elif kept and re.match(r"return (?:lambda|self\b$|None$|(?:Magic)?Mock\(|_?noop\b)", kept[-1]):
            yield Mark(
                "stub",
                row_of(node),
                f"{head}: {kept[-1]}",
                certain=False,
                names=names,
                only_if=r"attribute|attr-defined|member|[Nn]o module named|cannot import",
            )
    elif kept and kept[-1] == "return True":
        at = statements(node.child_by_field_name("body"))[-1]
        yield Mark("swallowed_exception", row_of(at), f"{head}: return True", names=names)
