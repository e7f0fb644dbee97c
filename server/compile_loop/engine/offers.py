"""What tools offer, put together for a try: alike ones as one, those that only make names known apart from the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from compile_loop.contracts.diagnostics import Diagnostic, SuggestedEdit, Suggestion

Offer = tuple[Diagnostic, Suggestion]

_IMPORT = re.compile(r"\s*(?:#\s*include\b|import\b|from\s.+\simport\b|(?:pub\s+)?use\s|using\s)")
_NAMED = 3
"""Errors that an explanation quotes of one tool; the rest are counted."""


def batches(offers: Sequence[Offer]) -> Iterator[list[Offer]]:
    """All that do not overlap, together; then the imports among them; then each edit alone, for all that it is offered for."""
    together: list[Offer] = []
    taken: list[SuggestedEdit] = []
    for offer in offers:
        places = offer[1].edits
        if not any(_meet(place, other) for place in places for other in taken):
            together.append(offer)
            taken.extend(places)
    apart = _alike(offers)
    if len(apart) > 1:
        yield together
        imports = [offer for offer in together if only_imports([offer])]
        if 0 < len(imports) < len(together) and len(_alike(imports)) > 1:
            yield imports
    yield from apart


def only_imports(offers: Iterable[Offer]) -> bool:
    """Whether all that is offered is to put in whole lines that make names known: an include, an import, a `use`."""
    edits = [edit for _, suggestion in offers for edit in suggestion.edits]
    return bool(edits) and all(_is_import(edit) for edit in edits)


def distinct(offers: Sequence[Offer]) -> list[Offer]:
    """One offer for each edit: one include may be offered for ten errors."""
    return [alike[0] for alike in _alike(offers)]


def explained(offers: Sequence[Offer]) -> list[str]:
    """What was wrong and what fixed it, in a sentence for each tool that offered something (SPEC Q27)."""
    by_tool: dict[tuple[str, str], list[Diagnostic]] = {}
    for diagnostic, suggestion in distinct(offers):
        by_tool.setdefault((diagnostic.source or "The toolchain", suggestion.by), []).append(diagnostic)
    return [_sentence(source, by, diagnostics) for (source, by), diagnostics in by_tool.items()]


def words_of(offer: Offer) -> str:
    """An offer in a few words, with who made it where that is not the tool that reported the error."""
    diagnostic, suggestion = offer
    words = suggestion.message or f"fix of “{diagnostic.message}”"
    return f"{words} ({suggestion.by})" if suggestion.by else words


def _sentence(source: str, by: str, diagnostics: Sequence[Diagnostic]) -> str:
    quoted = [f"“{diagnostic.message.splitlines()[0]}”" for diagnostic in diagnostics[:_NAMED]]
    if len(diagnostics) > _NAMED:
        quoted.append(f"{len(diagnostics) - _NAMED} more")
    said = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    fixes = "fix" if len(diagnostics) == 1 else "fixes"
    return f"{source} reported {said}{f'; {by} offered the {fixes}' if by else f' and offered the {fixes} itself'}."


def _alike(offers: Sequence[Offer]) -> list[list[Offer]]:
    """Offers by their edits, in the order of the first of each."""
    groups: dict[tuple[object, ...], list[Offer]] = {}
    for offer in offers:
        # The same include is put before the first line by one rule, and behind the last include by another.
        key = tuple((e.file, e.new_text.strip()) if _is_import(e) else e for e in offer[1].edits)
        groups.setdefault(key, []).append(offer)
    return list(groups.values())


def _is_import(edit: SuggestedEdit) -> bool:
    lines = [line for line in edit.new_text.splitlines() if line.strip()]
    return edit.range.start == edit.range.end and bool(lines) and all(map(_IMPORT.match, lines))


def _meet(one: SuggestedEdit, other: SuggestedEdit) -> bool:
    """Whether two edits are at one place; what is put in before the same line twice, as imports are, is not."""
    first, second = one.range, other.range
    lines = first == second and first.start == first.end and first.start.character == 0
    lines = lines and one.new_text.endswith("\n") and other.new_text.endswith("\n")
    return one.file == other.file and first.start <= second.end and second.start <= first.end and not lines
