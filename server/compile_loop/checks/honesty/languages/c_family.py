"""C and C++: pragmas, preprocessor tricks, casts and empty handlers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.assertions import split_top
from compile_loop.checks.honesty.comments import comment_marks
from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.c_silence import RESULT, c_silence
from compile_loop.checks.honesty.languages.c_tests import assertions, cases, functions
from compile_loop.checks.honesty.languages.fallbacks import fallbacks
from compile_loop.checks.honesty.languages.names import enclosing_names, is_test_path
from compile_loop.checks.honesty.languages.ways_out import ways_out
from compile_loop.checks.honesty.survey import Language, Mark, ancestors, row_of, squash, statements, text_of

_MARKS = r"""
(comment) @comment
(preproc_call) @directive
(preproc_def) @define
(preproc_function_def) @define
(preproc_if condition: (_) @condition) @preproc
(preproc_ifdef name: (identifier) @condition) @ifdef
(if_statement condition: (_) @condition) @if
(cast_expression) @cast
(call_expression function: (_) @fn
  (#match? @fn "^(GTEST_SKIP|IGNORE_TEST|TEST_IGNORE\\w*|SKIP)$|^_?_[Pp]ragma$|unreachable$|^(EXPECT|ASSERT)_(NON)?FATAL_FAILURE")
) @call
(call_expression function: (_) @fn (#match? @fn "(^|::)(signal|sigaction|bsd_signal|set_terminate)$")) @signal
(function_definition declarator: (function_declarator declarator: (identifier) @macro)
  (#match? @macro "^(_*assert(_fail|_rtn|_func|_perror_fail)?|_wassert|abort|_?_?exit|_Exit|raise|strn?cmp|memcmp)$")) @own
(function_definition declarator: (function_declarator declarator: (identifier) @macro)
  (#match? @macro "^(v?fprintf|perror|atexit|longjmp|kill)$")) @own
(attribute_specifier) @attribute
(init_declarator declarator: (identifier) value: (identifier)) @itself
(gnu_asm_expression) @asm
(function_definition declarator: (function_declarator declarator: (identifier) @macro)
  (#any-of? @macro "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "IGNORE_TEST")) @test
"""
_CPP = r"""
(catch_clause) @catch
(throw_statement) @throw
(attribute_declaration) @attribute
(static_assert_declaration) @static_assert
(call_expression function: (template_function name: (identifier) @fn (#match? @fn "^(reinterpret_cast|const_cast)$"))) @cpp_cast
"""
_TODO = re.compile(r"not (?:yet )?implemented|todo|unimplemented|\bstub", re.IGNORECASE)
_DIAGNOSTIC = re.compile(r"\b(?:GCC|clang)\s+diagnostic\s+(ignored|warning|error|push|pop)\b(?:\s+\\?\"(-[\w=+-]+))?")
_NEVER = re.compile(r"\(?\s*(?:0|false|FALSE|1\s*==\s*[02]|0\s*&&.*|false\s*&&.*)\s*\)?$")
_WORDS_OF_C = re.compile(
    r"(?:private|protected|const|__attribute__|__restrict|static|inline|override|noexcept|nodiscard)$"
)
_UNUSED = r"unused[- ](?:variable|function|but|value|label|static|const)|(?:set|defined) but not used|unreferenced"
_UNINITIALISED = r"uninitiali[sz]ed|-Winit-self"
_POINTERS = r"incompatible|convert|conversion|cast|discards|pointer"
_ASSERT_NAMES = re.compile(r"(?:static_assert|_Static_assert|assert|EXPECT_\w+|ASSERT_\w+|CHECK|REQUIRE)$")


_BY_A_FUNCTION = re.compile(
    r"\b(?!(?:std|[fsvn]*print\w*|puts|fputs|fflush|if|while|for|sizeof|do|void|warn\w*|log\w*|note\w*)\s*\()[A-Za-z_]\w*\s*\([^()]*__LINE__",
    re.IGNORECASE,
)


def _marks(tree: Tree, wanted: Filter, path: str) -> Iterator[Mark]:
    yield from ways_out(tree, wanted, path)
    yield from c_silence(tree, wanted)
    yield from fallbacks(tree, wanted)
    found = list(tree.find(_MARKS)) + (list(tree.find(_CPP)) if tree.grammar == "cpp" else [])
    for name, node in found:
        if name in ("condition", "fn", "macro") or not wanted(node):
            continue
        text, row = text_of(node), row_of(node)
        names = enclosing_names(node)
        if name == "comment":
            yield from comment_marks("c", text, row)
        elif name == "directive":
            yield from _directive(text, row)
        elif name == "define":
            yield from _define(text, row, path)
        elif name in ("preproc", "ifdef", "if"):
            yield from _conditional(name, node, text, row, names)
        elif name == "attribute":
            yield from _attribute(text, row, names)
        elif name == "call":
            yield from _call(text, row, names)
        elif name == "signal":
            yield from _signal(tree, text, row, names)
        elif name == "own":
            head = text.split("{", maxsplit=1)[0].strip()
            ends = re.search(
                r"\b(?:abort|__builtin_trap|raise|kill|_?[eE]xit|longjmp)\s*\(\s*[^0)\s]|throw\b", text[len(head) :]
            )
            sure = ends is None and re.search(r"\b(?:_\w*assert\w*|assert|abort)\s*\(", head) is not None
            yield Mark("weakened_test", row, head, certain=sure, names=names)
        elif name == "test":
            if re.match(r"\w+\s*\([^)]*\bDISABLED_", text) or text.startswith("IGNORE_TEST"):
                yield Mark("skipped_test", row, text.split("{")[0], names=names)
        elif name in ("cast", "cpp_cast"):
            yield from _cast(name, text, row, names)
        elif name == "itself":
            left, right = (text_of(node.child_by_field_name(field)) for field in ("declarator", "value"))
            if left == right:
                yield Mark("suppression", row, text_of(node.parent), names=names | {left}, only_if=_UNINITIALISED)
        elif name == "asm":
            yield Mark("suppression", row, text, certain=False, names=names, only_if=_UNINITIALISED)
        else:
            yield from _cpp(name, node, text, row, names)


def _directive(text: str, row: int) -> Iterator[Mark]:
    found = _DIAGNOSTIC.search(text)
    if found and found[1] == "ignored":
        codes = frozenset({found[2]} if found[2] else ())
        yield Mark("suppression", row, text, needs_failure=True, scope="block", codes=codes)
    elif found and found[1] == "warning":
        yield Mark("suppression", row, text, certain=False, scope="block")
    elif found and found[1] == "error":
        yield Mark("disabled_warning", row, f"removed {text}", scope="project", certain=False, removed=True)
    elif re.search(r"#\s*pragma\s+warning\s*\(\s*(?:disable|suppress)", text):
        codes = frozenset(f"C{number}" for number in re.findall(r"\b\d{4}\b", text))
        yield Mark("suppression", row, text, needs_failure=True, scope="block", codes=codes)
    elif re.search(r"#\s*pragma\s+(?:GCC|clang)\s+system_header", text):
        yield Mark("suppression", row, text, scope="file", needs_failure=True)


def _define(text: str, row: int, path: str) -> Iterator[Mark]:
    found = re.match(r"#\s*define\s+(\w+)(\([^)]*\))?[ \t]*(.*)$", text.strip(), re.DOTALL)
    if found is None:
        return
    name, parameters, value = found[1], found[2], found[3].strip()
    empty = value in (
        "",
        "0",
        "NULL",
        "((void)0)",
        "(void)0",
        "(0)",
        "nullptr",
        "do {} while (0)",
        "do { } while (0)",
        "1",
        "true",
    )
    muted = _DIAGNOSTIC.search(value.replace("\\\n", " ")) if "_Pragma" in value else None
    ignored = re.search(r"diagnostic\s+ignored\s+\\?\"(-[\w=+-]+)", value)
    if ignored or (muted and muted[1] == "ignored") or re.search(r"__pragma\s*\(\s*warning\s*\(\s*disable", value):
        codes = frozenset({ignored[1]} if ignored else ())
        yield Mark("suppression", row, text.split("\n", maxsplit=1)[0], needs_failure=True, scope="block", codes=codes)
    elif name == "NDEBUG" or (empty and _ASSERT_NAMES.match(name)):
        yield Mark("weakened_test", row, text)
    elif parameters is not None and _ASSERT_NAMES.match(name):
        fails = r"abort|exit|fail|longjmp|throw|assert|raise|trap|err|unreachable|FAIL|ASSERT|return|\?"
        # A name that says little, or that fails by a function of their own.
        theirs = name in ("CHECK", "REQUIRE") and (
            not is_test_path(path) or _BY_A_FUNCTION.search(value.replace(name, ""))
        )
        if not theirs and not re.search(fails, value.replace(name, "")):
            yield Mark("weakened_test", row, text)
    elif re.fullmatch(r"abort|exit|_exit|__assert_fail", name):
        yield Mark("weakened_test", row, text, certain=False)
    elif re.fullmatch(r"main|if|while|for|return|else|switch|case|do|goto|int|void", name):
        yield Mark("disabled_code", row, text, certain=False, names=frozenset({name}))
    elif _WORDS_OF_C.match(name):
        yield Mark("suppression", row, text, names=frozenset({name}))
    elif parameters is not None and empty:
        yield Mark("stub", row, text, names=frozenset({name}), only_if=rf"\b{name}\b")


def _conditional(name: str, node: Node, text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    if name == "ifdef":
        guard = text_of(node.child_by_field_name("name"))
        if re.match(r"(?:NEVER|DISABLED?|UNUSED|SKIP|BROKEN|FIXME|TODO|NOT_?USED|XXX)", guard) and not text.startswith(
            "#ifndef"
        ):
            yield Mark("disabled_code", row, text.split("\n", maxsplit=1)[0], names=names)
        elif re.match(r"(?:UNIT_?TEST|TESTING|TEST_?MODE|IN_TEST)", guard):
            yield Mark("special_case", row, text.split("\n", maxsplit=1)[0], certain=False, names=names)
        return
    condition = text_of(node.child_by_field_name("condition"))
    if _NEVER.match(condition):
        yield Mark("disabled_code", row, text.split("\n", maxsplit=1)[0], names=names)


def _attribute(text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    if re.search(r"\b(?:maybe_)?unused\b", text):
        yield Mark("suppression", row, text, certain=False, names=names, only_if=f"{_UNUSED}|{RESULT}")
    elif "fallthrough" in text:
        yield Mark("suppression", row, text, certain=False, names=names, only_if=r"fall[- ]?through")
    elif re.search(r"no_sanitize|no_thread_safety|optnone|diagnose_if|\bignore\b|gsl::suppress|clang::no", text):
        yield Mark("suppression", row, text, certain=False, names=names)


def _signal(tree: Tree, text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    """A handler in the way of a failed assertion; one that leaves with success is no crash reporter."""
    name = re.split(r"\s*\(", text, maxsplit=1)[0].rsplit(":", 1)[-1]
    if name == "set_terminate" or "SIGABRT" in text:
        leaves = any(
            re.search(rf"\b{word}\s*\([^;{{}}]*\)\s*\{{[^{{}}]*[eE]xit\s*\(\s*(?:0|EXIT_SUCCESS)\s*\)", tree.text.text)
            for word in set(re.findall(r"\w+", text)) - {name, "SIGABRT"}
        )
        leaves = leaves or re.search(r"[eE]xit\s*\(\s*(?:0|EXIT_SUCCESS)\s*\)", text) is not None
        yield Mark("weakened_test", row, text, certain=leaves, names=names)


def _call(text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    name = text.split("(", maxsplit=1)[0].strip()
    if name in ("_Pragma", "__pragma"):
        found = _DIAGNOSTIC.search(text)
        if (found and found[1] == "ignored") or "warning(disable" in text:
            codes = frozenset({found[2]} if found and found[2] else ())
            yield Mark("suppression", row, text, needs_failure=True, scope="block", codes=codes)
    elif "FATAL_FAILURE" in name:
        yield Mark("weakened_test", row, text, names=names, needs_failure=True, scope="block")
    elif re.match(r"GTEST_SKIP|TEST_IGNORE|IGNORE_TEST|SKIP$", name):
        yield Mark("skipped_test", row, text, names=names)
    elif name.endswith("unreachable") and '"' not in text:  # with words it is an assertion
        yield Mark("stub", row, text, certain=False, names=names)


def _cast(name: str, text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    if re.match(
        r"reinterpret_cast\s*<\s*(?:const\s+)?(?:(?:un)?signed\s+)?(?:char|std::byte|(?:std::)?uint8_t|void)\s*(?:const\s*)?\*",
        text,
    ):
        return  # bytes may be looked at
    if name == "cpp_cast" or re.match(r"\(\s*(?:const\s+)?void\s*\*+\s*\)", text):
        yield Mark("any_cast", row, text, certain=False, names=names, only_if=_POINTERS)
    elif re.match(r"\(\s*void\s*\)\s*\w+$", text):
        yield Mark(
            "suppression",
            row,
            text,
            certain=False,
            names=names | frozenset(re.findall(r"\w+", text)),
            only_if=f"{_UNUSED}|{RESULT}",
        )
    elif re.match(r"\(\s*void\s*\)", text) and "(" in text[6:]:
        yield Mark("swallowed_exception", row, text, certain=False, names=names, only_if=RESULT)


def _cpp(name: str, node: Node, text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    if name == "catch":
        kept = [squash(text_of(s)) for s in statements(node.child_by_field_name("body"))]
        caught = text_of(node.child_by_field_name("parameters"))
        shown = f"catch {caught} {{ {' '.join(kept)} }}"
        if not kept:
            broad = re.search(r"\.\.\.|std::exception|std::runtime_error|std::logic_error", caught) is not None
            yield Mark("swallowed_exception", row, shown, certain=broad, names=names)
        elif all(re.match(r"(?:return(?: [\w\"'{}-]*)?|continue|break);$", k) for k in kept):
            yield Mark("swallowed_exception", row, shown, certain=False, names=names)
    elif name == "throw":
        if _TODO.search(text):
            yield Mark("stub", row, text, names=names)
    elif name == "static_assert":
        in_tests = any(around.type == "function_definition" for around in ancestors(node))
        condition = squash(text_of(node.child_by_field_name("condition")))
        if condition in ("true", "1"):
            yield Mark("weakened_test", row, text, names=names)
        elif not in_tests:
            for part in split_top(condition, ("&&",)):
                yield Mark(
                    "weakened_test", row, f"removed static_assert({part}", certain=False, names=names, removed=True
                )


_IMPORTS = re.compile(r"^\s*(?:#\s*include\b|using\s+(?:namespace\s+)?[\w:]+\s*;|import\s|@import\s)")
_COMMENT = re.compile(r"^\s*(?://|/\*|\*)")

C = Language("c", {".c": "c", ".h": "cpp"}, _marks, functions, assertions, _IMPORTS, _COMMENT, cases)
CPP = Language(
    "cpp",
    dict.fromkeys(
        (".cc", ".cpp", ".cxx", ".c++", ".C", ".hpp", ".hh", ".hxx", ".ipp", ".inl", ".tpp", ".cu", ".cuh"), "cpp"
    ),
    _marks,
    functions,
    assertions,
    _IMPORTS,
    _COMMENT,
    cases,
)
