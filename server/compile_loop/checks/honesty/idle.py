"""Methods that must be there and rightly do nothing: of what does nothing by nature, listens, or has no such thing (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compile_loop.checks.honesty.hollow import nature, parameters
from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.survey import Function, ancestors, squash, text_of
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case

_IDLE_CLASS = re.compile(
    r"null|no_?op|nop(?!(?-i:[a-z]))|void|dummy|blank|empty|silent|discard|disabled|inert|dev_?null|mem(?:ory)?$|in_?memory",
    re.IGNORECASE,
)
_IDLE_NAME = re.compile(
    r"(?:close|flush|dispose|destroy|shutdown|stop|start|init(?:iali[sz]e)?|reset|sync|release|free|cleanup|"
    r"teardown|set_?up|tear_?down|"
    r"leave\w*|did_?[A-Z]?\w+|will_?[A-Z]?\w+|"
    r"mouse\w+|key\w+|focus\w+|window\w+|component\w+|ancestor\w+|tree\w+|on_?\w+|handle\w+|visit\w+|enter\w+|"
    r"exit\w+|before\w*|after\w*|"
    r"change\w*|insert\w*|remove\w*|update)$",
    re.IGNORECASE,
)
_IDLE_INTERFACE = re.compile(
    r"\b(?:implements|extends|:)[^{]*\b\w*(?:Listener|Handler|Observer|Visitor|Callbacks?|Adapter|Hooks?|Watcher)\b"
)
_HOOK = re.compile(
    r"(?:on|enter|leave|exit|visit|before|after|did|will|pre|post|begin|end|handle)(?:_|(?-i:[A-Z]))", re.IGNORECASE
)
"""Methods that are told of something, and need do nothing about it."""
_LISTENS = re.compile(r"(?:Listener|Observer|Visitor|Callbacks?|Hooks?|Watcher|Delegate|Plugin)$")
_SAYS_IDLE = re.compile(
    r"(?://|/\*|\*|#)[^\n]*\b(?:does nothing|do nothing|nothing to|no-?op|intentionally|on purpose|not needed|by design)",
    re.IGNORECASE,
)


_DOUBLE = re.compile(r"fake|mock|stub|spy|dummy|(?:^|_)test", re.IGNORECASE)
"""What stands in a test for something else."""
_HOLDS = re.compile(r"mem(?:ory)?$|in_?memory|empty", re.IGNORECASE)
"""Classes that do something, though less than others."""
_QUALITY = re.compile(
    r"(?:get_?)?(?:(?:is|has|can|supports?|needs?|requires?|allows?|should|wants|uses)(?:_\w+|[A-Z]\w*)?|tail|"
    r"latency|delay|priority|order|version|kind|"
    r"type|name|weight|offset|padding|margin|indent|arity|timeout|precedence|depth|level|cost|rank|degree|"
    r"\w*(?:Priority|Order|_priority|_order|Latency))$"
)
"""What a thing is, rather than what it makes of something."""
_ABSTRACT = (
    r"abstract|not all trait items|does not implement|missing method|missing the following|must implement|pure virtual"
)


def rightly_idle(case: Case, change: Change, function: Function, what: str, kin: Sequence[Function]) -> bool:
    """Whether a new method has nothing to do; `what` is its body's nature, `kin` are the methods that its owner had before."""
    if what == "endless":
        return False
    if _all_idle(kin):
        return True
    if is_test_path(change.path) and _DOUBLE.search(function.name):
        return True
    if not (function.overrides or "." in function.name or "::" in function.name):
        return False
    owner = re.split(r"[.:>]+", function.name)[-2] if re.search(r"[.:>]", function.name) else ""
    if _IDLE_CLASS.search(owner) and (what == "empty" or not _HOLDS.search(owner)):
        return True
    if what == "empty" and _is_default(function) and (_HOOK.match(function.short_name) or _LISTENS.search(owner)):
        return True
    if what == "constant" and _QUALITY.match(function.short_name) and not parameters(function) - _SELF:
        return case.failures.say(_ABSTRACT)
    if not _IDLE_NAME.match(function.short_name):
        return False
    above = "\n".join(change.new.row(row) for row in range(max(0, function.row - 3), function.row))
    said = _SAYS_IDLE.search(f"{above}\n{text_of(function.node)}") is not None
    listens = re.search(rf"\b{re.escape(owner)}\b[^\n{{]*", change.new.text) if owner else None
    return said or (what == "empty" and listens is not None and _IDLE_INTERFACE.search(listens[0] + "{") is not None)


def _is_default(function: Function) -> bool:
    """Whether it is what those get that have nothing to say of their own: of a trait, an interface or a base class."""
    around = next((a for a in ancestors(function.node) if a.type in _OWNING), None)
    if around is None:
        return False
    if around.type in ("trait_item", "interface_declaration", "abstract_class_declaration"):
        return True
    head, own = text_of(around).split("{")[0], text_of(function.node).split("{")[0]
    return re.search(r"\babstract\b", head) is not None or (
        re.search(r"\bvirtual\b", own) is not None and "override" not in own
    )


_OWNING = frozenset(
    {
        "trait_item",
        "impl_item",
        "interface_declaration",
        "class_declaration",
        "abstract_class_declaration",
        "class_specifier",
        "struct_specifier",
        "class_definition",
    }
)


def is_idle_name(name: str) -> bool:
    """Whether a name says that what is called so does nothing."""
    return _IDLE_CLASS.search(name) is not None


_SELF = frozenset({"self", "this", "cls", "mut", "Self"})
_NOTHING = frozenset({"undefined", "null", "void 0", "{}", "()", "None"})


def _all_idle(kin: Sequence[Function]) -> bool:
    """Whether all that an object did before was nothing, so that it is there to do nothing."""
    idle = [nature(f) for f in kin if not f.plain]
    if not idle or not set(idle) <= {"empty", "constant"}:
        return False
    return len(idle) > 1 or idle[0] == "empty" or squash(text_of(kin[0].body)) in _NOTHING


def same_owner(one: Function, other: Function) -> bool:
    """Whether two functions belong to the same object, class or block of methods."""
    a, b = one.node.parent, other.node.parent
    if a is None or b is None or one.test or other.test:
        return False
    if a.parent is None:  # Go: by the receiver
        owner = other.name.rsplit(".", 1)[0]
        return "." in other.name and one.name.startswith(f"{owner}.")
    return a.id == b.id and a.type in _OWNERS


_OWNERS = frozenset(
    {"class_body", "object", "declaration_list", "block", "field_declaration_list", "interface_body", "enum_body"}
)
