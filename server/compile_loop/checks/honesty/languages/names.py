"""Names of things around a node, and which files hold tests."""

from __future__ import annotations

import re

from tree_sitter import Node

from compile_loop.checks.honesty.survey import ancestors, text_of

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testdata|src/test)/|(?:^|/)(?:test_[^/]*|[^/]*[_.-](?:test|spec|tests|unittest)|conftest|"
    r"[^/]*[a-z0-9]Tests?|Test[A-Z][^/]*|[^/]*[a-z0-9]IT|tests?)\.[A-Za-z]+$"
)
_SCOPES = frozenset(
    {
        "class_definition",
        "class_declaration",
        "class_specifier",
        "struct_specifier",
        "namespace_definition",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "abstract_class_declaration",
        "mod_item",
        "trait_item",
    }
)
_NAMED = _SCOPES | {
    "function_definition",
    "function_declaration",
    "function_item",
    "method_definition",
    "method_declaration",
    "constructor_declaration",
    "variable_declarator",
    "generator_function_declaration",
}


def is_test_path(path: str) -> bool:
    """Whether a file's path says that it holds tests."""
    return _TEST_PATH.search(path) is not None


def qualified(node: Node, short: str) -> str:
    """A name with the names of the classes and modules around it."""
    outer = [_name(around) for around in ancestors(node) if around.type in _SCOPES]
    return ".".join([*reversed([name for name in outer if name]), short])


def enclosing_names(node: Node) -> frozenset[str]:
    """The names of the functions and classes around a node, and of the one that it stands before, if it is an attribute."""
    found = {_name(around) for around in ancestors(node) if around.type in _NAMED}
    parent = node.parent
    if parent is not None and parent.type in ("decorated_definition", "modifiers"):
        target = parent.child_by_field_name("definition") or parent.parent
        if target is not None:
            found.add(_name(target))
    following = node.next_named_sibling
    while following is not None and following.type in ("attribute_item", "comment", "line_comment"):
        following = following.next_named_sibling
    if following is not None and following.type in _NAMED:
        found.add(_name(following))
    return frozenset(name for name in found if name)


def _name(node: Node) -> str:
    named = node.child_by_field_name("name")
    if named is not None:
        return text_of(named)
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.child_by_field_name("declarator") is not None:
        declarator = declarator.child_by_field_name("declarator")
    return text_of(declarator) if declarator is not None and declarator.type.endswith("identifier") else ""
