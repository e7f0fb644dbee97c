"""Java: annotations, empty handlers, placeholders, and what its tests demand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.assertions import from_call
from compile_loop.checks.honesty.comments import comment_marks
from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.fallbacks import fallbacks
from compile_loop.checks.honesty.languages.names import enclosing_names, is_test_path, qualified
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
[(line_comment) (block_comment)] @comment
[(annotation) (marker_annotation)] @annotation
(catch_clause) @catch
(throw_statement) @throw
(cast_expression) @cast
(if_statement condition: (parenthesized_expression (false))) @never
(method_invocation name: (identifier) @name (#match? @name "^(assumeTrue|assumeFalse|abort|assertThrows(Exactly)?)$")) @call
(method_invocation name: (identifier) @name
  (#match? @name "^(setAccessible|trySetAccessible|privateLookupIn|redefineClasses)$")) @reach
(method_invocation name: (identifier) @name
  (#any-of? @name "orElse" "setDefaultUncaughtExceptionHandler" "setUncaughtExceptionHandler"
  "exceptionally" "exceptionallyCompose" "handle" "onErrorReturn" "onErrorReturnItem" "onErrorResume" "onErrorComplete"
  "onErrorContinue" "recover" "getOrElse")) @unheard
(formal_parameter type: (type_identifier) @raw) @raw_type
(local_variable_declaration type: (type_identifier) @raw) @raw_type
(import_declaration) @import
"""
_DETOUR = re.compile(
    r"\((?!\s*(?:Object|\?))[^()]+\)\s*\(?\s*\(\s*(?:Object|java\.lang\.Object|(?:\w+\.)*\w+<\s*\?\s*(?:,\s*\?\s*)*>|"
    r"(?:List|Map|Set|Collection|Iterable|Iterator|Optional|Class|Comparable|Comparator|Function|Supplier|"
    r"Consumer|Predicate|Future|Stream))\s*\)"
)
"""A cast through a type that everything fits."""
_TODO = re.compile(r"not (?:yet )?implemented|todo|unimplemented|\bstub", re.IGNORECASE)
_READ_ONLY = re.compile(
    r"read[- ]?only|immutable|unmodifiable|append[- ]?only|forward[- ]?only|frozen|cannot be (?:changed|modified)",
    re.IGNORECASE,
)
"""Why an operation that an interface calls optional is not there."""
_FRAMEWORKS = re.compile(
    r"\b(?:org\.(?:junit|testng|opentest4j|assertj|hamcrest|mockito)|Assertions?\.class|AssertionError\.class|Assert\.class|"
    r"[cC]lass\.forName\s*\(\s*\"[\w.]*(?:Tests?|Spec|IT)\"|\w+Tests?\.class)"
)
_TEST_PACKAGE = re.compile(r"\borg\.(?:junit|testng|opentest4j|assertj|hamcrest|mockito)\b")
_GENERIC = frozenset(
    re.findall(
        r"\w+",
        "List Map Set Collection Iterable Iterator Optional Class Comparable Comparator Function Supplier Consumer Predicate "
        "Future Queue Deque Stream",
    )
)
"""Types that take others; without them they take everything."""
_NIL = (
    r"(?:null|0|-1|false|true|\"\"|(?:Optional|List|Map|Set|Mono|Flux|Collections|Stream)\.(?:empty\w*|of)\(\)|"
    r"CompletableFuture\.completedFuture\(\s*null\s*\))"
)
_BLOCK_OF_NIL = rf"\{{(?:\s*[\w.]*(?:log|LOG|System)[\w.]*\([^;]*\);)?\s*return {_NIL};\s*\}}"
_INSTEAD = re.compile(
    rf"\.(?:(?:exceptionally(?:Compose)?|onError\w+|recover|getOrElse)\(\s*(?:\(?\w+\)?\s*->\s*)?(?:{_NIL}|{_BLOCK_OF_NIL})\s*\)|"
    r"handle\(\s*\(\s*(\w+)\s*,\s*\w+\s*\)\s*->\s*(?:\1|\{\s*return \1;\s*\})\s*\)|onErrorComplete\(\s*\))$"
)
"""What comes instead of a failure that happened elsewhere."""
_LOGS_ONLY = re.compile(
    r"(?:\w+\.)?(?:printStackTrace\(\)|(?:log\w*|LOG\w*|System\.(?:out|err))\.\w+\(.*\));$|"
    r"return(?: (?:null|0|false|true|\"\"|-1|\w+))?;$"
)
_EMPTY = re.compile(
    r"return (?:(?:List|Map|Set|Stream)\.(?:of|empty)\(\)|Collections\.empty\w+\(\)|new \w+(?:<.*>)?\(\)|"
    r"new \w+\[0\]|\{\}|0\.0|0L|'.')\s*;$"
)
_UNCHECKED = re.compile(
    r"\(\s*(?:\w+<(?!\s*\?)[^()]*>|(?:List|Map|Set|Collection|Iterable|Iterator|Class|Comparable|Comparator))\s*\)\s*\w+$"
)
_BROAD = re.compile(r"\b(?:Exception|Throwable|RuntimeException|Error|AssertionError)\b")
_TEST = re.compile(r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b")


def _marks(tree: Tree, wanted: Filter, path: str) -> Iterator[Mark]:
    yield from ways_out(tree, wanted, path)
    yield from fallbacks(tree, wanted)
    for name, node in tree.find(_MARKS):
        if name in ("name", "raw") or not wanted(node):
            continue
        text, row = text_of(node), row_of(node)
        names = enclosing_names(node)
        if name == "comment":
            yield from comment_marks("java", text, row)
        elif name == "annotation":
            yield from _annotation(node, text, row, names)
        elif name == "catch":
            yield from _catch(tree, node, row, names)
        elif name == "throw":
            if "UnsupportedOperationException" in text and _READ_ONLY.search(text + " ".join(names)):
                continue
            if "UnsupportedOperationException" in text or _TODO.search(text):
                yield Mark("stub", row, text, certain=_TODO.search(text) is not None, names=names)
        elif name == "cast":
            yield from _cast(squash(text), row, names)
        elif name == "never":
            yield Mark("disabled_code", row, text.split("\n")[0], names=names)
        elif name == "call":
            yield from _call(text, row, names)
        elif name == "raw_type" and text_of(node.child_by_field_name("type")) in _GENERIC:
            yield Mark(
                "any_cast",
                row,
                text,
                certain=False,
                names=names,
                only_if=r"incompatible|cannot be converted|unchecked|not applicable",
            )
        elif name == "unheard":
            yield from _unheard(text, row, names)
        elif name == "reach":
            if not is_test_path(path) and _FRAMEWORKS.search(tree.text.text):
                yield Mark("weakened_test", row, text, certain=False, names=names)
        elif name == "import" and not is_test_path(path) and _TEST_PACKAGE.search(text):
            yield Mark("weakened_test", row, text, certain=False, names=names)


def _cast(text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    said = r"incompatible types|inconvertible|cannot be (?:cast|converted)"
    if re.match(r"\(\s*(?:Object|java\.lang\.Object)\s*\)", text):
        yield Mark("any_cast", row, text, certain=False, names=names, only_if=r"incomparable|incompatible|convert")
    elif _DETOUR.match(text):
        yield Mark("any_cast", row, text, names=names, only_near=True, needs_failure=True, only_if=said)
    elif _UNCHECKED.match(text):
        yield Mark("any_cast", row, text, certain=False, only_near=True, names=names, only_if=said)


def _unheard(text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    """A failure that is answered with nothing, or that nobody is told of."""
    if re.search(r"orElse\(\s*(?:null|0|\"\"|false|-1|List\.of\(\))\s*\)$", text):
        yield Mark(
            "swallowed_exception",
            row,
            text[-60:],
            certain=False,
            names=names,
            only_if=r"No value present|NoSuchElement",
        )
    elif found := _INSTEAD.search(squash(text)):
        shown = found[0].lstrip(".")
        yield Mark("swallowed_exception", row, shown, certain=False, names=names, only_if=r"Exception|Error\b|thrown")
    elif re.search(r"Handler\s*\(.*->\s*\{\s*\}\s*\)$", squash(text)):
        yield Mark("swallowed_exception", row, text, certain=False, names=names)


def _annotation(node: Node, text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    name = text_of(node.child_by_field_name("name")).rsplit(".", 1)[-1]
    if name in ("SuppressWarnings", "SuppressFBWarnings", "SuppressLint", "SuppressPMD"):
        codes = frozenset(re.findall(r'"([^"]+)"', text))
        local = node.parent is not None and node.parent.parent is not None
        holder = text_of(node.parent.parent) if local and node.parent is not None else ""
        # Java has no other way to make an array of a parameter's type.
        only_way = codes == {"unchecked"} and re.search(r"=\s*\(\s*[A-Z]\w?\s*(?:\[\])+\s*\)\s*new\b[^;]*;$", holder)
        yield Mark(
            "suppression", row, text, certain=not only_way, needs_failure=True, scope="block", codes=codes, names=names
        )
    elif name in ("Disabled", "Ignore"):
        yield Mark("skipped_test", row, text, names=names)
    elif re.match(r"(?:Disabled|Enabled)(?:If|On|For)", name):
        yield Mark("skipped_test", row, text, certain=False, names=names)
    elif name == "SneakyThrows":
        yield Mark("swallowed_exception", row, text, certain=False, names=names)
    elif name == "MockitoSettings" and "LENIENT" in text:
        yield Mark("suppression", row, text, certain=False, names=names)
    elif name == "Tag":
        yield Mark("skipped_test", row, text, certain=False, only_near=True, scope="block", names=names)
    elif name == "Test" and re.search(r"\benabled\s*=\s*false", text):
        yield Mark("skipped_test", row, text, names=names)
    elif name == "Test" and "expected" in text:
        broad = _BROAD.search(text) is not None
        yield Mark("weakened_test", row, text, certain=broad, names=names)


_KEEPS = (
    r"(?:this\.)?(\w+)(?:\s*=\s*(?:\(\w+\)\s*)?{0};|\.(?:set|lazySet|compareAndSet|add|addLast|offer|put|accept|"
    r"addSuppressed|push|complete)\(.*\b{0}\b.*\);)$"
)
"""A failure that is put where others find it."""


_LOOKED_AT = (
    r"(?:return|throw|new)\s[^;=]*\b{0}\b|[(!,]\s*(?:this\.)?{0}\s*[.)!=,]|(?<![\w.]){0}\s*[!=]=|"
    r"(?<![\w]){0}\.(?:get|peek|poll|isEmpty|isPresent|size|stream|forEach|take|join|iterator)\w*\("
)
"""Where what was put away is looked at."""


def _kept_for_later(tree: Tree, node: Node, caught: str, kept: list[str], *, thrown: bool) -> bool:
    """Whether what was caught is put into something that is looked at elsewhere; `thrown` if it must be thrown there."""
    variable = re.search(r"(\w+)\s*$", caught)
    places = [m[1] for k in kept if variable and (m := re.match(_KEEPS.replace("{0}", re.escape(variable[1])), k))]
    rest = tree.text.text.replace(text_of(node), "")
    looks = r"(?:throw|assert\w*|fail)\b[^;]*\b{0}\b" if thrown else _LOOKED_AT
    return any(re.search(looks.replace("{0}", re.escape(place)), rest) for place in places)


def _catch(tree: Tree, node: Node, row: int, names: frozenset[str]) -> Iterator[Mark]:
    kept = [squash(text_of(s)) for s in statements(node.child_by_field_name("body"))]
    caught = text_of(next((c for c in node.named_children if c.type == "catch_formal_parameter"), None))
    shown = f"catch ({caught}) {{ {' '.join(kept)} }}"
    types = frozenset(re.findall(r"\b[A-Z]\w*", caught))
    if not kept:
        if types & {"InterruptedException", "CloneNotSupportedException"}:
            yield Mark("swallowed_exception", row, shown, certain=False, names=names | types)
        elif _BROAD.search(caught):
            yield Mark("swallowed_exception", row, shown, names=names | types)
        else:  # certain where the compiler asked for this very exception to be handled
            yield Mark(
                "swallowed_exception", row, shown, needs_failure=True, scope="project", codes=types, names=names | types
            )
    elif all(re.match(r"(?:return(?: (?:null|0|false|true|\"\"|-1))?|continue|break);$", k) for k in kept):
        yield Mark("swallowed_exception", row, shown, certain=False, names=names | types)
    elif _kept_for_later(tree, node, caught, kept, thrown="AssertionError" in types):
        return
    elif _BROAD.search(caught) and all(_EMPTY.match(k) for k in kept):
        said = r"\w+(?:Exception|Error)\b"
        yield Mark("swallowed_exception", row, shown, certain=False, names=names | types, only_if=said)
    elif "AssertionError" in types and not re.search(r"\bthrow\b|\bfail\s*\(", " ".join(kept)):
        yield Mark("weakened_test", row, shown, names=names | types)
    elif not re.search(r"\bthrow\b|\.(?:fail|exit|interrupt|completeExceptionally)\s*\(", " ".join(kept)):
        told = "|".join(sorted(types - {"Exception", "Throwable", "RuntimeException"}))
        told = told or (
            r"unreported|must be caught|\w+(?:Exception|Error)" if all(_LOGS_ONLY.match(k) for k in kept) else ""
        )
        if re.search(
            r"return\s+(?:Optional\w*\.empty\(\)|\w*(?:Result|Either|Response\w*)\b|\w*\.?(?:error|fail\w*|invalid|bad\w*|left)\()",
            kept[-1],
        ):
            return  # who calls is told
        if told:  # what failed is answered with something else
            yield Mark(
                "swallowed_exception", row, shown, certain=False, names=names | types, only_if=rf"\b(?:{told})\b"
            )


def _call(text: str, row: int, names: frozenset[str]) -> Iterator[Mark]:
    if re.match(
        r"(?:\w+\.)*assertThrows(?:Exactly)?\s*\(\s*(?:\w+\.)*(?:AssertionError|AssertionFailedError|Throwable|Error)\.class,[^;]*\bassert[A-Z]\w*\s*\(",
        text,
    ):
        yield Mark("weakened_test", row, text, names=names, needs_failure=True, scope="block")
        return
    if re.search(
        r"assumeTrue\s*\(\s*false\b|assumeFalse\s*\(\s*true\b|(?:Assumptions?|TestAbortedException)\.abort", text
    ):
        yield Mark("skipped_test", row, text, names=names)
    elif re.search(r"assume(?:True|False)\s*\(", text):
        yield Mark("skipped_test", row, text, certain=False, names=names)


def _functions(tree: Tree, path: str) -> list[Function]:
    found = []
    for _, node in tree.find("[(method_declaration) (constructor_declaration)] @function"):
        modifiers = next((text_of(c) for c in node.children if c.type == "modifiers"), "")
        found.append(
            Function(
                qualified(node, text_of(node.child_by_field_name("name"))),
                row_of(node),
                int(node.end_point[0]),
                node,
                node.child_by_field_name("body"),
                test=_TEST.search(modifiers) is not None,
                plain=node.type == "constructor_declaration" or "abstract" in modifiers,
                overrides=re.search(r"@Override\b|\bdefault\b", modifiers) is not None,
            )
        )
    return found


def _may_hide(tree: Tree, node: Node) -> bool:
    """Whether a `try` may keep the failure of an assertion inside from the test."""
    catches = [c for c in node.named_children if c.type == "catch_clause"]
    for clause in catches:
        caught = text_of(next((c for c in clause.named_children if c.type == "catch_formal_parameter"), None))
        kept = [squash(text_of(s)) for s in statements(clause.child_by_field_name("body"))]
        if not _kept_for_later(tree, clause, caught, kept, thrown=True):
            return True
    return False


def _assertions(tree: Tree, function: Function) -> list[Assertion]:
    found = []
    pattern = (
        r'(method_invocation name: (identifier) @name (#match? @name "^(assert|verify|fail|is|has|contains|'
        r'expect)")) @call (assert_statement) @assert'
    )
    for name, node in tree.find(pattern, function.node):
        if name == "name":
            continue
        row, text = row_of(node), text_of(node)
        depth = sum(
            around.type in ("if_statement", "catch_clause")
            or (around.type == "try_statement" and _may_hide(tree, around))
            for around in ancestors(node)
            if around.start_byte > function.node.start_byte
        )
        if name == "assert":
            found.append(from_call(row, text, "assert", [text_of(node.named_children[0])], depth))
            continue
        called = text_of(node.child_by_field_name("name"))
        chained = node.parent is not None and node.parent.type == "method_invocation" and called == "assertThat"
        receiver = text_of(node.child_by_field_name("object"))
        if chained or not (re.match(r"assert|verify|fail|expect", called) or receiver.startswith("assertThat")):
            continue
        arguments = node.child_by_field_name("arguments")
        texts = [text_of(a) for a in arguments.named_children] if arguments is not None else []
        if receiver.startswith("assertThat"):
            texts = [re.sub(r"^assertThat\w*\s*\((.*)\)$", r"\1", squash(receiver)), *texts]
        if (
            called.startswith("assertEquals")
            and len(texts) == 3
            and re.match(r"[\d.]+[dDfF]?$|[Ee]psilon|EPS", texts[2])
        ):
            called = "assertNear"
        found.append(from_call(row, text, called, texts, depth))
    return found


def _cases(tree: Tree, function: Function) -> list[str]:
    pattern = "[(element_value_array_initializer) (array_initializer)] @rows"
    return [text_of(row) for _, node in tree.find(pattern, function.node) for row in node.named_children]


LANGUAGE = Language(
    "java",
    {".java": "java"},
    _marks,
    _functions,
    _assertions,
    imports=re.compile(r"^\s*(?:import|package)\s"),
    comment=re.compile(r"^\s*(?://|/\*|\*)"),
    cases=_cases,
)
