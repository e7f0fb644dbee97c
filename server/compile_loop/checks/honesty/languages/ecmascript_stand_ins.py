"""Objects that have every name one may ask for, in the place of what is missing (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.names import enclosing_names
from compile_loop.checks.honesty.survey import Mark, row_of, squash, text_of

_PROXY = '(new_expression constructor: (identifier) @fn (#eq? @fn "Proxy")) @proxy'
_GET = re.compile(r"\bget\s*(?::\s*(?:async\s*)?(?:function\s*\w*\s*)?\(?|\()\s*(?P<target>\w*)")
_MISSING = (
    r"cannot find (?:module|package|name)|module not found|not defined|is not a function|has no exported member|does not exist|"
    r"does not provide an export|ERR_MODULE_NOT_FOUND|Cannot read propert|TS2307|TS2304|undefined"
)


def stand_ins(tree: Tree, wanted: Filter) -> Iterator[Mark]:
    """Marks for proxies that answer for any name and never look at what they stand for."""
    for name, node in tree.find(_PROXY):
        if name == "fn" or not wanted(node):
            continue
        text = squash(text_of(node))
        get = _GET.search(text)
        if get is None or "Reflect." in text:
            continue
        target = get["target"]
        if target and re.search(rf"(?<![\w$]){re.escape(target)}(?![\w$])", text[get.end() :]):
            continue
        yield Mark("stub", row_of(node), text, names=enclosing_names(node), only_if=_MISSING)
