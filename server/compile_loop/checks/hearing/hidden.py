"""Tests in scripts whose failure a form hides that much is written in: `x=$(./t) || true`, `local x=$(./t)` (SPEC Q9).

In these forms most programs are asked for something. So of them it is said only where the program itself is called a
test, or is a script of the workspace and what it prints goes nowhere but to whoever looks on.
"""

from __future__ import annotations

import re

from compile_loop.checks.hearing.judging import Kind, is_a_script, is_called_a_test
from compile_loop.checks.hearing.shell_commands import SHOWS, shown_in
from compile_loop.checks.hearing.shell_tree import Node
from compile_loop.checks.hearing.ways import SAYS, Reached, Why

ONLY_SAYS = re.compile(r"\|\|[\s{(]*(?:true|:|echo|printf|exit 0|return 0)(?:\s|;|$)")
"""What is done instead of a failed command, where it only says so."""
_ASKS = re.compile(r"(?:\[\[?|test)\s")
_KEEPS = re.compile(r"(?:(?:local|declare|export|readonly|typeset)\s+(?:-\w+\s+)*)?([A-Za-z_]\w*)\+?=")
_WRITES = re.compile(r"(?<![\d&])>>?\s*(?![&/(])\S+\s*$|\btee\b")
_READS = re.compile(r"(?:mapfile|readarray|read)\s+(?:-\w+\s+)*([A-Za-z_]\w*)")


def hidden(one: Reached, text: str, tree: Node | None) -> bool:
    """Whether an unheard command of a script is a test that its form hides. `text` is the script's, `tree` the same."""
    if one.kind is not Kind.JUDGES or not one.around:
        return False
    if one.within(Why.OUTPUT):
        return _by_output(one, text, tree)
    if one.within(Why.BACKGROUND):
        return is_called_a_test(one.words) and not re.search(r"\bp?kill(?:all)?\b", text)
    return one.around[0] == (Why.BRANCH, SAYS) and one.within(Why.LOOP) and is_a_script(one.words)


def _by_output(one: Reached, text: str, tree: Node | None) -> bool:
    at = [n for n, (why, _) in enumerate(one.around) if why is Why.OUTPUT]
    if len(at) > 1:
        return False
    raw, outside = one.around[at[0]][1], one.around[at[0] + 1 :]
    if any(why is Why.JUDGED or (why is Why.PIPE and not SHOWS.match(other)) for why, other in outside):
        return False
    handled = any(why is Why.HANDLED and ONLY_SAYS.match(other) for why, other in outside)
    if not (is_called_a_test(one.words) or (handled and is_a_script(one.words))):
        return False
    if _ASKS.match(raw):
        return handled
    if kept := _KEEPS.match(raw) or _READS.match(raw):
        return _only_shown(kept.group(1), text, tree)
    return bool(SHOWS.match(raw)) and not _WRITES.search(raw)


def _only_shown(name: str, text: str, tree: Node | None) -> bool:
    """Whether a variable is used for nothing but to be printed."""
    use = re.compile(rf"\$(?:{name}\b|\{{[#!]?{name}\b)")
    shown = (each.raw for each in shown_in(tree) if SHOWS.match(each.raw))
    return len(use.findall(text)) == sum(len(use.findall(raw)) for raw in shown)
