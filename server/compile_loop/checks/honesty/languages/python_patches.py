"""Python that puts something else in the place of the test runner's own parts (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.names import enclosing_names, is_test_path
from compile_loop.checks.honesty.survey import Mark, row_of, squash, text_of

_QUERY = r"""
(assignment left: [(attribute) (subscript)] @set)
(assignment left: (pattern_list [(attribute) (subscript)] @set))
(call function: (_) @fn (#match? @fn "(setattr|delattr|__setattr__)$|[.](update|setdefault)$")) @call
(call function: (_) @fn (#match? @fn "(^|[.])patch([.]object)?$")) @mock
(import_from_statement module_name: (_) @module (#match? @module "^_pytest")) @internals
(import_statement name: (_) @module (#match? @module "^_pytest")) @internals
"""
_MODULES = r"(?:unittest2?|_?pytest|doctest|nose2?|hypothesis|_testcapi)"
_CLASSES = r"(?:TestCase|TestResult|TextTestResult|TextTestRunner|TestLoader|TestProgram|TestSuite|AssertionError|FunctionTestCase)"
_ALIASES = re.compile(
    rf"^[ \t]*(?:import\s+{_MODULES}(?:\.\w+)*\s+as\s+(\w+)|from\s+{_MODULES}(?:\.\w+)*\s+import\s+\(?([\w ,\n]+))"
    rf"|\b(\w+)\s*=\s*[^=\n]*(?:\b(?:__import__|import_module|modules)\b[^\n]*[\"']{_MODULES}|\b{_CLASSES}\b|\b{_MODULES}\.)",
    re.MULTILINE,
)
_REACHING = re.compile(r"\b(?:modules|vars|__import__|import_module|getattr|__dict__|globals)\b")
_DECIDES = re.compile(
    r"(?:assert\w*|_?(?:base)?[aA]ssert\w*|fail\w*|run|__call__|debug|_call\w*|_?get\w*Assert\w*|wasSuccessful|"
    r"add(?:Failure|Error|SubTest|Success)|main|raises|Exit|skip|__init__|__eq__|__code__|defaultTestResult|AssertionError|exit)$"
)
_MANNERS = frozenset(
    {"maxDiff", "longMessage", "shortDescription", "__doc__", "__module__", "__name__", "__qualname__"}
)
"""What a runner lets its users set."""


def python_patches(tree: Tree, wanted: Filter, path: str) -> Iterator[Mark]:
    """Assignments and calls that reach into a test framework, or that put one module in another's place."""
    own = None
    for name, node in tree.find(_QUERY):
        if name in ("fn", "module") or not wanted(node):
            continue
        own = _words(tree) if own is None else own
        text, row, names = squash(text_of(node)), row_of(node), enclosing_names(node)
        if name == "internals":
            if not is_test_path(path):
                yield Mark("weakened_test", row, text, certain=False, names=names)
            continue
        if name == "mock":
            if not is_test_path(path) and re.search(rf"\b{_MODULES}\.|\b{_CLASSES}\b", text):
                yield Mark("weakened_test", row, text, certain=False, names=names)
            continue
        if name == "set" and node.parent is not None:
            text = squash(text_of(node.parent))
        target, key = _set(node) if name == "set" else _called(node)
        sure = _verdict(target, key, own, is_test_path(path))
        if sure is not None:
            kind = "exit_zero" if f"{target}.{key}" in ("sys.exit", "os._exit", "builtins.exit") else "weakened_test"
            yield Mark(kind, row, text, certain=sure, names=names)


def _words(tree: Tree) -> frozenset[str]:
    """The names by which this file knows parts of test frameworks."""
    found: set[str] = set()
    for groups in _ALIASES.findall(tree.text.text):
        for group in groups:
            found |= {part.split()[-1] for part in group.replace("\n", ",").split(",") if part.strip()}
    return frozenset(found)


def _set(node: Node) -> tuple[str, str]:
    """What is assigned into, and under which name."""
    key = node.child_by_field_name("attribute") or node.child_by_field_name("subscript")
    holder = node.child_by_field_name("object") or node.child_by_field_name("value")
    return text_of(holder), text_of(key).strip("\"'")


def _called(node: Node) -> tuple[str, str]:
    """The same of `setattr(what, "name", …)`, and of `vars(what).update(name=…)`."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    parts = [text_of(part) for part in arguments.named_children] if arguments is not None else []
    if function is not None and function.type == "attribute" and not text_of(function).endswith("attr__"):
        holder = text_of(function.child_by_field_name("object"))
        if not _REACHING.search(holder):
            return "", ""
        keys = [re.split(r"\s*=\s*", part)[0].strip("{\"' :") for part in parts]
        return holder, re.split(r"[\"':]", keys[0])[0] if keys else ""
    return (parts[0], parts[1].strip("\"'")) if len(parts) > 1 else ("", "")


def _verdict(target: str, key: str, own: frozenset[str], in_tests: bool) -> bool | None:
    """Whether it changes what a test demands: certainly, perhaps (False), or not at all (None)."""
    root = re.split(r"\W", target, maxsplit=1)[0]
    if root in ("self", "cls") or not target or key in _MANNERS:
        return None
    if re.search(r"\bmodules$", target):
        if re.fullmatch(rf"{_MODULES}(?:\.\w+)*", key):
            return True
        return None if in_tests or key == "__name__" else False
    known = own | {"unittest", "pytest", "_pytest", "doctest", "nose", "TestCase", "AssertionError"}
    inside = _REACHING.search(target) is not None and any(
        word in known or re.fullmatch(_CLASSES, word) for word in re.findall(r"\w+", target)
    )
    if root in known or re.fullmatch(_CLASSES, root) or inside or re.search(rf"\.{_CLASSES}\b", target):
        return _DECIDES.match(key) is not None or re.fullmatch(_CLASSES, key) is not None
    if root in ("builtins", "__builtins__"):
        return key == "AssertionError"
    if f"{target}.{key}" in ("sys.exit", "os._exit"):
        return False
    if _REACHING.search(target) and "modules" in target and "__name__" not in target:
        return None if in_tests else False
    return False if re.match(r"assert[A-Z]\w*$|__code__$", key) and not in_tests else None
