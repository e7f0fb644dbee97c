"""The functions and tests of TypeScript and JavaScript, and what the tests demand."""

from __future__ import annotations

import re

from tree_sitter import Node

from compile_loop.checks.honesty.assertions import from_call
from compile_loop.checks.honesty.grammar import Tree
from compile_loop.checks.honesty.languages.names import is_test_path, qualified
from compile_loop.checks.honesty.survey import Assertion, Function, ancestors, row_of, squash, text_of

_FUNCTIONS = r"""
(function_declaration) @function
(generator_function_declaration) @function
(method_definition) @function
(variable_declarator value: [(arrow_function) (function_expression)]) @function
(pair value: [(arrow_function) (function_expression)]) @function
(assignment_expression left: [(member_expression) (identifier)] right: [(arrow_function) (function_expression)]) @function
(call_expression function: (_) @name (#match? @name "^(x|f)?(it|test|describe|specify|context|suite)\\b")) @test
"""
_FIELDS = {
    "javascript": "(field_definition value: [(arrow_function) (function_expression)]) @function",
    "typescript": "(public_field_definition value: [(arrow_function) (function_expression)]) @function",
    "tsx": "(public_field_definition value: [(arrow_function) (function_expression)]) @function",
}
_ASSERTIONS = r"""
(call_expression function: (_) @fn
  (#match? @fn "^(expect|assert|should|t|ok|equal|deepEqual|strictEqual|deepStrictEqual|chai)\\b")) @call
(expression_statement (member_expression) @property (#match? @property "^expect\\("))
"""
_LATER = re.compile(
    r"(?:setTimeout|setImmediate|setInterval|queueMicrotask|process\.nextTick|requestAnimationFrame)\s*\("
)
"""What is called when the test may have ended."""
_TESTS = re.compile(
    r"(?:x|f)?(it|test|specify)(?:\.(?:skip|only|concurrent|each|failing|fails|sequential|todo)\b.*)?$", re.DOTALL
)


def functions(tree: Tree, path: str) -> list[Function]:
    """Functions by name, and tests by the titles that lead to them."""
    found = []
    in_tests = is_test_path(path)
    for name, node in tree.find(_FUNCTIONS + _FIELDS[tree.grammar]):
        if name == "function":
            found.append(_function(node))
        elif name == "test" and in_tests:
            test = _test(node)
            if test is not None:
                found.append(test)
    return found


def _function(node: Node) -> Function:
    holder = node.child_by_field_name("value") or node.child_by_field_name("right") or node
    named = next((n for field in ("name", "key", "property", "left") if (n := node.child_by_field_name(field))), None)
    short = text_of(named).strip("\"'`")
    body = holder.child_by_field_name("body") if holder is not None else None
    return Function(
        qualified(node, short),
        row_of(node),
        int(node.end_point[0]),
        node,
        body,
        plain=short == "constructor" or "abstract" in text_of(node).split("(")[0],
        overrides="override" in text_of(node).split("(")[0] or _of_another(node),
    )


def _of_another(node: Node) -> bool:
    """Whether it is put into an object that is not the module's own."""
    left = node.child_by_field_name("left")
    return left is not None and re.match(r"(?:module\.)?exports\b|this\.|\w+$|\w+\.prototype\.", text_of(left)) is None


def _test(node: Node) -> Function | None:
    if not _TESTS.match(text_of(node.child_by_field_name("function"))):
        return None
    arguments = node.child_by_field_name("arguments")
    parts = arguments.named_children if arguments is not None else []
    handler = next((p for p in parts if p.type in ("arrow_function", "function_expression")), None)
    if not parts or handler is None:
        return None
    titles = [_title(around) for around in ancestors(node) if around.type == "call_expression"]
    name = " > ".join([*reversed([t for t in titles if t]), text_of(parts[0]).strip("\"'`")])
    return Function(name, row_of(node), int(node.end_point[0]), node, handler.child_by_field_name("body"), test=True)


def _title(node: Node) -> str:
    arguments = node.child_by_field_name("arguments")
    function = text_of(node.child_by_field_name("function"))
    if (
        arguments is None
        or not arguments.named_children
        or not re.match(r"(?:x|f)?(?:describe|suite|context)\b", function)
    ):
        return ""
    return text_of(arguments.named_children[0]).strip("\"'`")


def assertions(tree: Tree, function: Function) -> list[Assertion]:
    """`expect(…)` chains, called or not, and calls of assertion libraries."""
    found = []
    for name, node in tree.find(_ASSERTIONS, function.node):
        if name == "fn":
            continue
        depth = sum(
            around.type in ("if_statement", "try_statement", "catch_clause")
            or (around.type == "call_expression" and _LATER.match(text_of(around)) is not None)
            for around in ancestors(node)
            if around.start_byte > function.node.start_byte
        )
        if name == "property":  # `expect(x).to.be.true`
            last = text_of(node.child_by_field_name("property"))
            found.append(from_call(row_of(node), text_of(node), last, [_subject(node)], depth))
            continue
        called = text_of(node.child_by_field_name("function"))
        arguments = node.child_by_field_name("arguments")
        texts = [text_of(a) for a in arguments.named_children] if arguments is not None else []
        made = _assertion(node, called, texts, depth)
        if made is not None:
            found.append(made)
    return found


def _assertion(node: Node, called: str, texts: list[str], depth: int) -> Assertion | None:
    row, text = row_of(node), text_of(node)
    if called.startswith("expect"):
        subject = re.match(r"expect(?:\.soft)?\s*\(", called)
        if subject is None:
            return None  # `expect(…)` itself, or expect.any(…)
        chain = _chain(node)
        name = re.split(r"\.", called)[-1].strip()
        if "not" in chain:
            name = {"toBeNull": "notNull", "toBeUndefined": "notNull", "toThrow": "no_throw_raises"}.get(
                name, "notEqual"
            )
        made = from_call(row, text, name, [_subject(node), *texts], depth)
        trivial = made.form in ("truth", "not_null", "null", "equal") and _constant(made.arguments[:1])
        return Assertion(row, made.text, "trivial" if trivial else made.form, made.arguments, depth)
    if called == "should" or re.match(r"t\.(?:test|diagnostic|plan|mock|after|before|context|skip|todo)\b", called):
        return None
    if re.match(r"t\.\w+$|(?:assert|chai\.assert)(?:\.\w+)*$|\w+$", called):
        return from_call(row, text, called.rsplit(".", 1)[-1], texts, depth)
    return None


def _chain(node: Node) -> list[str]:
    words: list[str] = []
    inner: Node | None = node.child_by_field_name("function") or node
    while inner is not None and inner.type == "member_expression":
        words.append(text_of(inner.child_by_field_name("property")))
        inner = inner.child_by_field_name("object")
    return words


def _subject(node: Node) -> str:
    inner: Node | None = node.child_by_field_name("function") or node
    while inner is not None and inner.type == "member_expression":
        inner = inner.child_by_field_name("object")
    arguments = inner.child_by_field_name("arguments") if inner is not None else None
    return squash(text_of(arguments)[1:-1]) if arguments is not None else ""


def _constant(arguments: tuple[str, ...]) -> bool:
    return (
        bool(arguments) and re.fullmatch(r"true|false|null|undefined|\d+|'[^']*'|\"[^\"]*\"", arguments[0]) is not None
    )


def cases(tree: Tree, function: Function) -> list[str]:
    """The rows of the tables that drive a test: `it.each([…])` and arrays inside it."""
    return [text_of(row) for _, n in tree.find("(array) @rows", function.node) for row in n.named_children]
