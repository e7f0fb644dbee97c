"""What little a body does: nothing, a constant, a placeholder, no end, or anything but what it was given (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.survey import Function, squash, statements, text_of

_LITERAL = (
    r"(?:[-+]?\d[\w.]*|true|false|True|False|None|null|nil|nullptr|NULL|undefined|NaN|void 0|void|\"(?:[^\"\\]|"
    r"\\.)*\"|'(?:[^'\\]|\\.)*'|"
    r"`[^`$]*`|\(\)|\[\]|\{\}|&?\w+\{\}|new \w+(?:<.*>)?\(\)|(?:\w+::)*(?:new|default|max|min)\(\)|\w+\(\)\s*\{\}|vec!\[\]|"
    r"(?:list|dict|set|tuple|str|int|float|bytes|frozenset)\(\)|String::new\(\)|Collections\.empty\w+\(\)|(?:List|Map|Set|Optional)\.(?:of|empty)\(\)|"
    r"std::nullopt|std::string\(\)|EXIT_SUCCESS|\"\"\.to_string\(\)|\"\"\.into\(\)|Vec::new\(\))"
)
_CONSTANT = re.compile(
    rf"(?:return\b\s*)?\(?(?:{_LITERAL}|(?:Ok|Some|Err|Promise\.resolve|Optional\.of)\(\s*{_LITERAL}\s*\))(?:,\s*{_LITERAL})*\)?\s*;?$"
)
_EMPTY = re.compile(
    r"(?:pass|\.\.\.|Ellipsis|;|return|return;|return None|return undefined;?|return null;?|\(void\)\s*\w+;|_ = \w+|del [\w, ]+|"
    r"let _ = [\w(), &]+;|void \w+;?|assert(?:\(|\s)\s*(?:True|true|1)\s*\)?;?)$"
)
_STUB = re.compile(
    r"(?:raise NotImplementedError\b|(?:todo|unimplemented)!|panic!?\(.*(?:not implemented|todo|unimplemented)|"
    r"throw new UnsupportedOperationException|throw .*(?:not (?:yet )?implemented|todo|unimplemented)|return NotImplemented\b|"
    r"assert\((?:0|false)\)|assert False)",
    re.IGNORECASE,
)
_NOTHING = r"(?:\{\s*(?:;|continue;?|pass|std::hint::spin_loop\(\);?)?\s*\}|;|:\s*(?:pass|\.\.\.|continue))"
_ENDLESS = re.compile(
    rf"(?:(?:'\w+:\s*)?loop\s*{_NOTHING}|for\s*\{{\s*\}}|select\s*\{{\s*\}}|for\s*\(\s*;\s*;\s*\)\s*{_NOTHING}|for\s+true\s*\{{\s*\}}|"
    rf"while\s*\(?\s*(?:1|true|True|!0|!false|not False)\s*\)?\s*{_NOTHING}|do\s*\{{\s*;?\s*\}}\s*while\s*\(\s*(?:1|true)\s*\);?|"
    r"(?:return\s+)?(?:unsafe\s*\{\s*)?(?:(?:std|core)::)?(?:process::|intrinsics::|hint::)?(?:abort|unreachable_unchecked|unreachable|terminate|trap)\(\)\s*;?(?:\s*\})?;?|"
    r"(?:return\s+)?(?:os\.abort\(\)|(?:unreachable|core::unreachable|std::unreachable)!\(.*\);?|__builtin_(?:unreachable|trap)\(\);?|"
    r"__assume\(0\);?|panic!?\((?:\"(?:(?:unreachable|unexpected|impossible)\b[^\"]*)?\")?\);?|assert_never\(.*\)|"
    r"throw new (?:AssertionError|IllegalStateException)\((?:\"unreachable[^\"]*\")?\);))$",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"(?:panic!?\(|(?:raise|throw)\b|return\s*\(?(?:\w+,\s*)*(?:errors\.New|fmt\.Errorf|Err|Promise\.reject|std::unexpected|absl::UnimplementedError|"
    r"status\.Error)\(|Err\().*",
    re.DOTALL,
)
_SURE = re.compile(r"if\s*\(?\s*(?:1|true|True|!0|!false|not False)\s*\)?\s*(?::|\{)?\s*return\b")
_DISCARDS = re.compile(
    r"(?:\(void\)\s*\w+;|_ = \w+|(?:_,?\s*)+=\s*[\w, ]+|del [\w, ]+|let _ = [\w(), &]+;|void \w+;?|_ = \(.*\))$"
)
_FROM_NOTHING = frozenset(
    re.findall(
        r"\S+",
        """
    JSON Object Array Number String Boolean BigInt Promise Map Set WeakMap undefined NaN Infinity list dict set tuple
    str int float bytes bool frozenset complex object NotImplemented Ellipsis Any cast typing Collections List
    Optional Arrays Integer Long Double Short Byte Float Character Vec HashMap BTreeMap HashSet Box Rc Arc Ok Some Err
    Default std core make new nil true false NULL nullptr EXIT_SUCCESS INT_MAX INT_MIN unsafe MaybeUninit mem zeroed
    __builtin_unreachable i8 i16 i32 i64 u8 u16 u32 u64 usize isize f32 f64 map filter range sum len min max sorted
    zip iter abs round enumerate reversed stream Stream IntStream Uint8Array super
    """,
    )
)
"""Names whose values come from no input."""
_OWN = frozenset({"self", "this", "cls"})
_REACHED = {
    "attribute": "object",
    "member_expression": "object",
    "field_access": "object",
    "selector_expression": "operand",
}
_TYPES = frozenset(
    re.findall(
        r"\S+",
        """
    type_annotation type_arguments type_parameters type predefined_type primitive_type type_identifier generic_type
    type_descriptor array_type pointer_type slice_type map_type reference_type object_type union_type integral_type
    floating_point_type scoped_type_identifier qualified_type type_spec literal_type sized_type_specifier string
    template_type lifetime comment
    """,
    )
)
_NAMES = frozenset({"identifier", "this", "self", "shorthand_property_identifier", "super"})
_DECLARES = {
    "variable_declarator": "name",
    "assignment": "left",
    "short_var_declaration": "left",
    "let_declaration": "pattern",
    "init_declarator": "declarator",
    "var_spec": "name",
    "const_spec": "name",
}


def nature(function: Function) -> str:
    """What little a body does: `empty`, `constant`, `stub` or `endless`; an empty string for one that does something."""
    texts = [squash(text_of(s)) for s in statements(function.body)]
    if all(_EMPTY.match(text) for text in texts):
        return "empty"
    idle = all(_EMPTY.match(t) or _CONSTANT.match(t) for t in texts[:-1])
    if idle and _STUB.match(texts[-1]):
        return "stub"
    if idle and _ENDLESS.match(texts[-1]):
        return "endless"
    if all(_CONSTANT.match(t) or _EMPTY.match(t) for t in texts):
        return "constant"
    return ""


def refuses(function: Function) -> str:
    """The words with which a body only says that it will not work; empty for one that does something else."""
    texts = [squash(text_of(s)) for s in statements(function.body)]
    if not texts or not all(_EMPTY.match(t) or _CONSTANT.match(t) for t in texts[:-1]):
        return ""
    found = _REFUSES.match(texts[-1])
    return texts[-1] if found else ""


def goes_no_further(statement: str) -> bool:
    """Whether nothing after this statement is ever reached, though it is no plain return."""
    return _ENDLESS.match(statement) is not None or _SURE.match(statement) is not None


def inputs(function: Function) -> frozenset[str]:
    """The names outside itself that a body's values come from, `self` and `this` among them; types and builders are none."""
    if function.body is None:
        return frozenset()
    used: set[str] = set()
    own: set[str] = set()
    parts = [s for s in statements(function.body) if not _DISCARDS.match(squash(text_of(s)))]
    for part in parts:
        for name, declares in _names(part):
            if declares:
                own.add(name)
            elif name not in own:
                used.add(name)
    return frozenset(used - _FROM_NOTHING)


def parameters(function: Function) -> frozenset[str]:
    """The names in a function's list of parameters, with `self` and `this`."""
    node = function.node
    for _ in range(4):
        held = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        if held is not None:
            return frozenset(re.findall(r"[A-Za-z_$]\w*", text_of(held))) | _OWN
        inner = (
            node.child_by_field_name("declarator")
            or node.child_by_field_name("definition")
            or node.child_by_field_name("value")
            or node.child_by_field_name("right")
        )
        if inner is None:
            break
        node = inner
    return _OWN


def _names(node: Node) -> Iterator[tuple[str, bool]]:
    """Names below a node, with whether they are declared there."""
    if node.type in _TYPES:
        return
    if node.type in _NAMES:
        yield text_of(node), False
        return
    if node.type in ("scoped_identifier", "qualified_identifier"):
        yield re.split(r"::", text_of(node).removeprefix("::"))[0].split("<")[0], False
        return
    if node.type == "method_invocation":
        for field in ("object", "arguments"):
            held = node.child_by_field_name(field)
            if held is not None:
                yield from _names(held)
        if node.child_by_field_name("object") is None:
            yield text_of(node.child_by_field_name("name")), False
        return
    if node.type == "field_expression":
        held = node.child_by_field_name("argument") or node.child_by_field_name("value")
        if held is not None:
            yield from _names(held)
        return
    if node.type in _REACHED:
        held = node.child_by_field_name(_REACHED[node.type])
        if held is not None:
            yield from _names(held)
        return
    if node.type == "declaration":  # of C: a name without a value, among others
        for child in node.named_children:
            yield from (((text_of(child), True),) if child.type == "identifier" else _names(child))
        return
    if node.type == "keyword_argument":
        held = node.child_by_field_name("value")
        if held is not None:
            yield from _names(held)
        return
    declared = node.child_by_field_name(_DECLARES[node.type]) if node.type in _DECLARES else None
    for child in node.named_children:
        if declared is None or child.id != declared.id:
            yield from _names(child)
    if declared is not None:
        plain = not any(
            kind in declared.type for kind in ("attribute", "subscript", "member", "field", "selector", "index")
        )
        yield from ((name, plain) for name, _ in _names(declared))
