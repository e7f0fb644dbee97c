"""JavaScript's regular expressions in the words of the `regex` package."""

from __future__ import annotations

import re

_SAME = frozenset("dDwWsSbBnrtvf0123456789xu")
_REFERENCE = re.compile(r"\\k<(?P<name>\w+)>")
_CLASS = re.compile(r"\[(?P<negated>\^?)(?P<body>(?:\\.|[^\]\\])*)\]")


def translated(expression: str) -> str:
    """The same expression. Raises `ValueError` where it has no end.

    What differs: `[^]` and `[]`, `\\k<name>`, `\\d`, `\\w` and `\\b` for ASCII only, `\\cX`, escapes of characters that need
    none, `$` before a last line end, and a hyphen beside a class inside brackets.
    """
    parts, at = ["(?a)"], 0
    while at < len(expression):
        char = expression[at]
        if named := _REFERENCE.match(expression, at):
            parts.append(f"(?P={named['name']})")
            at = named.end()
        elif char == "\\":
            parts.append(_escape(expression, at))
            at += 3 if expression[at + 1 : at + 2] == "c" else 2
        elif char == "[":
            found = _CLASS.match(expression, at)
            if found is None:
                raise ValueError("a [ is not closed")
            parts.append(_bracket(found))
            at = found.end()
        else:
            parts.append(r"\Z" if char == "$" else char)
            at += 1
    return "".join(parts)


def _escape(expression: str, at: int) -> str:
    following = expression[at + 1 : at + 2]
    if not following:
        raise ValueError("it ends in a backslash")
    if following == "c":
        return re.escape(chr(ord(expression[at + 2 : at + 3] or "@") & 31))
    if following == "s":
        return r"[\s\ufeff]"
    if following in _SAME or not following.isalnum():
        return f"\\{following}"
    return re.escape(following)


def _bracket(found: re.Match[str]) -> str:
    body = found["body"]
    if not body:
        return r"[\s\S]" if found["negated"] else r"(?!)"
    # A set operation of `regex`, and a hyphen that stands beside a class and so for itself.
    body = re.sub(r"(?<!\\)\[", r"\\[", body)
    body = re.sub(r"(\\[dDwWsS])-", r"\1\\-", body)
    body = re.sub(r"-(\\[dDwWsS])", r"\\-\1", body)
    body = re.sub(r"\\(?![dDwWsSbnrtvfxu0])([A-Za-z])", r"\1", body)
    return f"[{found['negated']}{body}]"
