"""Where the token at a place ends, for tools that name only where it starts."""

from __future__ import annotations

import re

_WORD = re.compile(r"[\w$]+")
_STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_QUOTED = re.compile(r"‘([^’]+)’|`([^`']+)['`]|'([^']+)'|\"([^\"]+)\"")


def token_end(line: str, index: int, *, bang: bool = False) -> int:
    """The index just past the name, number, string or single character at `index`; `index` itself at the line's end.

    With `bang` a name takes a following `!` with it, as Rust's macros do.
    """
    if word := _WORD.match(line, index):
        end = word.end()
        return end + 1 if bang and line[end : end + 1] == "!" else end
    if string := _STRING.match(line, index):
        return string.end()
    return min(index + 1, len(line))


def quoted(message: str) -> list[str]:
    """The texts that a message quotes, in their order."""
    return [next(text for text in match if text) for match in _QUOTED.findall(message)]


def stands_at(line: str, index: int, text: str) -> bool:
    """Whether `text` stands at `index` as a whole token."""
    if not line.startswith(text, index):
        return False
    end = index + len(text)
    inside = index > 0 and _is_word(line[index - 1]) and _is_word(text[0])
    return not inside and not (end < len(line) and _is_word(line[end]) and _is_word(text[-1]))


def only_place(line: str, text: str) -> int | None:
    """The index where `text` stands as a whole token, if that is one place."""
    found = [m.start() for m in re.finditer(re.escape(text), line) if stands_at(line, m.start(), text)]
    return found[0] if len(found) == 1 else None


def trimmed(line: str) -> tuple[int, int]:
    """The start and end of a line without the white space around it."""
    bare = line.strip()
    if not bare:
        return 0, len(line)
    start = line.index(bare[0])
    return start, start + len(bare)


def _is_word(char: str) -> bool:
    return char.isalnum() or char in "_$"
