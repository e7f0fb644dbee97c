"""Quick fixes that the editor's other extensions offer, for the run to try before a model is asked (SPEC D5).

They are about the text that the editor shows, so a file is asked about only while the isolated copy has the same text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compile_loop.checks.shadow_sources import ShadowSources
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.protocols import Shadow
from compile_loop.edits.text import UndecodableError, decode
from compile_loop.lsp.places import file_of
from compile_loop.lsp.protocol import FixPlace, QuickFix, Span, dump
from compile_loop.lsp.rpc import Refused
from compile_loop.toolchains.advice import is_inside
from compile_loop.toolchains.language_server.quick_fixes import suggestions_of
from compile_loop.toolchains.tree import Tree

if TYPE_CHECKING:
    from compile_loop.lsp.dialogs import Crossing
    from compile_loop.lsp.documents import SafeWorkspace
    from compile_loop.lsp.ui import Ui

SECONDS = 20.0
"""What the answer of all extensions together may take."""
MOST = 40
BY = "an extension of the editor"
Offers = dict[Diagnostic, list[QuickFix]]


class EditorFixes:
    """Asks the editor. It lives in the main loop, the run in one of its own."""

    def __init__(self, ui: Ui, documents: SafeWorkspace, crossing: Crossing) -> None:
        self._ui = ui
        self._documents = documents
        self._crossing = crossing

    async def advise(self, shadow: Shadow, diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
        """The same diagnostics, with what extensions offer after what they had."""
        asked = [one for one in diagnostics if one.is_error and is_inside(one.file)][:MOST]
        root = Path(shadow.root)
        texts = {file: await _lines(shadow, file) for file in {one.file for one in asked if one.file}}
        offers = await self._crossing.ask(self._ask(root, asked, texts), {})
        if not offers:
            return diagnostics
        tree = Tree(root=shadow.root, cwd=shadow.root, sources=ShadowSources(shadow))
        advised = []
        for one in diagnostics:
            inside = [fix for each in offers.get(one, ()) if (fix := _in_terms_of(root, each)) is not None]
            own = tuple(suggestions_of(one, inside, tree, BY))
            advised.append(replace(one, suggestions=(*one.suggestions, *own)) if own else one)
        return advised

    async def _ask(self, root: Path, asked: Sequence[Diagnostic], texts: Mapping[str, list[str] | None]) -> Offers:
        """In the main loop: what is offered for those whose file the editor shows as the copy has it."""
        places = {one: place for one in asked if (place := self._place(root, one, texts)) is not None}
        if not places:
            return {}
        try:
            offers = await asyncio.wait_for(self._ui.quick_fixes(list(places.values())), SECONDS)
        except asyncio.TimeoutError:
            return {}
        still = [self._place(root, one, texts) is not None for one in places]  # typed meanwhile: about another text
        return {one: found for one, found, same in zip(places, offers, still, strict=False) if same}

    def _place(self, root: Path, one: Diagnostic, texts: Mapping[str, list[str] | None]) -> FixPlace | None:
        document = self._documents.open_document(root / str(one.file))
        if document is None or document.source.splitlines() != texts.get(str(one.file)):
            return None
        start, end = one.range.start, one.range.end
        span = {"start": (start.line, start.character), "end": (end.line, end.character)}
        named = {name: {"line": line, "character": character} for name, (line, character) in span.items()}
        return FixPlace(uri=document.uri, range=Span.model_validate(named))


async def _lines(shadow: Shadow, file: str) -> list[str] | None:
    data = await shadow.read(file)
    try:
        return None if data is None else decode(data).text.splitlines()
    except UndecodableError:
        return None


def _in_terms_of(root: Path, fix: QuickFix) -> dict[str, Any] | None:
    """A fix with its files relative to the root; None where it edits nothing, or anything outside."""
    edits = []
    for edit in fix.edits:
        try:
            path = file_of(edit.uri)
        except Refused:
            return None
        if not path.is_relative_to(root):
            return None
        edits.append({"file": path.relative_to(root).as_posix(), "range": dump(edit.range), "text": edit.text})
    return {"title": fix.title, "preferred": fix.preferred, "edits": edits} if edits else None
