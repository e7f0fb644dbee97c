"""Exits with success that every command-line tool has: after `--help`, `--version` and their like (SPEC K7)."""

from __future__ import annotations

import re

from tree_sitter import Node

from compile_loop.checks.honesty.survey import ancestors, squash, text_of

_TOLD = re.compile(
    r"(?:^|[^A-Za-z])(?:-{0,2}(?:help|version|usage|licen[cs]e|about|completions?|list(?:[-_]\w+)?|print[-_]\w+|show[-_]\w+|dry[-_]?run|init)\b"
    r"|-[hVv?]\b)|(?:help|version|usage)(?:Requested|Wanted|_requested|_wanted|Flag|_flag)?\b|\b(?:show|print|want|is)_?(?:help|version|usage)",
    re.IGNORECASE,
)
_SIGNAL = re.compile(r"process\.(?:on|once)\(\s*[\"'`](?:SIG\w+|message|disconnect)")
_BOTH = re.compile(
    r".*\.then\(\s*(?:async\s*)?\(?\w*\)?\s*=>.*\bexit\(0\).*(?:\.catch\(|,).*\bexit\((?:[1-9]|\w*[cC]ode)"
)
"""A script that ends one way when it is done and another when it failed."""
_CONDITIONS = frozenset(
    {"if_statement", "elif_clause", "switch_case", "case_clause", "ternary_expression", "binary_expression"}
)


def after_help(node: Node) -> bool:
    """Whether an exit stands under a condition that asks for help, a version or the like, or in a function for that."""
    for around in ancestors(node):
        if around.type == "except_clause" and re.match(
            r"except\s*\(?[^:]*\b(?:KeyboardInterrupt|BrokenPipeError|EOFError)\b", text_of(around)
        ):
            return True
        if around.type == "call_expression" and _SIGNAL.match(text_of(around)):
            return True
        if around.type == "call_expression" and _BOTH.match(squash(text_of(around))):
            return True
        if around.type in _CONDITIONS:
            asked = around.child_by_field_name("condition") or around.child_by_field_name("value")
            asked = asked or around.child_by_field_name("left") or next(iter(around.named_children), None)
            if asked is not None and _TOLD.search(text_of(asked)):
                return True
        elif around.type in ("function_definition", "function_declaration", "method_definition"):
            name = text_of(around.child_by_field_name("name"))
            return re.search(r"help|usage|version", name, re.IGNORECASE) is not None
    return False
