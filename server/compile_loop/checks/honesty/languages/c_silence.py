"""C and C++: sanitizers, statuses, qualifiers and links that are made to say nothing (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.names import enclosing_names
from compile_loop.checks.honesty.survey import Mark, ancestors, row_of, squash, statements, text_of

RESULT = r"unused[- ]result|warn_unused|nodiscard|ignoring return(?:ed)? value"
_DISCARDS = r"discards|qualifier|drops|loses|from ['‘]const|casts away"
_OTHER_CLASS = r"invalid conversion|cannot convert|no known conversion|cannot initialize|incompatible[- ]pointer"
_NO_NUMBER = (
    r"makes (?:pointer|integer)|different size|int-to-pointer|pointer-to-int"
    r"|from type '[^']*\*' to type '(?:unsigned )?(?:int|long)"
)
_LINK = r"undefined (?:reference|symbol)|unresolved external"

_QUERY = r"""
(function_declarator declarator: (identifier) @name
  (#match? @name "^__(a|l|ub|t|m)san_default_(options|suppressions)$")) @options
(call_expression function: (identifier) @name
  (#match? @name "^(__lsan_(disable|ignore_object)|__(a|m)san_unpoison\\w*|VALGRIND_\\w+|ANNOTATE_\\w*BENIGN\\w*)$")) @unwatched
(attribute_specifier) @attribute
(preproc_def) @define
(cast_expression) @cast
(if_statement) @if
"""
_CPP = r"""
(attribute_declaration) @attribute
(assignment_expression left: (qualified_identifier) @name (#eq? @name "std::ignore")) @ignored
(call_expression function: (template_function name: (identifier) @name (#eq? @name "static_cast"))) @void
(init_declarator declarator: (identifier) @name (#match? @name "^_+(unused|ignored?)?$")) @ignored
(call_expression function: (identifier) @name (#match? @name "^(TEST_CASE|SCENARIO|TEST_CASE_METHOD|SUBCASE|SECTION)$")) @test
(catch_clause) @catch
(call_expression function: (field_expression field: (field_identifier) @name (#eq? @name "value_or"))) @instead
"""
_NO_WARNINGS = re.compile(
    r"#\s*define\s+(?:_CRT_(?:SECURE|NONSTDC)_NO_\w+|_SILENCE_\w+|\w*(?:NO|DISABLE|SUPPRESS|"
    r"ALLOW)_?\w*DEPRECAT\w*|\w*DEPRECATED_NO_\w*|"
    r"\w+_NO_WARNINGS?\w*)\b"
)
_OFF = re.compile(
    r"\[(?:\.\w*|!mayfail|!shouldfail|!hide)\]|doctest::(?:skip|may_fail|should_fail|expected_failures)\s*\("
)
_LOGS = re.compile(
    r"(?:std::)?(?:cerr|cout|clog)\s*<<|(?:std::)?f?printf\s*\(|(?:spdlog|LOG|log\w*|Log\w*|syslog|perror|qWarning|qDebug)\b",
    re.IGNORECASE,
)
_DETOUR = re.compile(
    r"(?:\(\s*[\w:][^()]*\)\s*|(?:static|reinterpret)_cast\s*<[^()]*>\s*\(\s*)"
    r"(?:\(\s*(?:const\s+)?(?:void\s*\*+|(?:std::)?u?intptr_t|unsigned long|size_t)\s*\)|"
    r"(?:static|reinterpret)_cast\s*<\s*(?:const\s+)?(?:void\s*\*|(?:std::)?u?intptr_t)\s*>)"
)
"""A cast through a type that every pointer fits."""
_BYTES = re.compile(r"\(\s*(?:const\s+)?(?:(?:un)?signed\s+)?(?:char|u?int8_t|std::byte|void)\s*\*|sockaddr")


def c_silence(tree: Tree, wanted: Filter) -> Iterator[Mark]:
    """What makes a tool of C or C++ say less than it did."""
    for name, node in tree.find(_QUERY + (_CPP if tree.grammar == "cpp" else "")):
        if name == "name" or not wanted(node):
            continue
        text, row, names = squash(text_of(node)), row_of(node), enclosing_names(node)
        if name == "options":
            yield Mark("disabled_warning", row, text, names=names)
        elif name == "unwatched":
            yield Mark("disabled_warning", row, text, certain=False, names=names)
        elif name == "attribute":
            if re.search(r"\b(?:nodiscard|warn_unused_result)\b", text):
                yield Mark("disabled_warning", row, f"removed {text}", names=names, removed=True, only_if=RESULT)
            elif re.search(r"\balias\s*\(|\bweakref\b", text):
                yield Mark("stub", row, text, names=names, only_if=_LINK)
            elif re.search(r"\bweak\b", text):
                yield Mark("stub", row, text, certain=False, names=names, only_if=_LINK)
        elif name == "define":
            if _NO_WARNINGS.match(text):
                yield Mark("disabled_warning", row, text, only_if=r"deprecat|C4996|unsafe|_CRT_SECURE")
        elif name == "cast":
            around = next((a for a in ancestors(node) if a.type == "function_definition"), None)
            value = text_of(node.child_by_field_name("value"))
            untyped = re.search(rf"\bvoid\s*\*\s*(?:const\s+)?{re.escape(value)}\b", text_of(around)) is not None
            yield from _cast(text, row, names, untyped=untyped)
        elif name == "if":
            yield from _unheeded(
                squash(text_of(node.child_by_field_name("condition"))),
                sum(text_of(s) != ";" for s in statements(node.child_by_field_name("consequence"))),
                row,
                names,
            )
        elif name in ("ignored", "void"):
            yield from _put_away(name, text, row, names)
        elif name == "test":
            if off := _OFF.search(text):
                yield Mark("skipped_test", row, f"{off[0]} in {text}", names=names)
        elif name == "instead":
            if re.search(r"value_or\(\s*(?:[-\w.\"]+|\{\}|\w+\{\})\s*\)$", text):
                yield Mark(
                    "swallowed_exception",
                    row,
                    text,
                    certain=False,
                    names=names,
                    only_if=r"bad.optional.access|bad.expected",
                )
        elif name == "catch":
            kept = [squash(text_of(s)) for s in statements(node.child_by_field_name("body"))]
            if kept and all(_LOGS.search(k) and not re.search(r"\bthrow\b|\bfail", k) for k in kept):
                shown = f"catch {text_of(node.child_by_field_name('parameters'))} {{ {' '.join(kept)} }}"
                yield Mark(
                    "swallowed_exception", row, shown, certain=False, names=names, only_if=r"exception|thrown|terminate"
                )


def _cast(text: str, row: int, names: frozenset[str], *, untyped: bool) -> Iterator[Mark]:
    """A cast that takes the promise not to write away, or takes one type for another; `untyped` is what had none."""
    if re.match(r"\([^()]*\(\s*\*\s*\)\s*\(", text):
        yield Mark("any_cast", row, text, certain=False, names=names, only_if=_OTHER_CLASS)
        return
    if re.match(r"\(\s*(?:u?int\w*_t|size_t|(?:unsigned\s+)?(?:long|int)(?:\s+long)?)\s*\)", text):
        yield Mark("any_cast", row, text, certain=False, names=names, only_if=_NO_NUMBER)
        return
    if _DETOUR.match(text):
        yield Mark("any_cast", row, text, names=names, needs_failure=True, only_near=True, only_if=_OTHER_CLASS)
    if re.match(r"\((?![^()]*\bconst\b)[^()]*\*\s*\)\s*\(?\s*\(\s*(?:std::)?u?intptr_t\s*\)", text):
        yield Mark("any_cast", row, text, names=names, only_near=True, only_if=_DISCARDS)
    to = re.match(r"\(([^()]*\*[^()]*)\)", text)
    if to is None or re.match(r"\(\s*(?:const\s+)?void\s*\*", text):
        return
    if not re.search(r"\bconst\b", to[1]):
        yield Mark("any_cast", row, text, certain=False, names=names, only_if=_DISCARDS)
    if not (untyped or _BYTES.search(text)):
        yield Mark("any_cast", row, text, certain=False, names=names, only_if=_OTHER_CLASS)


def _put_away(name: str, text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    """A value that is given to nobody, or taken through a type that every pointer fits."""
    if _DETOUR.match(text):
        yield Mark("any_cast", row, text, names=names, needs_failure=True, only_near=True, only_if=_OTHER_CLASS)
    elif "(" in text and (name == "ignored" or re.match(r"static_cast\s*<\s*void\s*>", text)):
        yield Mark("swallowed_exception", row, text, certain=False, names=names, only_if=RESULT)


def _unheeded(condition: str, done: int, row: int, names: frozenset[str]) -> Iterator[Mark]:
    if done == 0 and re.search(r"\w\s*\(", condition.strip("() ")):
        yield Mark("swallowed_exception", row, f"if {condition} {{}}", certain=False, names=names, only_if=RESULT)
