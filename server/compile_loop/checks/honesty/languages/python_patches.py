"""Python that puts something else in the place of the test runner's own parts (SPEC K7)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping

from tree_sitter import Node

from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.names import enclosing_names, is_test_path
from compile_loop.checks.honesty.languages.ways_out import at_load
from compile_loop.checks.honesty.survey import Mark, row_of, squash, text_of

_QUERY = r"""
(assignment left: [(attribute) (subscript)] @set)
(assignment left: (pattern_list [(attribute) (subscript)] @set))
(call function: (_) @fn (#match? @fn "(setattr|delattr|__setattr__)$|[.](update|setdefault)$")) @call
(call function: (_) @fn (#match? @fn "(meta_path|path_hooks)[.](insert|append)$|(^|[.])curse$")) @loader
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
_HOOKS = re.compile(
    r"(?:sys\.(?:std(?:out|err|in)|\w*hook|path|ps[12]|dont_write_bytecode)|threading\.\w*hook|warnings\.(?:show|format)warning|"
    r"logging\.\w+|asyncio\.\w*[pP]olicy|signal\.\w+|builtins\._|readline\.\w+|gc\.\w+|\w+\.__(?:all|doc|path|version|author)__)$"
)
"""What modules let their users set."""
_IMPORTS = re.compile(
    r"^[ \t]*(?:import[ \t]+(?P<plain>[\w., \t]+)|from[ \t]+(?P<module>[.\w]+)[ \t]+import[ \t]+\(?(?P<names>[\w ,\n\t]+))",
    re.MULTILINE,
)
_ALIAS = re.compile(
    r"^(\w+)[ \t]*=[ \t]*(?:__import__\([\"'](\w+)[\"']\)|importlib\.import_module\([\"'](\w+)[\"']\)|([\w.]+))[ \t]*$",
    re.MULTILINE,
)


def python_patches(tree: Tree, wanted: Filter, path: str) -> Iterator[Mark]:
    """Assignments and calls that reach into a test framework, or that put one module in another's place."""
    own = None
    imported: Mapping[str, str] = {}
    for name, node in tree.find(_QUERY):
        if name in ("fn", "module") or not wanted(node):
            continue
        if own is None:
            own, imported = _words(tree), _imported(tree.text.text)
        text, row, names = squash(text_of(node)), row_of(node), enclosing_names(node)
        if name == "internals":
            if not is_test_path(path):
                yield Mark("weakened_test", row, text, certain=False, names=names)
            continue
        if name == "mock":
            framework = re.search(rf"\b{_MODULES}\.|\b{_CLASSES}\b", text) is not None
            if not is_test_path(path) and (framework or _started(node, imported)):
                yield Mark("weakened_test", row, text, certain=False, names=names)
            continue
        if name == "loader":
            if not is_test_path(path):
                yield Mark("weakened_test", row, text, certain=False, names=names)
            continue
        if name == "set" and node.parent is not None:
            text = squash(text_of(node.parent))
        target, key = _set(node) if name == "set" else _called(node)
        sure = _verdict(target, key, own, is_test_path(path))
        if sure is None and not is_test_path(path) and _others(tree, node, target, key, imported):
            sure = False
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
        return None if key == "_" else key == "AssertionError"
    if f"{target}.{key}" in ("sys.exit", "os._exit"):
        return False
    if _REACHING.search(target) and "modules" in target and "__name__" not in target:
        return None if in_tests else False
    return False if re.match(r"assert[A-Z]\w*$|__code__$", key) and not in_tests else None


def _imported(text: str) -> dict[str, str]:
    """The names that a file imports, with the modules they are or come from."""
    found: dict[str, str] = {"builtins": "builtins", "__builtins__": "builtins"}
    for match in _IMPORTS.finditer(text):
        for part in (match["plain"] or match["names"]).replace("\n", ",").split(","):
            words = part.split()
            if words:
                root = words[0].split(".")[0]
                found[words[-1] if len(words) > 2 else root] = match["module"] or root
    for name, called, loaded, other in _ALIAS.findall(text):
        module = called or loaded or found.get(other.split(".")[0], "")
        if module:
            found[name] = module
    return found


def _others(tree: Tree, node: Node, target: str, key: str, imported: Mapping[str, str]) -> bool:
    """Whether a function of another module is exchanged for one of this file's."""
    root = re.split(r"\W", target, maxsplit=1)[0]
    called = re.match(r"(?:vars|__import__|importlib\.import_module)\(\s*[\"']?([\w.]+)", target)
    if called is not None:
        root, imported = called[1].split(".")[0], {called[1].split(".")[0]: called[1], **imported}
    module = imported.get(root)
    if module is None or not key or _HOOKS.match(f"{module.split('.')[0]}.{key}"):
        return False
    value = _value(node)
    if f"{module}.{key}" == "sys.argv":
        return at_load(node, tree)
    if value is None or value.type not in ("lambda", "identifier", "attribute", "call"):
        return False
    if re.match(r"[A-Z][A-Z0-9_]*$", key) or (
        value.type == "call" and not re.search(r"partial|lambda|wrap|Mock", text_of(value))
    ):
        return False  # a setting
    if module.split(".")[0] in sys.stdlib_module_names:
        return True
    given = value.type == "lambda" or re.search(
        rf"^\s*(?:async )?def {re.escape(text_of(value))}\b", tree.text.text, re.MULTILINE
    )
    return bool(given) and at_load(node, tree)


def _value(node: Node) -> Node | None:
    """What is put there."""
    if node.type == "call":
        arguments = node.child_by_field_name("arguments")
        parts = arguments.named_children if arguments is not None else []
        if not parts:
            return None
        last = parts[-1]
        return last.child_by_field_name("value") if last.type == "keyword_argument" else last
    parent = node.parent
    while parent is not None and parent.type == "pattern_list":
        parent = parent.parent
    right = parent.child_by_field_name("right") if parent is not None else None
    if right is not None and right.type == "assignment":
        right = right.child_by_field_name("right")
    return right.named_children[0] if right is not None and right.type == "expression_list" else right


def _started(node: Node, imported: Mapping[str, str]) -> bool:
    """Whether a mock is put in place for good, outside any test."""
    root = re.split(r"\W", text_of(node.child_by_field_name("function")), maxsplit=1)[0]
    parent = node.parent
    return "mock" in imported.get(root, "") + root and parent is not None and text_of(parent).endswith(".start")
