"""The question to a language server, and which of its quick fixes may be tried unasked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from compile_loop.contracts.diagnostics import Diagnostic, Range, SuggestedEdit, Suggestion
from compile_loop.toolchains.advice import Offered, Question
from compile_loop.toolchains.sources import Sources
from compile_loop.toolchains.suggestions import weighed
from compile_loop.toolchains.tree import Tree

SCRIPT = Path(__file__).with_name("ask.py")
_MOST_ASKED = 40


def quick_fixes(server: Sequence[str], about: Sequence[Diagnostic], seconds: float = 30.0) -> Question:
    """The question to the language server that `server` starts, in the workspace's root; it gets so many seconds."""
    asked = tuple(about[:_MOST_ASKED])
    places = [
        {"file": one.file, "line": one.range.start.line, "character": one.range.start.character, "message": one.message}
        for one in asked
    ]
    request = json.dumps({"server": list(server), "seconds": seconds, "about": places}, separators=(",", ":"))
    command = (sys.executable, "-I", str(SCRIPT), request)
    return Question(command, asked, lambda lines, root, sources: _read(asked, lines, root, sources))


def _read(about: Sequence[Diagnostic], lines: Sequence[str], root: str, sources: Sources) -> Offered:
    answer = next((line for line in lines if line.startswith('{"offers":')), "{}")
    try:
        offers = json.loads(answer).get("offers", [])
        tree = Tree(root=root, cwd=root, sources=sources)
        return {one: tuple(_suggestions(one, found, tree)) for one, found in zip(about, offers, strict=False)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _suggestions(one: Diagnostic, found: Sequence[Mapping[str, Any]], tree: Tree) -> Iterator[Suggestion]:
    """One fix, or the one that the server prefers, states what was meant; a choice is a person's."""
    preferred = [fix for fix in found if fix["preferred"]]
    chosen = preferred[0] if len(preferred) == 1 else found[0] if len(found) == 1 else None
    for fix in found:
        edits = tuple(SuggestedEdit(edit["file"], _range(edit["range"]), edit["text"]) for edit in fix["edits"])
        suggestion = weighed(one, Suggestion(fix["title"], edits), tree)
        yield replace(suggestion, safe=suggestion.safe and fix is chosen)


def _range(found: Mapping[str, Any]) -> Range:
    start, end = found["start"], found["end"]
    return Range.of(start["line"], start["character"], end["line"], end["character"])
