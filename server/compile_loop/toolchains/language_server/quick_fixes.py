"""The question to a language server, and which of its quick fixes may be tried unasked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from compile_loop.contracts.diagnostics import Diagnostic, Position, Range, SuggestedEdit, Suggestion
from compile_loop.toolchains.advice import Offered, Question
from compile_loop.toolchains.language_server.python_imports import imports_a_stranger
from compile_loop.toolchains.sources import Sources
from compile_loop.toolchains.suggestions import weighed
from compile_loop.toolchains.tree import Tree

PROGRAM = Path(__file__).with_name("__main__.py")
_MOST_ASKED = 40
_LONGEST_MESSAGE = 200
_OTHER_WAY = "Qualify as"
"""How rust-analyzer calls the other way to name what it offers to import, which is no second thing to choose from."""


def quick_fixes(
    server: Sequence[str],
    about: Sequence[Diagnostic],
    *,
    languages: Mapping[str, str],
    options: Mapping[str, Any] | None = None,
    seconds: float = 15.0,
) -> Question:
    """The question to the language server that `server` starts, in the workspace's root; it gets so many seconds.

    `languages` are the protocol's names of languages by endings of files, `options` the server's own.
    """
    asked = tuple(about[:_MOST_ASKED])
    request = {
        "server": list(server),
        "seconds": seconds,
        "languages": dict(languages),
        "options": dict(options or {}),
        "about": [
            {"file": one.file, "range": _lsp_range(one.range), "message": one.message[:_LONGEST_MESSAGE]}
            for one in asked
        ],
    }
    by = Path(server[0]).stem
    command = (sys.executable, "-I", str(PROGRAM), json.dumps(request, separators=(",", ":")))
    return Question(command, asked, lambda lines, root, sources: _read(asked, lines, root, sources, by))


def _lsp_range(place: Range) -> dict[str, dict[str, int]]:
    def edge(position: Position) -> dict[str, int]:
        return {"line": position.line, "character": position.character}

    return {"start": edge(place.start), "end": edge(place.end)}


def _read(about: Sequence[Diagnostic], lines: Sequence[str], root: str, sources: Sources, by: str) -> Offered:
    answer = next((line for line in lines if line.startswith('{"offers":')), "{}")
    try:
        offers = json.loads(answer).get("offers", [])
        tree = Tree(root=root, cwd=root, sources=sources)
        return {one: tuple(suggestions_of(one, found, tree, by)) for one, found in zip(about, offers, strict=False)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def suggestions_of(one: Diagnostic, found: Sequence[Mapping[str, Any]], tree: Tree, by: str) -> Iterator[Suggestion]:
    """One fix, or the one that the server prefers, states what was meant; a choice is a person's.

    What is not to be taken in any case leaves no choice.
    """
    offered = [(_weighed(one, fix, tree, by), fix["preferred"]) for fix in found]
    open_to_choice = {fix.edits: preferred for fix, preferred in reversed(offered) if fix.safe}
    preferred = [edits for edits, is_preferred in open_to_choice.items() if is_preferred]
    chosen = preferred if preferred else list(open_to_choice)
    for fix, _ in offered:
        yield replace(fix, safe=fix.safe and chosen == [fix.edits])


def _weighed(one: Diagnostic, fix: Mapping[str, Any], tree: Tree, by: str) -> Suggestion:
    edits = tuple(SuggestedEdit(edit["file"], _range(edit["range"]), edit["text"]) for edit in fix["edits"])
    suggestion = weighed(one, Suggestion(fix["title"], edits, by=by), tree)
    strange = any(edit.file.endswith((".py", ".pyi")) and imports_a_stranger(edit.new_text, tree) for edit in edits)
    return replace(suggestion, safe=suggestion.safe and not strange and not fix["title"].startswith(_OTHER_WAY))


def _range(found: Mapping[str, Any]) -> Range:
    start, end = found["start"], found["end"]
    return Range.of(start["line"], start["character"], end["line"], end["character"])
