"""Handlers that ignore a failure as everybody does: what is no failure, or the only way to ask (SPEC K7)."""

from __future__ import annotations

import re

from tree_sitter import Node

from compile_loop.checks.honesty.survey import ancestors, statements, text_of

_NO_FAILURES = frozenset(
    {
        "KeyboardInterrupt",
        "CancelledError",
        "StopIteration",
        "StopAsyncIteration",
        "GeneratorExit",
        "Empty",
        "Full",
        "QueueEmpty",
        "QueueFull",
        "BrokenPipeError",
        "ProcessLookupError",
        "ClosedResourceError",
        "EndOfStream",
    }
)
"""Exceptions by which a program is told something."""
_ASKING = re.compile(
    r"^(?:_*(?:is|has|can|try|safe|maybe|exists?|valid|looks|supports|parse_?(?:or|optional)|opt|find|probe)(?:[A-Z_]\w*)?)$|OrNull$|OrUndefined$|_or_none$|^try[A-Z_]"
)
_OPTIONAL = re.compile(r"\bNone\b|Optional\[|\bnull\b|\bundefined\b")


def usual_handler(node: Node, caught: str, body: list[str]) -> bool:
    """Whether a handler, or a `with suppress(…)`, that swallows `caught` is usual; `body` are its statements."""
    names = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"[\w.]+\.", "", caught))) - {"as", "e", "err", "exc"}
    if names and names <= _NO_FAILURES:
        return True
    done = _tried(node)
    if not names & {"", "Exception", "BaseException"} and (names or node.type == "catch_clause") and len(done) <= 2:
        return _only_asks(node, body)
    return False


def _tried(node: Node) -> list[Node]:
    """The statements that a handler watches over."""
    for around in ancestors(node):
        if around.type in ("try_statement", "with_statement"):
            return statements(around.child_by_field_name("body"))
    return []


def _only_asks(node: Node, body: list[str]) -> bool:
    """Whether the answer says that there is none: `None` where the type allows for it, `False` of an `is_…`."""
    value = re.match(r"return\s*(None|null|undefined|False|false|void 0)?;?$", body[0]) if len(body) == 1 else None
    holder = next((a for a in ancestors(node) if "function" in a.type or a.type == "method_definition"), None)
    if value is None or holder is None:
        return False
    name = text_of(holder.child_by_field_name("name"))
    if not name and holder.parent is not None and holder.parent.type == "variable_declarator":
        name = text_of(holder.parent.child_by_field_name("name"))
    if _ASKING.search(name):
        return True
    returns = text_of(holder.child_by_field_name("return_type"))
    return value[1] in ("None", "null", "undefined") and _OPTIONAL.search(returns) is not None
