"""TypeScript and JavaScript: directives, casts to any, empty handlers, and what their tests demand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.comments import comment_marks
from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.declared_globals import declared_in_comment
from compile_loop.checks.honesty.languages.ecmascript_launderings import launderings
from compile_loop.checks.honesty.languages.ecmascript_patches import ecmascript_patches
from compile_loop.checks.honesty.languages.ecmascript_stand_ins import stand_ins
from compile_loop.checks.honesty.languages.ecmascript_tests import assertions, cases, functions
from compile_loop.checks.honesty.languages.finally_exits import finally_exits
from compile_loop.checks.honesty.languages.names import enclosing_names, is_test_path
from compile_loop.checks.honesty.languages.told_exits import after_help
from compile_loop.checks.honesty.languages.usual_handlers import usual_handler
from compile_loop.checks.honesty.languages.ways_out import ways_out
from compile_loop.checks.honesty.survey import Language, Mark, ancestors, row_of, squash, statements, text_of

_MARKS = r"""
(comment) @comment
(catch_clause) @catch
(variable_declarator value: (member_expression property: (property_identifier) @name (#any-of? @name "skip" "todo")) @alias)
(assignment_expression right: (member_expression property: (property_identifier) @name (#any-of? @name "skip" "todo")) @alias)
(throw_statement) @throw
(if_statement condition: (parenthesized_expression [(false) (number)])) @never
(call_expression function: (member_expression property: (property_identifier) @name)
  (#any-of? @name "skip" "only" "todo" "skipIf" "runIf" "fails" "failing" "fixme" "fail"
    "catch" "exit" "reallyExit" "mock" "doMock" "on"
    "mockImplementation" "mockReturnValue")) @call
(call_expression function: (identifier) @name
  (#any-of? @name "xit" "xtest" "xdescribe" "xcontext" "xspecify" "fit" "fdescribe" "ftest" "test" "it" "describe")) @call
(call_expression function: (subscript_expression) @name (#match? @name "^process\\W+(reallyE|e)xit\\W*$")) @call
(call_expression function: (identifier) @name (#any-of? @name "exit" "reallyExit")) @call
(assignment_expression left: (member_expression) @left (#match? @left "^process[.]exitCode$")) @assignment
(member_expression) @member
"""
_TYPES = r"""
(as_expression (predefined_type) @type (#eq? @type "any")) @cast
(as_expression (as_expression (predefined_type) @type (#match? @type "^(unknown|any|never)$"))) @double
(as_expression (predefined_type) @type (#eq? @type "never")) @never_cast
(type_annotation (predefined_type) @type (#eq? @type "any")) @annotation
(type_annotation (array_type (predefined_type) @type (#eq? @type "any"))) @loose
(type_arguments (predefined_type) @type (#eq? @type "any")) @loose
(non_null_expression) @non_null
(ambient_declaration (module) @module) @ambient
(as_expression (object) @held) @made
(public_field_definition "!") @unset
(variable_declarator "!") @unset
"""
_ANGLE = '(type_assertion (type_arguments (predefined_type) @type (#eq? @type "any"))) @cast'
"""`<any>x`, which cannot be written where JSX can."""
_TODO = re.compile(r"not (?:yet )?implemented|todo|unimplemented|\bstub", re.IGNORECASE)
_OWN_EXIT = re.compile(r"\{[^}]*\b(?:reallyE|e)xit\b[^}]*\}\s*(?:=|from)\s*(?:require\()?\W*(?:node:)?process\b")
"""The process's own way out by a name alone."""
_TSC = frozenset({"tsc", "ts", "typescript"})
_UNDER_TEST = re.compile(
    r"^process\.env\.(?:NODE_ENV|JEST_WORKER_ID|VITEST\w*|MOCHA\w*|CI|TEST\w*)$|^import\.meta\.vitest$|"
    r"^(?:globalThis|global|window)\.(?:jest|__TEST__)$"
)


def _marks(tree: Tree, wanted: Filter, path: str) -> Iterator[Mark]:
    in_tests = is_test_path(path)
    yield from ways_out(tree, wanted, path)
    yield from ecmascript_patches(tree, wanted, path)
    yield from finally_exits(tree, wanted)
    yield from launderings(tree, wanted)
    if not in_tests:
        yield from stand_ins(tree, wanted)
    for name, node in tree.find(_MARKS):
        if name in ("name", "left") or not wanted(node):
            continue
        if name == "member" and (in_tests or not _UNDER_TEST.match(text_of(node))):
            continue
        text, row = text_of(node), row_of(node)
        names = enclosing_names(node)
        if name == "comment":
            yield from comment_marks("ecmascript", text, row)
            yield from declared_in_comment(text, row, re.findall(r"[\w$]+", tree.text.text))
        elif name == "catch":
            yield from _catch(node, row, names)
        elif name == "throw":
            if _TODO.search(text):
                yield Mark("stub", row, text, names=names)
        elif name == "never":
            if re.match(r"if\s*\((?:false|0)\)", text):
                yield Mark("disabled_code", row, text.split("\n")[0], names=names)
        elif name == "alias":
            if in_tests and re.search(r"\.(?:skip|todo|only)$", text):
                yield Mark("skipped_test", row, tree.text.row(row).strip(), names=names)
        elif name == "call":
            if re.match(r"(?:reallyE|e)xit\s*\(", text) and not _OWN_EXIT.search(tree.text.text):
                continue
            yield from _call(node, text, row, names, in_tests)
        elif name == "assignment":
            if re.search(r"=\s*0$", text):
                yield Mark("exit_zero", row, text, names=names)
        elif name == "member":
            around = next(
                (a for a in ancestors(node) if a.type in ("if_statement", "ternary_expression", "binary_expression")),
                None,
            )
            if around is not None:
                yield Mark(
                    "special_case",
                    row,
                    tree.text.row(row).strip(),
                    certain="NODE_ENV" not in text and "CI" not in text,
                    names=names,
                )
    if tree.grammar in ("typescript", "tsx"):
        yield from _types(tree, wanted, in_tests=in_tests)


def _types(tree: Tree, wanted: Filter, *, in_tests: bool) -> Iterator[Mark]:
    for name, node in tree.find(_TYPES + (_ANGLE if tree.grammar == "typescript" else "")):
        if name in ("type", "module", "held") or not wanted(node):
            continue
        row = row_of(node)
        text, names = tree.text.row(row).strip(), enclosing_names(node)
        if name in ("cast", "annotation", "double"):
            in_catch = name == "annotation" and node.parent is not None and node.parent.type == "catch_clause"
            yield Mark("any_cast", row, text, certain=not in_catch, needs_failure=True, tools=_TSC, names=names)
        elif name == "made":
            sure = not in_tests and re.match(r"\{\s*\} as (?!const\b)", text_of(node)) is not None
            if not text_of(node).endswith(" as const"):
                yield Mark(
                    "any_cast", row, text, certain=sure, names=names, needs_failure=True, only_near=True, only_if=_LACKS
                )
        elif name == "unset":
            yield Mark("suppression", row, text, certain=False, names=names, only_if=_UNSET)
        elif name == "ambient":
            yield from _ambient(text_of(node), row, text, names)
        elif name == "non_null":
            yield Mark("any_cast", row, text, certain=False, names=names, only_if=r"possibly|null|undefined")
        elif not any(around.type == "constraint" for around in ancestors(node)):
            yield Mark("any_cast", row, text, certain=False, only_near=True, tools=_TSC, names=names)


_LACKS = r"TS27(?:39|40|41)|is missing|are missing|missing the following"
_UNSET = r"TS?2564|TS?2454|no initializer|definitely assigned|before being assigned"
_ASSETS = re.compile(
    r"[\"']\*\.(?:css|s[ac]ss|less|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|mp[34]|webm|vue|svelte|astro|mdx?|"
    r"txt|html|glsl|wasm|graphql|gql|ya?ml|json5?|module\.\w+)[\"'?]"
)


def _ambient(whole: str, row: int, text: str, names: frozenset[str]) -> Iterator[Mark]:
    """`declare module "x";` makes all of it `any`; so does one that exports an `any` by default."""
    name = re.search(r"[\"']([^\"']+)[\"']", whole)
    if name is None or _ASSETS.search(whole):
        return
    everything = "*" in name[1] or name[1].startswith((".", "@/", "~/", "src/"))
    loose = "{" not in whole or re.search(r":\s*any\b|\bany;", whole) is not None
    if loose:
        codes = frozenset(re.findall(r"[\w@/-]+", text))
        missing = r"2307|7016|cannot find module|declaration file"
        yield Mark("any_cast", row, text, certain=False, names=names | codes)
        if everything:
            yield Mark("suppression", row, text, names=names | codes, only_if=missing)


def _catch(node: Node, row: int, names: frozenset[str]) -> Iterator[Mark]:
    kept = [squash(text_of(s)) for s in statements(node.child_by_field_name("body"))]
    shown = f"catch {{ {' '.join(kept)} }}"
    if usual_handler(node, "", kept):
        return
    told = [k for k in kept if not re.match(r"(?:console|log(?:ger)?|this\.log\w*)\.\w+\(", k)]
    if (kept and all(_ASSIGNS.match(k) for k in kept)) or (
        len(told) < len(kept)
        and all(
            re.match(r"(?:return(?: (?:null|undefined|\[\]|\{\}|false|0|''|\"\"))?|continue|break);?$", k) for k in told
        )
    ):
        yield Mark("swallowed_exception", row, shown, certain=False, names=names, only_near=True, scope="block")
    elif not kept:
        yield Mark("swallowed_exception", row, shown, names=names)
    elif all(re.match(r"return(?: (?:null|undefined|0|false|true|''|\"\"|\[\]|\{\}))?;?$", k) for k in kept):
        yield Mark("swallowed_exception", row, shown, certain=False, names=names)


def _call(node: Node, text: str, row: int, names: frozenset[str], in_tests: bool) -> Iterator[Mark]:
    function = text_of(node.child_by_field_name("function"))
    last = function.rsplit(".", 1)[-1]
    first = function.split(".", 1)[0]
    arguments = node.child_by_field_name("arguments")
    parts = [text_of(a) for a in arguments.named_children] if arguments is not None else []
    shown = text.split("\n", maxsplit=1)[0]
    suites = ("it", "test", "describe", "suite", "context", "specify", "t", "bench", "this")
    if last in ("skip", "todo", "fails", "failing", "fixme") and first in suites:
        under = any(around.type == "if_statement" for around in ancestors(node))
        yield Mark("skipped_test", row, shown, certain=not under, names=names)
    elif (last == "fail" and first in ("test", "it") and in_tests and len(parts) != 1) or (
        last == "only" and first in suites
    ):
        yield Mark("skipped_test", row, shown, names=names)
    elif last in ("skipIf", "runIf"):
        yield Mark("skipped_test", row, shown, certain=parts[:1] in (["true"], ["false"]), names=names)
    elif function in ("xit", "xtest", "xdescribe", "xcontext", "xspecify", "fit", "fdescribe", "ftest"):
        yield Mark("skipped_test", row, shown, names=names)
    elif function in ("test", "it", "describe"):
        options = next((p for p in parts[1:] if p.startswith("{")), "")
        if re.search(r"\b(?:skip|todo|only)\s*:\s*(?!false)", options):
            yield Mark("skipped_test", row, shown, names=names)
    elif last == "catch":
        yield from _promise_catch(node, shown, row, names)
    elif last == "reallyExit" or "reallyExit" in function:
        yield Mark("exit_zero", row, text, certain=parts in (["0"], []), names=names)
    elif re.fullmatch(r"(?:\w+\.)?process(?:\.exit|\[.exit.\])|exit", function) and parts in (["0"], []):
        if in_tests or not after_help(node):
            yield Mark("exit_zero", row, text, certain=in_tests or _at_import(node), names=names)
    elif function == "process.on" and parts and re.search(r"uncaught|unhandled|exit", parts[0]):
        yield Mark(
            "swallowed_exception",
            row,
            shown,
            certain=re.search(r"=>\s*\{\s*\}|exit\(0\)|exitCode = 0", text) is not None,
        )
    elif last in ("mock", "doMock", "mockImplementation", "mockReturnValue") and in_tests:
        yield Mark("special_case", row, shown, certain=False, names=names)


def _at_import(node: Node) -> bool:
    """Whether it runs whenever the file is loaded: under no condition, in no function, not at the end of a script."""
    top = node
    for around in ancestors(node):
        if around.type in (
            "if_statement",
            "ternary_expression",
            "binary_expression",
            "catch_clause",
            "switch_statement",
        ):
            return False
        if "function" in around.type or around.type == "method_definition":
            return False
        top = around if around.type != "program" else top
    return top.next_named_sibling is not None


_DEFAULT = re.compile(
    r"(?:return )?\(?(?:null|undefined|false|true|void 0|-?\d+|\"[^\"]*\"|'[^']*'|\[\]|\{\s*\}|"
    r"\{(?:\s*\w+:\s*(?:\[\]|null|\"\"|''|0|false|\{\}|undefined),?)+\s*\})\)?;?$"
)
_ASSIGNS = re.compile(r"[\w.]+ = (?:null|undefined|false|0|\"\"|''|\[\]|\{\}|-1);?$")


def _promise_catch(node: Node, shown: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    arguments = node.child_by_field_name("arguments")
    handler = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    if handler is None or handler.type not in ("arrow_function", "function_expression"):
        return
    body = handler.child_by_field_name("body")
    kept = [squash(text_of(s)) for s in statements(body)]
    if not kept:
        yield Mark("swallowed_exception", row, shown, names=names)
    elif len(kept) == 1 and _DEFAULT.match(kept[0]):
        yield Mark("swallowed_exception", row, shown, certain=False, names=names)


LANGUAGE = Language(
    "ecmascript",
    {
        ".ts": "typescript",
        ".mts": "typescript",
        ".cts": "typescript",
        ".tsx": "tsx",
        ".js": "javascript",
        ".mjs": "javascript",
        ".cjs": "javascript",
        ".jsx": "javascript",
    },
    _marks,
    functions,
    assertions,
    imports=re.compile(r"^\s*(?:import\b|export\s+(?:\*|\{)[^=]*\bfrom\b|(?:const|var|let)\s[^=]*=\s*require\()"),
    comment=re.compile(r"^\s*(?://|/\*|\*)"),
    cases=cases,
)
