"""What a tool that was asked for fixes answered, put with the diagnostics that it was asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.toolchains.advice import Offered, Question
from compile_loop.toolchains.reading import OutputReader
from compile_loop.toolchains.sources import Sources


def with_answer(
    diagnostics: Sequence[Diagnostic], question: Question, lines: Sequence[str], *, root: str, sources: Sources
) -> list[Diagnostic]:
    """The diagnostics in their order, with what is offered for each put before what it had.

    `lines` are those of both streams. An answer that cannot be read changes nothing.
    """
    read = question.read(lines, root, sources) if question.read else _same_tool(question, lines, root, sources)
    return [
        replace(one, suggestions=tuple(dict.fromkeys((*read[one], *one.suggestions)))) if read.get(one) else one
        for one in diagnostics
    ]


def _same_tool(question: Question, lines: Sequence[str], root: str, sources: Sources) -> Offered:
    """Findings are the same by file, code and place."""
    hint = " ".join(question.command)
    reader = OutputReader(root=root, cwd=str(Path(root, question.cwd)), sources=sources, hint=hint)
    found = [one for line in lines for one in reader.feed(line)] + reader.close(0)
    by_place = {(one.file, one.code, one.range.start): one.suggestions for one in found if one.suggestions}
    places = {one: (one.file, one.code, one.range.start) for one in question.about}
    return {one: by_place[place] for one, place in places.items() if place in by_place}
