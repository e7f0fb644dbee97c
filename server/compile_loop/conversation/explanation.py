"""What was wrong and why the edit fixes it, in the model's own first sentences (SPEC Q27)."""

from __future__ import annotations

import re

from compile_loop.conversation.excerpt import clean

_DONE = re.compile(r"^[\s`*_\"'(]*DONE\b[\s`*_\"').!:,–—-]*", re.IGNORECASE)
"""The word that ends a round of tool calls explains nothing."""
_EDIT_STARTS = re.compile(r"^\s*(?:<{3,}|`{3,}|~{3,})")


def explanation_of(reply: str, limit: int = 400) -> str:
    """The reply's prose before its first edit block or fence, at most `limit` characters, ending with a whole sentence."""
    prose: list[str] = []
    for line in clean(reply).splitlines():
        if _EDIT_STARTS.match(line):
            break
        prose.append(line.strip().lstrip("#").strip())
    text = _DONE.sub("", " ".join(" ".join(prose).split()))
    if len(text) <= limit:
        return text
    cut = text[:limit]
    end = max(cut.rfind(mark) for mark in (". ", "! ", "? "))
    return cut[: end + 1] if end > 0 else cut.rstrip() + "…"
