"""Python: what silences, skips, stubs and swallows, and what its tests demand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Node

from compile_loop.checks.honesty.assertions import from_call, from_condition
from compile_loop.checks.honesty.comments import comment_marks
from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.finally_exits import finally_exits
from compile_loop.checks.honesty.languages.names import enclosing_names, is_test_path, qualified
from compile_loop.checks.honesty.languages.python_launderings import python_launderings
from compile_loop.checks.honesty.languages.python_patches import python_patches
from compile_loop.checks.honesty.languages.told_exits import after_help
from compile_loop.checks.honesty.languages.usual_handlers import usual_handler
from compile_loop.checks.honesty.languages.ways_out import ways_out
from compile_loop.checks.honesty.survey import (
    Assertion,
    Function,
    Language,
    Mark,
    ancestors,
    around_in,
    row_of,
    squash,
    statements,
    text_of,
)

_MARKS = r"""
(comment) @comment
(decorator) @decorator
(delete_statement (identifier) @fn (#match? @fn "^[tT]est")) @unset
(keyword_argument name: (identifier) @fn (#eq? @fn "marks")) @given
(except_clause) @except
(raise_statement) @raise
(if_statement condition: [(false) (integer)]) @never
(call function: (_) @fn (#match? @fn "(^|[.])exec[lv]p?e?$|getattr[(].*_exit")) @call
(while_statement condition: [(false) (integer)]) @never
(type (identifier) @any (#eq? @any "Any"))
(call function: (_) @fn
  (#match? @fn "(^|[.])(skip|skipTest|xfail|importorskip|deselect|filterwarnings|simplefilter|_?exit|quit|cast|suppress)$")) @call
(call function: (_) @fn (#match? @fn "(^|[.])(setattr|object|patch)$")) @call
(assignment left: (identifier) @left (#match? @left "^(collect_ignore|collect_ignore_glob|pytestmark|__test__)$")) @assignment
(assignment left: (attribute) @left (#match? @left "([.]exitstatus|[.]outcome|[.]modules|[.]__eq__)$")) @assignment
(function_definition name: (identifier) @hook
  (#any-of? @hook "pytest_collection_modifyitems" "pytest_runtest_makereport" "pytest_sessionfinish"
    "pytest_ignore_collect" "__eq__")) @hooked
"""
_FUNCTIONS = "(function_definition) @function (assignment left: (identifier) right: (lambda)) @function"
_ASSERTS = r"""
(assert_statement) @assert
(call function: (_) @fn (#match? @fn "(^|[.])(assert\\w*|raises|warns|fail|failIf|failUnless)$")) @call
"""
_BRANCHES = frozenset({"if_statement", "try_statement", "else_clause", "elif_clause", "except_clause"})
_DECORATED_OFF = re.compile(
    r"@\s*(?:pytest\.mark\.|unittest\.)?(?P<what>skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\b"
)
_BROAD = re.compile(r"^(?:|.*\b(?:Exception|BaseException|AssertionError)\b.*)$")
_SILENT = re.compile(r"(?:pass|\.\.\.|continue|break|return(?:\s+(?:None|0|\"\"|''|\[\]|\{\}|False|True))?)$")
_TODO = re.compile(r"not (?:yet )?implemented|todo|unimplemented|\bstub", re.IGNORECASE)


def _marks(tree: Tree, wanted: Filter, path: str) -> Iterator[Mark]:
    first_code = next((row_of(n) for n in tree.root.named_children if n.type != "comment"), 0)
    in_tests = is_test_path(path)
    yield from ways_out(tree, wanted, path)
    yield from python_patches(tree, wanted, path)
    yield from finally_exits(tree, wanted)
    yield from python_launderings(tree, wanted)
    for name, node in tree.find(_MARKS):
        if name in ("fn", "left", "hook") or not wanted(node):
            continue
        text, row = text_of(node), row_of(node)
        names = enclosing_names(node)
        if name == "comment":
            yield from comment_marks("python", text, row, first_code_row=first_code)
        elif name == "decorator":
            yield from _decorator(node, text, row)
        elif name == "unset":
            if in_tests:
                yield Mark("deleted_test", row, text, names=names)
        elif name == "given":
            if re.search(r"\b(?:skip|xfail)\b", text):
                yield Mark("skipped_test", row, tree.text.row(row).strip(), names=names)
        elif name == "except":
            yield from _except(node, row, names)
        elif name == "raise" and re.match(r"raise\s+SystemExit\s*(?:\(\s*(?:0|None|False)?\s*\)|$)", text):
            if in_tests or not after_help(node):
                yield Mark("exit_zero", row, text, certain=in_tests or _at_import(node), names=names)
        elif name == "raise":
            promised = re.match(r"raise\s+NotImplementedError\b", text) or (_TODO.search(text) and "(" in text)
            if promised and not _abstract(tree, node):
                yield Mark("stub", row, text, names=names)
        elif name == "never":
            if squash(text).split(":")[0] in ("if False", "if 0", "while False", "while 0"):
                yield Mark("disabled_code", row, text.split("\n")[0], names=names)
        elif name == "any":
            yield _any(node, tree.text.row(row).strip(), row, names)
        elif name == "call":
            yield from _call(node, text, row, names, in_tests)
        elif name == "assignment":
            yield from _assignment(text, row, path)
        elif name == "hooked":
            yield from _hook(node, text, row)


_MISSING_TYPE = (
    r"missing a (?:type|return)|no-untyped|type-arg|[Mm]issing type (?:argument|parameter)|reportMissing|ANN\d"
)
"""A type was missing; that it is any is an answer to that, if a loose one."""
_TYPE_TOOLS = frozenset({"mypy", "pyright", "pyre", "ty"})


def _any(node: Node, text: str, row: int, names: frozenset[str]) -> Mark:
    """`x: Any`; inside another type, as in `dict[str, Any]`, it is usual and only counts beside a failure."""
    inside = any(around.type in ("type_parameter", "subscript") for around in ancestors(node))
    splat = any("splat" in child.type for around in list(ancestors(node))[:2] for child in around.named_children)
    return Mark(
        "any_cast",
        row,
        text,
        certain=not inside and not splat,
        needs_failure=True,
        only_near=inside or splat,
        unless=_MISSING_TYPE if inside or splat else "",
        tools=_TYPE_TOOLS,
        names=names,
    )


def _decorator(node: Node, text: str, row: int) -> Iterator[Mark]:
    names = enclosing_names(node)
    off = _DECORATED_OFF.match(text)
    if off:
        conditional = off["what"] in ("skipif", "skipIf", "skipUnless")
        always = re.search(r"\(\s*(?:condition\s*=\s*)?(?:True|1)\b", text) and off["what"] != "skipUnless"
        never = re.search(r"\(\s*(?:False|0)\b", text) and off["what"] == "skipUnless"
        yield Mark("skipped_test", row, text, certain=not conditional or bool(always or never), names=names)
    elif re.match(r"@\s*(?:pytest\.mark\.|\w+\.)?(?:flaky|rerun\w*|retry)\b", text) and enclosing_test(names):
        yield Mark("weakened_test", row, text, certain=False, names=names)
    elif re.match(r"@\s*(?:typing\.)?no_type_check\b", text):
        yield Mark("suppression", row, text, needs_failure=True, scope="block", tools=_TYPE_TOOLS, names=names)


def enclosing_test(names: frozenset[str]) -> bool:
    """Whether one of these names is a test's."""
    return any(name.lower().startswith("test") for name in names)


def _except(node: Node, row: int, names: frozenset[str]) -> Iterator[Mark]:
    body = next((child for child in node.named_children if child.type == "block"), None)
    kept = [squash(text_of(s)) for s in statements(body)]
    caught = [child for child in node.named_children if child.type not in ("block", "comment")]
    what = squash(text_of(caught[0])) if caught else ""
    if usual_handler(node, what, kept):
        return
    if re.search(r"\b(?:ImportError|ModuleNotFoundError)\b", what) and all(_ABSENT.match(k) for k in kept):
        yield Mark(
            "swallowed_exception",
            row,
            f"except {what}: {'; '.join(kept)}",
            certain=False,
            names=names,
            only_if=r"[Nn]o module named|cannot import|ImportError",
        )
    elif _only_told(kept, what) or (_BROAD.match(what) and kept and all(_DEFAULT.match(k) for k in kept)):
        shown = f"except {what}: {'; '.join(kept)}"
        yield Mark("swallowed_exception", row, shown, certain=False, names=names, only_near=True, scope="block")
    elif not kept or all(_SILENT.match(statement) for statement in kept):
        silent = not kept or any(k in ("pass", "...") for k in kept)
        broad = _BROAD.match(what) is not None
        yield Mark(
            "swallowed_exception",
            row,
            f"except {what}: {'; '.join(kept)}",
            certain=broad and silent,
            names=names | frozenset(re.findall(r"\w+", what)),
            codes=frozenset() if broad else frozenset(re.findall(r"\w+", what)),
        )


_ABSENT = re.compile(r"(?:pass|\w+\s*(?::[^=]+)?=\s*(?:None|False|object|\w+\s*=\s*None))$")
_DEFAULT = re.compile(r"\w+\s*(?::[^=]+)?=\s*(?:None|0|0\.0|\"\"|''|\[\]|\{\}|\(\)|False|set\(\)|dict\(\)|list\(\))$")
_TOLD = re.compile(
    r"(?:print|(?:[\w.]*\.)?(?:log(?:ger|ging)?|_log|LOG)\.\w+|logging\.\w+|warnings\.warn|traceback\.print\w*|"
    r"sys\.stderr\.write)\s*\("
)


def _only_told(kept: list[str], what: str) -> bool:
    """Whether a handler of everything only says that something happened."""
    rest = [statement for statement in kept if not _TOLD.match(statement)]
    return (
        _BROAD.match(what) is not None and len(rest) < len(kept) and all(_SILENT.match(statement) for statement in rest)
    )


_HEADS = re.compile(r"^[ \t]*class\s+\w+\(([^)]*)\)", re.MULTILINE)


def _bases(tree: Tree) -> frozenset[str]:
    """The classes of a file that others of it are made from."""
    return _words_of_heads(tree.text.text)


@lru_cache(maxsize=4)
def _words_of_heads(text: str) -> frozenset[str]:
    return frozenset(name for head in _HEADS.findall(text) for name in re.findall(r"\w+", head))


def _abstract(tree: Tree, node: Node) -> bool:
    """Whether a method is there to be overridden."""
    for around in ancestors(node):
        if around.type == "decorated_definition" and "abstract" in text_of(around).split("def ")[0]:
            return True
        if around.type == "class_definition":
            bases = text_of(around.child_by_field_name("superclasses"))
            if text_of(around.child_by_field_name("name")) in _bases(tree):
                return True
            return bool(re.search(r"\bABC\b|Protocol|Base", bases)) or "Base" in text_of(
                around.child_by_field_name("name")
            )
    return False


def _at_import(node: Node) -> bool:
    """Whether it runs whenever the file is loaded: under no condition, in no function, not at the end of a script."""
    under = {
        "if_statement",
        "function_definition",
        "lambda",
        "except_clause",
        "match_statement",
        "conditional_expression",
    }
    top = node
    for around in ancestors(node):
        if around.type in under or around.type == "boolean_operator":
            return False
        top = around if around.type != "module" else top
    return top.next_named_sibling is not None


def _call(node: Node, text: str, row: int, names: frozenset[str], in_tests: bool) -> Iterator[Mark]:
    function = text_of(node.child_by_field_name("function"))
    last = function.rsplit(".", 1)[-1]
    arguments = text_of(node.child_by_field_name("arguments"))[1:-1].strip()
    if any(around.type == "decorator" for around in ancestors(node)):
        if last in ("patch", "object") and in_tests:
            yield Mark("special_case", row, text, certain=False, names=names)
        return
    if re.fullmatch(r"(?:pytest\.)?mark\.(?:skip|xfail)|unittest\.(?:skip|expectedFailure)", function):
        given = any(around.type == "keyword_argument" for around in ancestors(node))
        if not given:
            yield Mark("skipped_test", row, text, names=names)
    elif function in ("pytest.skip", "pytest.xfail", "unittest.skip", "skip", "xfail") or last == "skipTest":
        under = any(around.type in ("if_statement", "except_clause") for around in ancestors(node))
        yield Mark("skipped_test", row, text, certain=not under, names=names)
    elif last == "importorskip":
        yield Mark("skipped_test", row, text, certain=False, names=names)
    elif last in ("filterwarnings", "simplefilter") and re.match(r"[\"'](?:ignore|once)", arguments):
        yield Mark("suppression", row, text, needs_failure=True, scope="project", names=names)
    elif last == "cast" and re.match(
        r"(?:typing\.)?[\"']?Any\b|(?!.*\b(?:None|Optional)\b.*,).*,\s*None\s*,?$", arguments
    ):
        yield Mark("any_cast", row, text, needs_failure=True, tools=_TYPE_TOOLS, names=names)
    elif last == "suppress" and function in ("suppress", "contextlib.suppress"):
        if usual_handler(node, arguments, []):
            return
        broad = re.search(r"\bException|BaseException", arguments) is not None
        codes = frozenset() if broad else frozenset(re.findall(r"\w+", arguments))
        yield Mark("swallowed_exception", row, text, certain=broad, names=names, codes=codes)
    elif (last == "_exit" or "_exit" in function) and arguments in ("0", "os.EX_OK", "os.EX_OK,"):
        yield Mark("exit_zero", row, text, names=names)
    elif re.fullmatch(r"exec[lv]p?e?", last) and function != last:
        named = re.match(r"[\"']", arguments)
        harmless = re.search(r"[\"'](?:[\w/]*/)?(?:true|echo|:)[\"']", arguments) is not None
        if named:
            yield Mark("exit_zero", row, text, certain=harmless, names=names)
    elif last == "exit" and re.search(r"\b(?:CDLL|PyDLL|libc)\b", function):
        yield Mark("exit_zero", row, text, certain=arguments == "0", names=names)
    elif last in ("exit", "quit") and re.search(r"(?:^|\b(?:sys|builtins|site)\.)\w+$", function):
        if arguments in ("", "0", "None", "False") and (in_tests or not after_help(node)):
            yield Mark("exit_zero", row, text, certain=in_tests or _at_import(node), names=names)
    elif function in ("monkeypatch.setattr", "patch", "mock.patch", "patch.object", "mock.patch.object") and in_tests:
        yield Mark("special_case", row, text, certain=False, names=names)
    elif last == "deselect":
        yield Mark("skipped_test", row, text, names=names)


def _assignment(text: str, row: int, path: str) -> Iterator[Mark]:
    name = re.split(r"\s*[=:]", text)[0]
    off = (name == "__test__" and text.endswith("False")) or (
        name == "pytestmark" and re.search(r"\bskip\b|\bxfail\b", text)
    )
    if off or name.startswith("collect_ignore"):
        yield Mark("skipped_test", row, text)
    elif name.endswith(".exitstatus"):
        yield Mark("exit_zero", row, text)
    elif name.endswith(".outcome"):
        yield Mark("weakened_test", row, text)
    elif name.endswith(".__eq__"):
        yield Mark("special_case", row, text)


def _hook(node: Node, text: str, row: int) -> Iterator[Mark]:
    name = text_of(node.child_by_field_name("name"))
    if name == "__eq__":
        kept = [squash(text_of(s)) for s in statements(node.child_by_field_name("body"))]
        if kept == ["return True"]:
            yield Mark("special_case", row, text)
    else:
        yield Mark(
            "skipped_test" if "collect" in name else "exit_zero", row, text.split("\n", maxsplit=1)[0], certain=False
        )


def _functions(tree: Tree, path: str) -> list[Function]:
    in_tests = is_test_path(path)
    found = []
    for _, node in tree.find(_FUNCTIONS):
        made = node.child_by_field_name("right") or node
        short = text_of(node.child_by_field_name("name") or node.child_by_field_name("left"))
        body = made.child_by_field_name("body")
        owner = next((a for a in ancestors(node) if a.type == "class_definition"), None)
        in_class = owner is not None and "Test" in text_of(owner).split(":")[0]
        test = short.startswith("test") and (in_tests or in_class or "assert" in text_of(body))
        outer = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else node
        head = text_of(outer).split("def ")[0]
        found.append(
            Function(
                qualified(node, short),
                row_of(node),
                int(node.end_point[0]),
                outer,
                body,
                test,
                plain="abstractmethod" in head or "overload" in head or short == "__init__" or _abstract(tree, node),
                overrides="override" in head,
            )
        )
    return found


def _assertions(tree: Tree, function: Function) -> list[Assertion]:
    found = []
    for name, node in tree.find(_ASSERTS, function.node):
        depth = _depth(node, function)
        if name == "assert":
            condition = text_of(node.named_children[0]) if node.named_children else ""
            if node.named_children and node.named_children[0].type in (
                "tuple",
                "list",
                "lambda",
                "generator_expression",
            ):
                condition = "True"  # such a thing is always true
            near = "approx(" in condition
            made = from_condition(row_of(node), text_of(node), condition, depth)
            found.append(
                Assertion(made.row, made.text, "near", made.arguments, depth) if near and made.form == "equal" else made
            )
        elif name == "call":
            called = text_of(node.child_by_field_name("function")).rsplit(".", 1)[-1]
            arguments = node.child_by_field_name("arguments")
            texts = (
                [text_of(a) for a in arguments.named_children if a.type != "comment"] if arguments is not None else []
            )
            found.append(from_call(row_of(node), text_of(node), called, texts, depth))
    return found


def _depth(node: Node, function: Function) -> int:
    return sum(around.type in _BRANCHES or _suppresses(around) for around in around_in(node, function))


def _suppresses(node: Node) -> bool:
    return node.type == "with_statement" and "suppress(" in text_of(node).split(":")[0]


def _cases(tree: Tree, function: Function) -> list[str]:
    pattern = "[(list) (tuple) (dictionary)] @rows"
    return [text_of(row) for _, node in tree.find(pattern, function.node) for row in node.named_children]


LANGUAGE = Language(
    "python",
    {".py": "python", ".pyi": "python", ".pyw": "python"},
    _marks,
    _functions,
    _assertions,
    imports=re.compile(r"^\s*(?:import|from)\s"),
    comment=re.compile(r"^\s*#"),
    cases=_cases,
)
