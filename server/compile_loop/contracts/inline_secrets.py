"""Secrets in a command's own text: assignments and options with a secret's name, headers, log-ins (SPEC R1, Z1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from compile_loop.contracts.secret_names import is_secret

MARK = "[redacted]"
_VALUE = r"""(?P<value>'[^'\n]*'|"[^"\n]*"|[^\s;&|<>()'"`]+)"""
_NAMED = (
    re.compile(rf"(?<![\w$.])(?P<name>[A-Za-z_][\w.-]*)={_VALUE}"),
    re.compile(rf"(?<!\S)--?(?P<name>[A-Za-z][\w-]*)\s+(?!-){_VALUE}"),
    re.compile(
        r"(?:-H|--header)[\s=]*[\"']?(?P<name>[\w-]+):\s*(?:(?:Bearer|Basic|Token|Digest)\s+)?(?P<value>[^\s\"']+)"
    ),
)
_LOGINS = (
    re.compile(r"://[^\s/:@\"']*:(?P<value>[^\s/@\"']+)@"),
    re.compile(r"(?<!\S)(?:-u|--user|--proxy-user)[\s=]*[\"']?[^\s:\"'/]+:(?P<value>[^\s\"'/]+)"),
)
_NONE = re.compile(
    r"\d*|true|false|yes|no|on|off|none|null|auto|\W*|[~./].*|\w+(?:/[\w.-]+)+|.*[$`].*|\[redacted\]", re.IGNORECASE
)
"""Numbers, switches, paths, what a shell fills in, and what was taken out before."""


def inline_secrets(command: str) -> list[str]:
    """The secrets that stand in a command, as they are without quotes."""
    return list(dict.fromkeys(command[start:end] for start, end in _places(command)))


def without_secrets(command: str | tuple[str, ...]) -> str | tuple[str, ...]:
    """The command as it may be shown and kept."""
    if isinstance(command, str):
        return _masked(command)
    masked = [_masked(word) for word in command]
    for at, (option, word) in enumerate(pairwise(command), 1):
        if inline_secrets(f"{option} '{word}'") == [word]:
            masked[at] = MARK
    return tuple(masked)


def secrets_of_vector(command: str | tuple[str, ...]) -> list[str]:
    """As `inline_secrets`, for a vector too: an option and its value are two of its words."""
    if isinstance(command, str):
        return inline_secrets(command)
    pairs = (f"{option} '{word}'" for option, word in pairwise(command))
    return list(dict.fromkeys(each for text in (*command, *pairs) for each in inline_secrets(text)))


def _masked(text: str) -> str:
    for start, end in sorted(_places(text), reverse=True):
        text = text[:start] + MARK + text[end:]
    return text


def _places(text: str) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for pattern in _NAMED:
        found.update(_values(pattern, text, is_secret))
    for pattern in _LOGINS:
        found.update(_values(pattern, text, None))
    return {
        one for one in found if not any(one != other and other[0] <= one[0] and one[1] <= other[1] for other in found)
    }


def _values(pattern: re.Pattern[str], text: str, named: Callable[[str], bool] | None) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(text):
        start, end = match.span("value")
        if text[start] in "'\"" and text[end - 1] == text[start] and end - start > 1:
            start, end = start + 1, end - 1
        if _NONE.fullmatch(text, start, end) is None and (named is None or named(match["name"].rpartition(".")[2])):
            yield start, end
