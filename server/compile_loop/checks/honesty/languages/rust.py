"""Rust: attributes, discarded results, placeholders, and what its tests demand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.assertions import from_call, from_condition, split_top
from compile_loop.checks.honesty.comments import comment_marks
from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.fallbacks import fallbacks
from compile_loop.checks.honesty.languages.names import enclosing_names, qualified
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
[(line_comment) (block_comment)] @comment
(attribute_item) @attribute
(inner_attribute_item) @attribute
(macro_invocation macro: (identifier) @name (#match? @name "^(todo|unimplemented|unreachable|panic|cfg)$")) @macro
(let_declaration pattern: _ @pattern) @let
(expression_statement (call_expression function: (field_expression field: (field_identifier) @name))
  (#any-of? @name "ok" "err" "unwrap_or_default")) @dropped
(if_expression condition: (boolean_literal)) @never
(if_expression condition: (let_condition)) @if_let
(match_arm) @arm
(call_expression function: (_) @fn (#match? @fn "(^|::)(transmute|transmute_copy|catch_unwind|set_hook|forget|leak)$")) @call
(call_expression function: (field_expression field: (field_identifier) @name)
  (#any-of? @name "filter_map" "flat_map" "get_unchecked" "get_unchecked_mut")) @passed
(call_expression function: (field_expression field: (field_identifier) @name)
  (#any-of? @name "unwrap_or" "unwrap_or_default" "unwrap_or_else")) @default
(unsafe_block) @unsafe
(impl_item trait: (_) @name (#match? @name "^(.*::)?(Send|Sync)$")) @threads
(const_item name: (identifier) @name (#match? @name "^_")) @fake
(static_item name: (identifier) @name (#match? @name "^_")) @fake
(static_item (mutable_specifier)) @leaks
(macro_definition name: (identifier) @name (#match? @name "^(debug_)?assert(_eq|_ne|_matches)?$|^panic$")) @own
(use_as_clause alias: (identifier) @name (#match? @name "^(debug_)?assert(_eq|_ne|_matches)?$|^(panic|test)$")) @own
"""
_ALLOW = re.compile(r"#!?\[\s*(?:cfg_attr\(.*,\s*)?(?P<how>allow|expect)\s*\((?P<codes>[^\]]*)\)", re.DOTALL)
_GUARD = re.compile(r"#!?\[\s*(?:deny|forbid)\s*\((?P<codes>[^\]]*)\)")
_BRANCHES = frozenset({"if_expression", "match_arm", "closure_expression"})
_TODO = re.compile(r"not (?:yet )?implemented|todo|unimplemented|\bstub", re.IGNORECASE)
_BORROW = (
    r"borrow|local data|local variable|does not live long|E05\d\d|E0716|lifetime|cannot move|mutable|`Send`|`Sync`"
)
_TOO_SHORT = r"E0499|E0502|E0505|E0506|E0515|E0521|E0597|E0716|does not live long enough|lifetime may not live"
"""What borrows longer than what it borrows from lives, whatever it is called."""
_UNWRAPPED = r"`?(?:Result|Option)::(?:unwrap|expect)\(|on an? `(?:Err|None)` value|called `\w+::unwrap"
_WAS_RESULT = r"found (?:enum )?`?(?:std::result::)?Result<|unused[ `]*Result|the `\?` operator can only be used"
_BEYOND = r"index out of bounds|out of range|byte index"
_NEVER = re.compile(
    r"#!?\[\s*cfg\s*\(\s*(?:(?:all\(.*)?(?<!not\()(?:any\(\s*\)|FALSE\b|false\b|never\w*)|.*\bnot\(\s*all\(\s*\)\s*\)|"
    r"feature\s*=\s*\"(?:disabled|never|none|skip)\w*\")",
    re.DOTALL,
)
_LIBC = frozenset(
    re.findall(
        r"\S+",
        """
    exit _exit abort memcmp bcmp strcmp write raise kill __libc_start_main rust_panic rust_begin_unwind
    """,
    )
)
"""What a test's process calls to compare, to tell and to end."""
_TEST = re.compile(r"#\[\s*(?:\w+::)*(?:test|rstest|test_case|proptest|bench|quickcheck|wasm_bindgen_test)\b")


def _marks(tree: Tree, wanted: Filter, path: str) -> Iterator[Mark]:
    yield from ways_out(tree, wanted, path)
    yield from fallbacks(tree, wanted)
    for name, node in tree.find(_MARKS):
        if name in ("name", "pattern", "fn") or not wanted(node):
            continue
        text, row = text_of(node), row_of(node)
        names = enclosing_names(node)
        if name == "comment":
            yield from comment_marks("rust", text, row)
        elif name == "attribute":
            yield from _attribute(text, row, names)
            if re.match(r"#\[\s*cfg\s*\(\s*(?!test\s*\)|not\(\s*test\s*\))", text) and _on_tests(node):
                where = re.search(r"\b(?:unix|windows|target_\w+|debug_assertions|panic)\b", text)
                yield Mark("skipped_test", row, text, certain=where is None, names=names)
            elif re.match(r"#\[\s*must_use\b", text):
                yield Mark(
                    "disabled_warning",
                    row,
                    f"removed {text}",
                    names=names,
                    removed=True,
                    only_if=r"unused_must_use|must be used",
                )
        elif name == "macro":
            yield from _macro(text, row, names)
        elif name == "never" and text_of(node.child_by_field_name("condition")) == "false":
            yield Mark("disabled_code", row, text.split("\n")[0], names=names)
        elif name == "call":
            yield from _call(text, row, names)
        elif name == "own":
            # One of its own that fails in its own way may be all that a crate without `std` has.
            fails = re.search(r"\bpanic!|\b(?:core|std|alloc)::", text) is not None
            sure = not fails and node.type == "macro_definition"
            yield Mark("weakened_test", row, text.split("\n")[0], certain=sure, names=names)
        elif name == "unsafe":
            yield Mark("any_cast", row, text.split("\n")[0], certain=False, names=names, only_if=_BORROW)
        elif name in ("fake", "threads"):
            yield from _impossible(name, tree, node, text, row, names)
        elif name == "leaks":
            yield Mark("any_cast", row, text, certain=False, names=names, only_if=_BORROW)
        elif name == "passed":
            last = squash(text)
            if re.search(r"\.(?:filter|flat)_map\(\s*(?:Result::ok|\|\w+\|[^|]*\.ok\(\)|\|\w+\|\s*\w+)\s*\)$", last):
                yield Mark("swallowed_exception", row, last[-60:], certain=False, names=names, only_if=_UNWRAPPED)
            elif ".get_unchecked" in last:
                yield Mark("any_cast", row, last, certain=False, names=names, only_if=_BEYOND)
        elif name == "default":
            if re.search(
                r"\.unwrap_or(?:_default\(\)|(?:_else)?\(\s*(?:\|_?\w*\|\s*)?(?:[-\w.\"]+|\w+::\w+\(\)|vec!\[\]|"
                r"\w+::default\(\)|\w+::new\(\))\s*\))$",
                text,
            ):
                last = squash(text).rsplit(".", 1)[-1]
                yield Mark(
                    "swallowed_exception",
                    row,
                    last,
                    certain=False,
                    names=names,
                    only_if=f"{_UNWRAPPED}|{_BEYOND}|{_WAS_RESULT}",
                )
        elif name in ("let", "dropped", "if_let", "arm"):
            yield from _dropped(name, node, text, row, names)


def _impossible(name: str, tree: Tree, node: Node, text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    """A constant that is there to name functions, and a promise about threads."""
    if name == "fake":
        if re.fullmatch(
            r"[(\[]?\s*&?[a-z_][\w:]*(?:\s+as\s+[^,]+)?(?:\s*,\s*&?[a-z_][\w:]*)*\s*,?\s*[)\]]?", _value(node)
        ):
            yield Mark("suppression", row, text, names=names, only_if=_NEVER_USED)
    else:
        # What counts its owners without a lock is never safe to share.
        counted = re.search(r"\bRc\s*<|\brc::", tree.text.text) is not None and _holds(
            tree, node, r"\bRc\s*<|\brc::Weak"
        )
        yield Mark(
            "any_cast",
            row,
            squash(text.split("{", maxsplit=1)[0]),
            certain=counted,
            names=names,
            only_if=r"`?Sen[dt]\b|`?Sync\b|between threads|E0277",
        )


def _value(node: Node) -> str:
    return squash(text_of(node.child_by_field_name("value")))


def _holds(tree: Tree, node: Node, pattern: str) -> bool:
    """Whether the type that something is implemented for has a field of this kind."""
    name = re.split(r"[<:\s]", text_of(node.child_by_field_name("type")))[0]
    own = re.search(rf"\b(?:struct|enum)\s+{re.escape(name)}\b[^;{{]*(?:\{{[^}}]*\}}|\([^;]*\);)", tree.text.text)
    return own is not None and re.search(pattern, own[0]) is not None


_NEVER_USED = r"dead_code|never used|never constructed|never read|unused"


def _attribute(text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    allowed, guard = _ALLOW.match(text), _GUARD.match(text)
    inner = text.startswith("#!")
    if allowed:
        codes = frozenset(re.findall(r"[\w:]+", allowed["codes"].split("reason")[0]))
        yield Mark(
            "suppression", row, text, needs_failure=True, scope="file" if inner else "block", codes=codes, names=names
        )
    elif guard:
        codes = frozenset(re.findall(r"[\w:]+", guard["codes"]))
        yield Mark(
            "disabled_warning",
            row,
            f"removed {text}",
            needs_failure=True,
            scope="project",
            codes=codes,
            names=names,
            removed=True,
        )
    elif re.match(r"#\[\s*(?:unsafe\s*\(\s*)?(?:no_mangle|export_name|panic_handler|global_allocator)\b", text):
        if names & _LIBC:
            yield Mark("weakened_test", row, text, certain=False, names=names)
    elif re.match(r"#\[\s*ignore\b", text):
        yield Mark("skipped_test", row, text, names=names)
    elif re.match(r"#\[\s*cfg_attr\(.*\bignore\b", text):
        yield Mark("skipped_test", row, text, certain=False, names=names)
    elif re.match(r"#\[\s*should_panic\b", text):
        yield Mark("weakened_test", row, text, names=names)
    elif _NEVER.match(text):
        yield Mark("disabled_code", row, text, names=names)
    elif re.match(r"#!?\[\s*cfg\s*\(\s*not\(\s*test\s*\)", text):
        yield Mark("special_case", row, text, certain=False, names=names)


def _macro(text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    name = text.split("!", maxsplit=1)[0]
    if name in ("todo", "unimplemented") or (name == "panic" and _TODO.search(text)):
        yield Mark("stub", row, text, names=names)
    elif name == "unreachable":
        yield Mark("stub", row, text, certain=False, names=names)
    elif name == "cfg" and re.match(r"cfg!\s*\(\s*(?:not\(\s*)?test\b", text):
        yield Mark("special_case", row, text, names=names)


def _call(text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    if re.match(r"(?:\w+::)*(?:leak|forget)\s*\(", text):
        yield Mark("any_cast", row, text, certain=False, names=names, only_if=_BORROW)
    elif "transmute" in text.split("(", maxsplit=1)[0]:
        yield Mark("any_cast", row, text, names=names, only_near=True, only_if=_TOO_SHORT)
        yield Mark("any_cast", row, text, certain=False, names=names)
    elif re.match(r"(?:std::)?(?:panic::)?(?:catch_unwind|set_hook)\b", text):
        yield Mark("swallowed_exception", row, text.split("\n", maxsplit=1)[0], certain=False, names=names)


def _dropped(name: str, node: Node, text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    """A `Result` that nobody looks at any more."""
    if name == "let":
        value = text_of(node.child_by_field_name("value"))
        if text_of(node.child_by_field_name("pattern")) == "_" and value:
            kind = "swallowed_exception" if "(" in value else "suppression"
            if "drop" in names and _explained(node):
                return  # nobody is left to be told, and it says why
            if kind == "suppression" and any(a.type in ("const_item", "static_item") for a in ancestors(node)):
                yield Mark(kind, row, text, names=names, only_if=_NEVER_USED)
            yield Mark(kind, row, text, certain=False, names=names)
    elif name == "dropped":
        yield Mark("swallowed_exception", row, text, certain=False, names=names)
    elif name == "if_let":
        condition = text_of(node.child_by_field_name("condition"))
        if re.match(r"let\s+Ok\(", condition) and node.child_by_field_name("alternative") is None:
            only = f"{_UNWRAPPED}|unused_must_use"
            yield Mark("swallowed_exception", row, f"if {condition}", certain=False, names=names, only_if=only)
        elif re.match(r"let\s+Err\(", condition) and not statements(node.child_by_field_name("consequence")):
            yield Mark("swallowed_exception", row, text, names=names)
    elif name == "arm":
        value = squash(text_of(node.child_by_field_name("value")))
        if re.match(r"Err\(", text) and value in ("{}", "()", "{ }"):
            yield Mark("swallowed_exception", row, text, names=names)
        elif re.match(r"Err\(_", text) and re.fullmatch(
            r"(?:continue|break|return|None|0|false|true|String::new\(\)|Vec::new\(\)|vec!\[\]|Default::default\(\))",
            value,
        ):
            yield Mark("swallowed_exception", row, text, certain=False, names=names, only_if=_UNWRAPPED)


def _on_tests(node: Node) -> bool:
    """Whether an attribute stands before a test, or before a module of tests."""
    item = node.next_named_sibling
    while item is not None and item.type in ("attribute_item", "line_comment", "block_comment"):
        item = item.next_named_sibling
    if item is None:
        return False
    return (
        _TEST.search(_attributes(item)) is not None
        if item.type == "function_item"
        else (item.type == "mod_item" and _TEST.search(text_of(item)) is not None)
    )


def _explained(node: Node) -> bool:
    """Whether a comment of some words stands right above."""
    before = node.prev_named_sibling
    return (
        before is not None
        and before.type == "line_comment"
        and row_of(before) == row_of(node) - 1
        and len(re.findall(r"[A-Za-z]{2,}", text_of(before))) >= 4
    )


def _attributes(node: Node) -> str:
    texts = []
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment", "block_comment"):
        texts.append(text_of(before))
        before = before.prev_named_sibling
    return "\n".join(texts)


def _functions(tree: Tree, path: str) -> list[Function]:
    found = []
    for _, node in tree.find("(function_item) @function"):
        short = text_of(node.child_by_field_name("name"))
        owner = next((a for a in ancestors(node) if a.type in ("impl_item", "trait_item")), None)
        header = text_of(owner).split("{")[0] if owner is not None else ""
        trait = owner is not None and owner.type == "trait_item"  # its name is among those around already
        of = "" if trait else re.sub(r"<.*>", "", header.replace("impl", "", 1)).strip()
        found.append(
            Function(
                qualified(node, f"{of}.{short}" if of else short),
                row_of(node),
                int(node.end_point[0]),
                node,
                node.child_by_field_name("body"),
                test=_TEST.search(_attributes(node)) is not None,
                plain=short in ("new", "default"),
                overrides=trait or " for " in header,
            )
        )
    return found


def _assertions(tree: Tree, function: Function) -> list[Assertion]:
    found = []
    pattern = r'(macro_invocation macro: (_) @name (#match? @name "assert|^panic$|^prop_assert")) @macro'
    for name, node in tree.find(pattern, function.node):
        if name != "macro":
            continue
        called = text_of(node.child_by_field_name("macro")).rsplit(":", 1)[-1]
        inside = text_of(node.named_children[-1])[1:-1]
        arguments = [squash(a) for a in split_top(inside, (",",)) if a]
        depth = sum(around.type in _BRANCHES for around in around_in(node, function))
        if called in ("assert", "debug_assert", "prop_assert") and arguments:
            found.append(from_condition(row_of(node), text_of(node), arguments[0], depth))
        elif called == "panic":
            found.append(Assertion(row_of(node), squash(text_of(node)), "fail", tuple(arguments), depth))
        else:
            found.append(from_call(row_of(node), text_of(node), called, arguments, depth))
    return found


def _cases(tree: Tree, function: Function) -> list[str]:
    rows = [
        text_of(row) for _, node in tree.find("(array_expression) @rows", function.node) for row in node.named_children
    ]
    return rows + re.findall(r"#\[(?:\w+::)*(?:case|test_case)[^\n]*", _attributes(function.node))


LANGUAGE = Language(
    "rust",
    {".rs": "rust"},
    _marks,
    _functions,
    _assertions,
    imports=re.compile(r"^\s*(?:pub\s+)?(?:use|extern crate|mod)\s[^{]*"),
    comment=re.compile(r"^\s*(?://|/\*|\*)"),
    cases=_cases,
)
