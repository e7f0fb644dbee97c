"""A misspelt name with the right one beside it: `did you mean ‘length’?`, `maybe "upper"?`, `but does have Foo`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compile_loop.contracts.diagnostics import Suggestion
from compile_loop.toolchains.tokens import only_place, quoted, stands_at
from compile_loop.toolchains.wording.said import Said

_ASKS = re.compile(
    r"(?:[Dd]id you mean|\bmaybe|[Pp]erhaps you meant|\bhelp: a .* with a similar name exists)\b[:?]?\s*(?P<rest>[^\n]*)"
)
_HAS = re.compile(r"\b(?:field or method|field|method) (?P<old>\w+), but does have (?:field |method )?(?P<new>\w+)\)")
_BARE = re.compile(r"^(?:the (?:instance|static) member )?(?P<name>[^\W\d][\w$]*)\b(?![^?]*\bor\b)")
_NAME = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|-)[\w$]+)*[?!]?")


def did_you_mean(said: Said) -> Iterator[Suggestion]:
    """Replace the name that the message is about, where it says one other."""
    pair = _pair(said)
    if pair is None:
        return
    olds, new = pair
    for old in olds:
        if old == new or not (_NAME.fullmatch(old) and _NAME.fullmatch(new)):
            continue
        place = _place(said, old)
        if place is not None:
            yield said.fix(f"replace {old} by {new}", said.at(said.row, place, place + len(old)), new)
            return


def _pair(said: Said) -> tuple[list[str], str] | None:
    """The names that may be wrong, the likeliest first, and the one that is right."""
    if has := _HAS.search(said.message):
        return [has["old"]], has["new"]
    asks = _ASKS.search(said.message)
    if asks is None:
        return None
    start, end = said.span
    about = [*reversed(quoted(said.message[: asks.start()])), said.line[start:end]]
    names = quoted(asks["rest"].partition("(")[0])
    if len(names) == 1:
        return about, names[0].removeprefix("this.")
    if not names and (bare := _BARE.match(asks["rest"])):
        return about, bare["name"]
    return None


def _place(said: Said, old: str) -> int | None:
    """Where the wrong name stands: in the range, or once on the line."""
    start, end = said.span
    if stands_at(said.line, start, old):
        return start
    inside = only_place(said.line[start:end], old)
    if inside is not None and stands_at(said.line, start + inside, old):
        return start + inside
    return only_place(said.line, old)
