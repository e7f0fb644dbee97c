"""What is offered with a diagnostic, made ready to be tried: harm is marked, and what the message says in words is added."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Position, SuggestedEdit, Suggestion
from compile_loop.edits.strange import strange_character
from compile_loop.toolchains.harm import harm
from compile_loop.toolchains.likeness import is_guess
from compile_loop.toolchains.tree import Text, Tree
from compile_loop.toolchains.wording.imports import forgotten_import
from compile_loop.toolchains.wording.lines import indentation, surplus
from compile_loop.toolchains.wording.names import did_you_mean
from compile_loop.toolchains.wording.punctuation import expected
from compile_loop.toolchains.wording.said import Rule, Said

_RULES: tuple[Rule, ...] = (did_you_mean, expected, surplus, indentation, forgotten_import)


def ready(diagnostic: Diagnostic, tree: Tree) -> Diagnostic:
    """The diagnostic with suggestions that may be tried unasked first; a harmful one is no longer called safe."""
    given = tuple(weighed(diagnostic, one, tree) for one in diagnostic.suggestions)
    if diagnostic.is_error and not any(one.safe for one in given):
        stated = tuple(_marked(one, tree) for one in _stated(diagnostic, tree))
        given = (*(one for one in stated if one.edits not in {other.edits for other in given}), *given)
    return diagnostic if given == diagnostic.suggestions else replace(diagnostic, suggestions=given)


def weighed(diagnostic: Diagnostic, suggestion: Suggestion, tree: Tree) -> Suggestion:
    """A suggestion that is no longer called safe where something speaks against it, and is called a guess where it is one."""
    harmful = suggestion.safe and harm(diagnostic, suggestion, lambda edit: _old_text(tree, edit)) is not None
    if harmful or (suggestion.safe and _makes_binary(suggestion, tree)):
        return replace(suggestion, safe=False)
    return _marked(suggestion, tree)


def _makes_binary(suggestion: Suggestion, tree: Tree) -> bool:
    """Whether a fix brings in a character that no source text holds."""
    texts = ((edit, _text(tree, edit.file)) for edit in suggestion.edits)
    return any(strange_character(edit.new_text, text.source.text if text else "") for edit, text in texts)


def _marked(suggestion: Suggestion, tree: Tree) -> Suggestion:
    if suggestion.guess or not is_guess(suggestion, lambda edit: _old_text(tree, edit)):
        return suggestion
    return replace(suggestion, guess=True)


def _stated(diagnostic: Diagnostic, tree: Tree) -> Iterator[Suggestion]:
    text = _text(tree, diagnostic.file)
    if diagnostic.file is None or text is None or diagnostic.range == NOWHERE:
        return
    said = Said(diagnostic, diagnostic.file, text.lines)
    for rule in _RULES:
        found = list(rule(said))
        if found:
            yield from found
            return


def _text(tree: Tree, file: str | None) -> Text | None:
    """The text of a file of the workspace; what lies outside is nobody's to fix."""
    if file is None or tree.names.is_absolute(file):
        return None
    return tree.text(tree.names.join(tree.names.root, file))


def _old_text(tree: Tree, edit: SuggestedEdit) -> str | None:
    text = _text(tree, edit.file)
    if text is None:
        return None
    first, last = (_offset(text, position) for position in (edit.range.start, edit.range.end))
    return text.source.text[first:last]


def _offset(text: Text, position: Position) -> int:
    """The index into the whole text of a position."""
    lines = text.source.lines
    if position.line >= len(lines):
        return len(text.source.text)
    line = lines[position.line].encode("utf-16-le", "surrogatepass")
    return sum(map(len, lines[: position.line])) + len(line[: position.character * 2].decode("utf-16-le", "ignore"))
