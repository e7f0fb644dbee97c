"""Turning one folder's path into another's wherever a command or a variable names it."""

from __future__ import annotations

import re

_NAME = re.compile(r"[\w.+@-]*$")
"""What may be part of a file's name: `/a/ws` is not meant in `/a/ws2`, `/a/ws.old` and `/b/a/ws`."""
_GOES_ON = re.compile(r"[\w.+@~-]")


class Renaming:
    """The absolute path `old` becomes `new`, where it is not only a part of another path."""

    def __init__(self, old: str, new: str) -> None:
        self._old = old
        self._new = new

    def text(self, text: str) -> str:
        """`text` with every such path renamed."""
        done = 0
        parts = []
        while (at := text.find(self._old, done)) >= 0:
            end = at + len(self._old)
            parts += [text[done:at], self._new if self._is_whole(text, at, end) else self._old]
            done = end
        return "".join([*parts, text[done:]])

    def _is_whole(self, text: str, start: int, end: int) -> bool:
        if _GOES_ON.match(text, end):
            return False
        name = _NAME.search(text, max(0, start - 255), start)
        begins = name.start() if name else start
        before = text[begins - 1 : begins]
        if begins == start:
            return before not in ("}", ")", "~")
        return before not in ("/", "$", "~") and text[begins:start].strip(".") != ""
