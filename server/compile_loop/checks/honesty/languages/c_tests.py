"""The functions and tests of C and C++, and what the tests demand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.assertions import from_call, from_condition
from compile_loop.checks.honesty.grammar import Tree
from compile_loop.checks.honesty.languages.names import is_test_path, qualified
from compile_loop.checks.honesty.survey import Assertion, Function, ancestors, around_in, row_of, squash, text_of

_GTEST = re.compile(
    r"(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|BOOST_AUTO_TEST_CASE|IGNORE_TEST|CTEST|START_TEST|Test)$"
)
_CATCH = re.compile(r"(?:TEST_CASE|SCENARIO|TEST_CASE_METHOD|SUBCASE|SECTION|TEST_CASE_TEMPLATE)$")
_ASSERTING = (
    r"^(_?_?assert\\w*|EXPECT_\\w+|ASSERT_\\w+|REQUIRE\\w*|CHECK\\w*|BOOST_\\w+|ck_assert\\w*|TEST_ASSERT\\w*|TEST_CHECK\\w*|"
    r"CU_ASSERT\\w*|static_assert|cr_assert\\w*|RUN_TEST|FAIL|ADD_FAILURE|test_\\w+|check_\\w+|expect_\\w+)$"
)
_FAILS = re.compile(
    r"\breturn\s+(?:[1-9]|-1|EXIT_FAILURE|false)|\b_?exit\s*\(\s*(?:[1-9]|EXIT_FAILURE)|\babort\s*\(|\b\w*(?:fail|error)\w*\s*(?:\+\+|\+=|=\s*[1t])|"
    r"(?:\+\+)\w*(?:fail|error)|\bfail\w*\s*\(|\bthrow\b",
    re.IGNORECASE,
)
_BRANCHES = frozenset({"if_statement", "try_statement", "catch_clause", "preproc_if", "preproc_ifdef"})


def functions(tree: Tree, path: str) -> list[Function]:
    """Functions by name, and tests by suite and name; in a file of tests each function that asserts is a test."""
    in_tests = is_test_path(path)
    found = [
        made
        for _, node in tree.find("(function_definition) @function")
        if (made := _function(node, in_tests)) is not None
    ]
    found.extend(_catch_tests(tree))
    return found


def _function(node: Node, in_tests: bool) -> Function | None:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator") or next(
            (c for c in declarator.named_children if "declarator" in c.type), None
        )
    body = node.child_by_field_name("body")
    if declarator is None:
        return None
    named = declarator.child_by_field_name("declarator")
    short = text_of(named)
    end = int(node.end_point[0])
    if _GTEST.match(short):
        parameters = squash(text_of(declarator.child_by_field_name("parameters"))[1:-1]).replace("DISABLED_", "")
        return Function(f"{short}({parameters})", row_of(node), end, node, body, test=True)
    last = short.rsplit("::", 1)[-1]
    owner = short.rsplit("::", 2)[-2] if "::" in short else ""
    around = next((a for a in ancestors(node) if a.type in ("class_specifier", "struct_specifier")), None)
    owner = owner or (text_of(around.child_by_field_name("name")) if around is not None else "")
    test = re.match(r"test_|test[A-Z]|check_", last) is not None or (in_tests and _asserts(body))
    return Function(
        qualified(node, short),
        row_of(node),
        end,
        node,
        body,
        test=test and in_tests,
        plain="~" in short or last == owner,
        overrides="override" in text_of(node).split("{")[0] or "virtual" in text_of(node).split("{")[0],
    )


def _asserts(body: Node | None) -> bool:
    return re.search(
        r"\b(?:assert\w*|EXPECT_|ASSERT_|REQUIRE|CHECK|RUN_TEST|test_)\w*\s*\(", text_of(body)
    ) is not None or bool(re.search(r"\bif\s*\(", text_of(body)) and _FAILS.search(text_of(body)))


def _catch_tests(tree: Tree) -> Iterator[Function]:
    """`TEST_CASE("…") { … }`, which a grammar without the macro reads as a call and a block."""
    pattern = (
        '(expression_statement (call_expression function: (identifier) @name (#match? @name "^(TEST_CASE|SCENARIO|'
        'TEST_CASE_METHOD)$"))) @test'
    )
    for name, node in tree.find(pattern):
        body = node.next_named_sibling
        if name == "test" and body is not None and body.type == "compound_statement":
            title = re.search(r'"((?:[^"\\]|\\.)*)"', text_of(node))
            yield Function(
                title[1] if title else text_of(node), row_of(node), int(body.end_point[0]), body, body, test=True
            )


def assertions(tree: Tree, function: Function) -> list[Assertion]:
    """Macros and calls that assert, calls that run tests, and conditions that lead to a failure."""
    found = []
    static = "(static_assert_declaration) @static" if tree.grammar == "cpp" else ""
    pattern = (
        rf'(call_expression function: (identifier) @fn (#match? @fn "{_ASSERTING}")) @call (if_statement) @if {static}'
    )
    for name, node in tree.find(pattern, function.body or function.node):
        row, text = row_of(node), text_of(node)
        depth = sum(around.type in _BRANCHES for around in around_in(node, function))
        if name == "static":
            found.append(from_condition(row, text, text_of(node.child_by_field_name("condition")), depth))
        elif name == "call":
            found.append(_call(node, row, text, depth))
        elif name == "if":
            consequence = text_of(node.child_by_field_name("consequence"))
            if _FAILS.search(consequence) and len(consequence) < 400:
                head = text_of(node.child_by_field_name("condition"))
                found.append(from_condition(row, f"if {head}", head, depth, inverted=True))
    return found


def _call(node: Node, row: int, text: str, depth: int) -> Assertion:
    called = text_of(node.child_by_field_name("function"))
    arguments = node.child_by_field_name("arguments")
    texts = [text_of(a) for a in arguments.named_children if a.type != "comment"] if arguments is not None else []
    if re.match(r"RUN_TEST$|test_|check_", called):
        return Assertion(row, squash(text), "runs", tuple(texts), depth)
    if re.match(r"EXPECT_(?:FLOAT|DOUBLE)_EQ|ASSERT_(?:FLOAT|DOUBLE)_EQ", called):
        called = "EXPECT_EQ"
    if len(texts) == 1 and not re.search(r"FALSE|NULL|THROW|FAIL", called):
        return from_condition(row, text, texts[0], depth)
    if called in ("assert", "static_assert") and texts:
        return from_condition(row, text, texts[0], depth)
    return from_call(row, text, called, texts, depth)


def cases(tree: Tree, function: Function) -> list[str]:
    """The rows of the tables that drive a test."""
    return [
        squash(text_of(row))
        for _, n in tree.find("(initializer_list) @rows", function.node)
        for row in n.named_children
    ]
