"""Checks that pass whatever a program of theirs says: `make | tail`, `./test; true`, `make -i` (SPEC Q9).

A check's own line is held to what it says. One step away from it, in the scripts, recipes and package scripts whose
result it hears, more is let pass: there much is done that is no test at all.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from compile_loop.checks.hearing.heard import hear
from compile_loop.checks.hearing.hidden import ONLY_SAYS, hidden
from compile_loop.checks.hearing.judging import Kind, compares, harmless, looks_like_a_test
from compile_loop.checks.hearing.one_step_away import Part, parts_behind, sourced
from compile_loop.checks.hearing.shell_commands import command_of, simple_in
from compile_loop.checks.hearing.shell_parser import parse_shell
from compile_loop.checks.hearing.shell_tree import Node, UnreadableShellError
from compile_loop.checks.hearing.ways import Hearing, Patience, Place, Reached, Shell, TooMuchError, Why
from compile_loop.contracts.checks import Check

_MOST_PLACES = 60
_MOST_COMMANDS = 5000
_MOST_SAID = 3
_MOST_CHARACTERS = 70
_REDIRECTED = re.compile(r"(?: \d*(?:>>?|&>>?|<) ?[^ |;&]+| \d?>&\d)+$")
_MAY_JUDGE = (Kind.JUDGES, Kind.UNKNOWN)
_UNHEARD = (Why.PIPE, Why.HANDLED, Why.LOOP, Why.EACH)
"""What hides a failure by its form; in a script, what only comes earlier may be meant to prepare."""


def masked(check: Check, root: Path) -> tuple[str, ...]:
    """Why a check passes whatever its programs say; nothing where it does not, or cannot be read. `root` is absolute."""
    if check.expect.output_contains or check.expect.json_equals:
        return ()
    root, patience = root.resolve(), Patience(_MOST_COMMANDS)
    folder = root / check.cwd
    line = Part(check.line, Shell(sourced=sourced(folder, None, root)), folder)
    own = _heard([line], patience, strict=True)
    said = list(_doubts(own, strict=True))
    waiting = _behind(own, root)
    seen: set[str] = set()
    while waiting and len(seen) < _MOST_PLACES and not said:
        name, parts = waiting.pop(0)
        if name not in seen:
            seen.add(name)
            found = _heard(parts, patience, strict=False)
            said += [f"in {name}, {why}" for why in _doubts(found, strict=False)]
            waiting += _behind(found, root)
    return tuple(dict.fromkeys(said))[:_MOST_SAID]


@dataclass(frozen=True, slots=True)
class _Read:
    """A part with its tree and what of it is heard; no tree where it cannot be read."""

    part: Part
    tree: Node | None
    hearing: Hearing
    kinds: Container[Kind]

    def heard(self) -> Iterator[Reached]:
        return (each for place, each in self.hearing.reached.items() if place in self.hearing.heard)

    def unheard(self) -> Iterator[tuple[Place, Reached]]:
        return (
            (place, each)
            for place, each in self.hearing.reached.items()
            if place not in self.hearing.heard and each.kind in self.kinds and not each.within(Why.WAITING)
        )


def _heard(parts: Iterable[Part], patience: Patience, *, strict: bool) -> list[_Read]:
    """What is heard of the parts, of those commands by which they judge.

    In a check's own line these are all that may judge, or where there is none, what is asked (`grep`). Elsewhere it is
    what surely judges, or where none of it is heard, what may.
    """
    parts = list(parts)
    for kinds in (_MAY_JUDGE, (Kind.ASKS,)) if strict else ((Kind.JUDGES,), _MAY_JUDGE):
        found = [_tried(part, patience, kinds) for part in parts]
        if _any_heard(found) or (strict and any(True for each in found for _ in each.unheard())):
            break
    return found


def _tried(part: Part, patience: Patience, kinds: Container[Kind]) -> _Read:
    try:
        tree = parse_shell(part.text)
        return _Read(part, tree, hear(tree, part.shell, lambda each: each.kind in kinds, patience), kinds)
    except (UnreadableShellError, TooMuchError, RecursionError):
        return _Read(part, None, Hearing(), kinds)


def _any_heard(read: Iterable[_Read]) -> bool:
    """Whether a failure is heard anywhere; what cannot be read may hear one."""
    return any(each.hearing.heard or each.tree is None for each in read if not each.part.ignored)


def _doubts(read: list[_Read], *, strict: bool) -> Iterator[str]:
    """Reasons of all parts of one place. Where nothing at all is heard, that is one by itself."""
    silent = not _any_heard(read)
    for each in read:
        text = each.part
        if text.nothing:
            yield text.nothing
        if text.ignored:
            named = [one for one in each.hearing.reached.values() if one.kind in _MAY_JUDGE]
            yield from (
                f"make goes on whatever “{_short(one.raw)}” says" for one in named if one.kind is Kind.JUDGES or silent
            )
            continue
        yield from _by_options(each)
        for place, one in each.unheard():
            if (_strictly if strict else _leniently)(one, each.hearing, silent) or (
                not strict and hidden(one, each.part.text, each.tree)
            ):
                yield _reason(one, place in each.hearing.trapped)
        if strict and not any(one.kind in _MAY_JUDGE for one in each.hearing.reached.values()):
            yield from _never(each.tree)


def _strictly(one: Reached, hearing: Hearing, silent: bool) -> bool:
    """In a check's own line: what is not heard is doubted, unless what only may judge is asked for its output or to branch."""
    if one.within(Why.SOURCED):
        return _leniently(one, hearing, silent)
    if one.around and one.around[0][0] is Why.BACKGROUND:
        return silent or hearing.waits
    if one.kind is Kind.ASKS:
        return silent and not one.within(Why.BRANCH)
    return silent or one.kind is Kind.JUDGES or not (one.within(Why.OUTPUT) or one.within(Why.BRANCH))


def _leniently(one: Reached, hearing: Hearing, silent: bool) -> bool:
    """Elsewhere: what surely judges, where its form hides its failure or it is called a test; all where nothing is heard."""
    if one.within(Why.OUTPUT) or one.within(Why.BACKGROUND):
        return False
    why, other = one.around[0] if one.around else (Why.FOLLOWED, "")
    if why is Why.HANDLED and compares(one.words) and not ONLY_SAYS.match(other):
        return False  # `cmp new old || mv new old`
    by_form = why in _UNHEARD
    if one.kind is not Kind.JUDGES:
        return silent and not hearing.unread and not one.within(Why.BRANCH)
    if hearing.unread:
        return by_form
    return silent or by_form or one.drops or looks_like_a_test(one.words)


def _by_options(read: _Read) -> Iterator[str]:
    for one in read.hearing.reached.values():
        words = list(one.words)
        if re.search(r"\bMAKEFLAGS=['\"]?(?:-?\w*i|.*--ignore-errors)", one.raw) and one.words[0].endswith("make"):
            words.append("-i")
        if (why := harmless(words)) is not None and not one.within(Why.OUTPUT):
            yield f"{why} (“{_short(one.raw)}”)"


def _never(tree: Node | None) -> Iterator[str]:
    """What judges in a text of which nothing is come to: it ends before."""
    for each in simple_in(tree, functions=True):
        command = command_of(each, ())
        if command.handed is not None:
            yield from _never(command.handed.tree)
        elif command.kind is Kind.JUDGES:
            yield f"“{_short(each.raw)}” is never come to"


_SAID = {
    Why.PIPE: "its exit code is that of “{other}”, whatever “{raw}” says (`set -o pipefail` of bash would heed it)",
    Why.HANDLED: "it passes even where “{raw}” fails (“{other}”)",
    Why.BRANCH: "a failure of “{raw}” only decides which branch is taken (`exit 1` in one would tell it)",
    Why.LOOP: "only the last turn of its loop counts, whatever “{raw}” says before (`|| exit 1` would tell it)",
    Why.OUTPUT: "only the output of “{raw}” is used, and nobody hears how it ends",
    Why.BACKGROUND: "“{raw}” goes on in the background, and nobody hears how it ends (`wait` with its number would)",
    Why.EACH: "“{other}” passes whatever “{raw}” says",
    Why.FOLLOWED: "“{other}” comes after “{raw}”, whose failure nobody hears (join them with `&&`)",
}


def _reason(one: Reached, trapped: bool) -> str:
    why, other = next((each for each in one.around if each[0] not in (Why.JUDGED, Why.SOURCED)), (Why.WAITING, ""))
    said = _SAID.get(why, "nobody hears how “{raw}” ends")
    if one.drops:
        said = "the code of “{raw}” starts a program and goes on whatever that says"
    elif trapped:
        said = "a trap sets the exit code, whatever “{raw}” says"
    raw = " ".join(one.words) if why is Why.EACH else one.raw
    return said.format(raw=_short(raw), other=_short(other))


def _short(raw: str) -> str:
    text = _REDIRECTED.sub("", " ".join(raw.split()))
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def _behind(read: list[_Read], root: Path) -> list[tuple[str, list[Part]]]:
    """The places that heard commands lead to, by their exit code."""
    found: list[tuple[str, list[Part]]] = []
    for each in read:
        for one in () if each.part.ignored else each.heard():
            piped = one.within(Why.PIPE) or one.within(Why.JUDGED)
            by_output = one.within(Why.OUTPUT) or (piped and "pipefail" not in each.part.text)
            if not by_output:
                found += parts_behind(one, each.part, root)
    return found
