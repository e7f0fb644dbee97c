"""Go: blank identifiers, ignored errors, skips, and what its tests demand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.assertions import from_call, from_condition
from compile_loop.checks.honesty.comments import comment_marks
from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.names import enclosing_names, is_test_path
from compile_loop.checks.honesty.languages.ways_out import ways_out
from compile_loop.checks.honesty.survey import (
    Assertion,
    Function,
    Language,
    Mark,
    ancestors,
    row_of,
    squash,
    statements,
    text_of,
)

_MARKS = r"""
(comment) @comment
(assignment_statement) @assign
(short_var_declaration) @declare
(var_spec name: (identifier) @blank (#eq? @blank "_")) @var
(import_spec name: (blank_identifier)) @import
(if_statement condition: [(false) (binary_expression) (parenthesized_expression)]) @if
(function_declaration name: (identifier) @main (#eq? @main "TestMain")) @tests
(interpreted_string_literal) @string
(parameter_declaration type: [(type_identifier) (interface_type)] @loose (#match? @loose "^(any|interface *[{] *[}])$")) @parameter
(default_case) @otherwise
(call_expression function: (_) @fn
  (#match? @fn "([.](Skip|Skipf|SkipNow|Pointer|Testing|Lookup|Patch\\w*|Apply\\w+)|^panic|^recover)$")) @call
"""
_PATCHED = re.compile(
    r"(?:testing|assert|require|suite|mock|gomega|ginkgo|cmp|qt|quick|iotest|fstest)\.[A-Z]\w*\s*=(?!=)|os\.Args\s*=(?!=)"
)
"""A variable of a test framework's, or what the test binary was told."""
_OTHER_TYPE = r"cannot use|does not implement|mismatched types|not assignable|impossible type"
_TODO = re.compile(r"not (?:yet )?implemented|todo|unimplemented|\bstub", re.IGNORECASE)


def _marks(tree: Tree, wanted: Filter, path: str) -> Iterator[Mark]:
    yield from ways_out(tree, wanted, path)
    for name, node in tree.find(_MARKS):
        if name in ("blank", "fn", "main", "loose") or not wanted(node):
            continue
        text, row = text_of(node), row_of(node)
        names = enclosing_names(node)
        if name == "comment":
            yield from comment_marks("go", text, row)
            if re.match(r"//go:(?:norace|nocheckptr|nosplit)\b", text):
                yield Mark("suppression", row, text, names=names, only_if=r"DATA RACE|checkptr|race")
            if is_test_path(path) and (built := re.match(r"//\s*(?:go:build|\+build)\s+(.*)", text)):
                where = re.fullmatch(
                    r"[\s!&|(),]*(?:(?:linux|darwin|windows|unix|android|ios|dragonfly|solaris|illumos|aix|\w*bsd|amd64|arm\w*|386|ppc64\w*|s390x|mips\w*|riscv64|cgo|race|go1\.\d+|js|wasm|plan9)[\s!&|(),]*)+",
                    built[1],
                )
                yield Mark("skipped_test", row, text, certain=where is None)
        elif name == "otherwise":
            selects = node.parent is not None and node.parent.type == "select_statement"
            if selects and squash(text) == "default:":
                yield Mark(
                    "swallowed_exception",
                    row,
                    "select: default:",
                    certain=False,
                    names=names,
                    only_if=r"deadlock|blocked|timed? ?out",
                )
        elif name == "parameter":
            asked = "missing method" if any(a.type == "method_declaration" for a in ancestors(node)) else ""
            line = tree.text.row(row).strip()
            yield Mark("any_cast", row, line, certain=False, names=names, only_if=_OTHER_TYPE, unless=asked)
        elif name == "tests":
            if not re.search(r"\.Run\s*\(", text):
                yield Mark("skipped_test", row, squash(text), names=names)
        elif name == "string":
            if not is_test_path(path) and re.match(r"\"-{0,2}test\.(?:run|skip|list|v|short|count|failfast)\b", text):
                yield Mark("skipped_test", row, tree.text.row(row).strip(), certain=False, names=names)
        elif name == "assign" and (patched := _PATCHED.match(text)):
            yield Mark("weakened_test", row, patched[0] + text[patched.end() :], certain=False, names=names)
        elif name in ("assign", "declare", "var"):
            yield from _blank(name, text, row, names)
        elif name == "import":
            yield Mark(
                "suppression", row, text, certain=False, names=names, only_if=r"imported and not used|unused import"
            )
        elif name == "if":
            yield from _if(node, text, row, names)
        elif name == "call":
            yield from _call(node, text, row, names, path)


def _blank(name: str, text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    left, _, right = text.partition(":=" if name == "declare" else "=")
    targets = [t.strip() for t in left.split(",")]
    value = right.strip()
    if name == "var":
        if re.fullmatch(r"_\s*", left) and not re.search(r"[({&]", value):
            yield Mark("suppression", row, text, certain=False, names=names | frozenset(re.findall(r"\w+", value)))
    elif targets == ["_"] * len(targets):
        called = "(" in value
        kind = "swallowed_exception" if called else "suppression"
        codes = frozenset() if called else frozenset(re.findall(r"\w+", value))
        unused = "" if called else r"not used|unused|never used|ineffassign|SA4006|U1000"
        yield Mark(kind, row, text, certain=not called, needs_failure=True, codes=codes, names=names, only_if=unused)
    elif (
        len(targets) > 1 and targets[-1] == "_" and "(" in value and not re.search(r"^range |\.\([\w.*\[\]]+\)$", value)
    ):
        yield Mark("swallowed_exception", row, text, certain=False, names=names)
    elif len(targets) > 1 and targets[-1] == "_" and "(" in value and "range " not in value:
        yield Mark("swallowed_exception", row, text, certain=False, names=names, only_if=r"interface conversion")


def _if(node: Node, text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    condition = squash(text_of(node.child_by_field_name("condition")))
    if condition in ("false", "1 == 2", "1 == 0", "0 == 1", "(false)"):
        yield Mark("disabled_code", row, text.split("\n", maxsplit=1)[0], names=names)
    elif re.search(r"\berr\w*\s*!=\s*nil", condition):
        kept = [squash(text_of(s)) for s in statements(node.child_by_field_name("consequence"))]
        if not kept:
            yield Mark("swallowed_exception", row, text, names=names)
        elif all(
            re.fullmatch(
                r"return(?: (?:nil|0|\"\"|true|\w+\{\}|&\w+\{\})(?:, (?:nil|0|\"\"|true))*)?|continue|(?:log|fmt)\.Print\w*\(.*\)",
                k,
            )
            for k in kept
        ) and not ("return" in kept and _named_result(node)):
            yield Mark("swallowed_exception", row, squash(text), certain=False, names=names)


def _named_result(node: Node) -> bool:
    """Whether a bare `return` gives back what the function's results are named."""
    around = next(
        (a for a in ancestors(node) if a.type in ("func_literal", "function_declaration", "method_declaration")), None
    )
    return around is not None and around.child_by_field_name("result") is not None


def _call(node: Node, text: str, row: int, names: frozenset[str], path: str) -> Iterator[Mark]:
    function = text_of(node.child_by_field_name("function"))
    if re.search(r"\.Skip(?:f|Now)?$", function):
        under = any(around.type == "if_statement" for around in ancestors(node))
        yield Mark("skipped_test", row, text, certain=not under, names=names)
    elif re.search(r"\b(?:monkey|gomonkey|mockey|supermonkey)\.", function):
        if not is_test_path(path):
            yield Mark("weakened_test", row, text, certain=False, names=names)
    elif function == "unsafe.Pointer":
        yield Mark(
            "any_cast", row, text, certain=False, names=names, only_if=f"{_OTHER_TYPE}|cannot convert|vet|unsafeptr"
        )
    elif function == "panic" and _TODO.search(text):
        yield Mark("stub", row, text, names=names)
    elif function == "recover":
        parent = node.parent
        if is_test_path(path):
            if not _fails_by_it(node):
                sure = not re.search(r"\b(?:recovered|panicked|didPanic|got|err)\b", text_of(_around(node)))
                yield Mark("weakened_test", row, text, certain=sure, names=names, only_if=r"panic")
                yield Mark("weakened_test", row, text, certain=False, names=names)
            return
        dropped = parent is not None and re.match(r"_\s*=", text_of(parent.parent or parent))
        if dropped or (parent is not None and parent.type == "expression_statement"):
            yield Mark("swallowed_exception", row, text, names=names)
        elif not _told(node):
            yield Mark("swallowed_exception", row, text, certain=False, names=names, only_if=r"panic")
    elif function == "testing.Testing" or (function == "flag.Lookup" and "test." in text):
        yield Mark("special_case", row, text, certain=not is_test_path(path), names=names)


def _around(node: Node) -> Node | None:
    return next(
        (a for a in ancestors(node) if a.type in ("func_literal", "function_declaration", "method_declaration")), None
    )


_FAILS = re.compile(
    r"\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\bpanic\s*\(|\b(?:assert|require|is|qt)\.|\bExpect\("
)


def _fails_by_it(node: Node) -> bool:
    """Whether a test that recovers fails by what it recovered, or keeps it to look at."""
    around = _around(node)
    kept = re.search(r"\b(\w+)\s*=\s*(?:recover\(\)|true\b|r\b|fmt\.\w+\()", text_of(around))
    outer = (
        next((a for a in ancestors(around) if a.type == "function_declaration"), None) if around is not None else None
    )
    rest = text_of(outer).replace(text_of(around), "")
    named = kept is not None and re.search(rf"\)\s*\([^)]*\b{kept[1]}\b[^)]*\)\s*\{{", rest) is not None
    return (
        _FAILS.search(text_of(around)) is not None
        or named
        or (kept is not None and len(re.findall(rf"\b{kept[1]}\b", rest)) > 1)
    )


def _told(node: Node) -> bool:
    """Whether what was recovered is looked at more than once: logged, turned into an error, or passed on."""
    around = _around(node)
    named = re.search(r"(\w+)\s*:?=\s*recover\(\)", text_of(around))
    return named is not None and len(re.findall(rf"\b{named[1]}\b", text_of(around))) > 2


def _functions(tree: Tree, path: str) -> list[Function]:
    found = []
    in_tests = path.endswith("_test.go")
    for _, node in tree.find("[(function_declaration) (method_declaration)] @function"):
        short = text_of(node.child_by_field_name("name"))
        receiver = re.search(r"\*?(\w+)(?:\[.*\])?\s*\)$", text_of(node.child_by_field_name("receiver")))
        found.append(
            Function(
                f"{receiver[1]}.{short}" if receiver else short,
                row_of(node),
                int(node.end_point[0]),
                node,
                node.child_by_field_name("body"),
                test=in_tests and re.match(r"(?:Test|Fuzz|Example|Benchmark)(?![a-z])", short) is not None,
                plain=False,
                overrides=receiver is not None,
            )
        )
    return found


def _assertions(tree: Tree, function: Function) -> list[Assertion]:
    found: list[Assertion] = []
    pattern = (
        r'(call_expression function: (selector_expression) @fn (#match? @fn "[.](Error|Errorf|Fatal|Fatalf|Fail|FailNow|'
        r'Diff)$|^(assert|require|is|qt)[.]")) @call'
    )
    for name, node in tree.find(pattern, function.node):
        if name != "call":
            continue
        called = text_of(node.child_by_field_name("function"))
        row, text = row_of(node), text_of(node)
        arguments = node.child_by_field_name("arguments")
        texts = [text_of(a) for a in arguments.named_children] if arguments is not None else []
        if re.match(r"(?:assert|require|is|qt)\.", called):
            found.append(
                from_call(row, text, called.rsplit(".", 1)[1], texts[1:] if texts[:1] in (["t"], ["c"]) else texts)
            )
        elif not called.endswith(".Diff"):
            found.append(_guarded(node, row, text))
    if function.short_name.startswith("Example"):
        output = re.search(r"//\s*(?:Unordered )?[oO]utput:\s*(.*)", text_of(function.body), re.DOTALL)
        if output:
            found.append(Assertion(function.end_row, "// Output:", "equal", (squash(output[1].strip("} \n")),)))
    return found


def _guarded(node: Node, row: int, text: str) -> Assertion:
    """`if got != want { t.Errorf(…) }` demands that the condition does not hold."""
    around = next((a for a in ancestors(node) if a.type == "if_statement"), None)
    if around is None:
        return Assertion(row, squash(text), "fail", ())
    condition = around.child_by_field_name("condition")
    consequence = around.child_by_field_name("consequence")
    inside = consequence is not None and consequence.start_byte <= node.start_byte < consequence.end_byte
    head = text_of(condition)
    made = from_condition(row_of(around), f"if {head}", head, inverted=inside)
    return Assertion(row_of(around), made.text, made.form, made.arguments)


def _cases(tree: Tree, function: Function) -> list[str]:
    found = tree.find("(composite_literal body: (literal_value) @rows)", function.node)
    return [
        squash(text_of(c)) for _, n in found for c in n.named_children if c.type in ("literal_element", "keyed_element")
    ]


LANGUAGE = Language(
    "go",
    {".go": "go"},
    _marks,
    _functions,
    _assertions,
    imports=re.compile(r"^\s*(?:import\b.*|(?:[\w.]+\s+)?\"[\w./-]+\"|[()])\s*$"),
    comment=re.compile(r"^\s*(?://|/\*|\*)"),
    cases=_cases,
)
