"""Keeps a model's thinking out of its reply, so that a drafted block is never applied (SPEC M3).

Models without a reasoning field write it into the text: between tags at the head of the reply, at times with the
opening tag left in the prompt's template, so that only the closing one arrives. Tags inside an edit block or a fence
are the content of somebody's file and stay.
"""

from __future__ import annotations

import re

_OPENING = ("<think>", "<thinking>", "<thought>", "<reasoning>")
_LONGEST = max(len(tag) for tag in _OPENING) + 1
_LONE_CLOSING = re.compile(r".*</(?:think|thinking|thought|reasoning)>")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SEARCH = re.compile(r"[ \t]*<{5,} ?SEARCH\b")
_REPLACE = re.compile(r"[ \t]*>{5,} ?REPLACE\b")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[^`]*$")


class ThinkingFilter:
    """Passes a streamed reply's text on, without the thinking at its head.

    It decides piece by piece, for showing; `visible_text` judges the whole reply and is what counts.
    """

    def __init__(self) -> None:
        self._held = ""
        self._closing: str | None = None
        self._in_text = False

    def feed(self, piece: str) -> str:
        """Take a piece of the reply and give what of it can be shown now."""
        if self._in_text:
            return piece
        self._held += piece
        while True:
            if self._closing is not None:
                end = self._held.find(self._closing)
                if end < 0:
                    self._held = self._held[-_LONGEST:]
                    return ""
                self._held = self._held[end + len(self._closing) :]
                self._closing = None
            head = self._held.lstrip()
            opening = _opening_at_head(head)
            if opening is None:
                return "" if any(tag.startswith(head) for tag in _OPENING) else self._pass()
            self._closing = _closing_of(opening)
            self._held = head[len(opening) :]

    def end(self) -> str:
        """What was held back in case it became a tag, now that nothing follows."""
        return "" if self._closing is not None else self._pass()

    def _pass(self) -> str:
        text, self._held, self._in_text = self._held, "", True
        return text


def visible_text(reply: str) -> str:
    """The reply without its thinking; what edits are read from. Thinking that never ended hides all after it."""
    if not _mentions_thinking(reply):
        return reply
    lines = _lines(reply)
    kept: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        end = _end_of_block(lines, at) or _end_of_fence(lines, at)
        if end is not None:
            kept += lines[at:end]
            at = end
            continue
        opening = _opening_at_head(line.lstrip())
        if opening is not None:
            rest = "".join(lines[at:]).lstrip()
            _, closed, after = rest[len(opening) :].partition(_closing_of(opening))
            if not closed:
                break
            lines, at = _lines(after.removeprefix("\n")), 0
            continue
        lone = _LONE_CLOSING.match(line)
        if lone is not None:
            kept.clear()
            line = line[lone.end() :]
            if _begins_block(line) or _opening_at_head(line.lstrip()):
                lines[at] = line
                continue
        kept.append(line)
        at += 1
    return "".join(kept)


def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def _mentions_thinking(text: str) -> bool:
    return any(tag in text or _closing_of(tag) in text for tag in _OPENING)


def _opening_at_head(text: str) -> str | None:
    return next((tag for tag in _OPENING if text.startswith(tag)), None)


def _closing_of(opening: str) -> str:
    return f"</{opening[1:]}"


def _begins_block(line: str) -> bool:
    return bool(_SEARCH.match(line) or _FENCE.match(line))


def _end_of_block(lines: list[str], start: int) -> int | None:
    """The line after the edit block that begins at `start`; None where none does, or where it never ends."""
    if not _SEARCH.match(lines[start]):
        return None
    for at in range(start + 1, len(lines)):
        if _REPLACE.match(lines[at]):
            return at + 1
        if _SEARCH.match(lines[at]):
            return None
    return None


def _end_of_fence(lines: list[str], start: int) -> int | None:
    """The line after the fence that opens at `start`; None where none does, or where it never ends."""
    fence = _FENCE.match(lines[start].rstrip())
    if fence is None:
        return None
    for at in range(start + 1, len(lines)):
        line = lines[at].strip()
        if line.startswith(fence.group(1)) and not line.strip(fence.group(1)[0]):
            return at + 1
    return None
