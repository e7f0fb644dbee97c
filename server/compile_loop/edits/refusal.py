"""What a refusal says: which block, the closest lines, the first difference, a hint, and what to send again (SPEC E7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compile_loop.edits.ambiguity import describe_places
from compile_loop.edits.blocks import Reading
from compile_loop.edits.document import Document
from compile_loop.edits.locate import Location
from compile_loop.edits.match import Ambiguous
from compile_loop.edits.result import BlockReport, HeldBlocks, Refused, Target


@dataclass(frozen=True, slots=True)
class Context:
    """What is known around a block: its file's path, the other targets, and earlier contents of the file."""

    path: str
    others: Sequence[tuple[str, Target]]
    at_reply_start: bytes | None
    before_last_edit: bytes | None
    tool: bool


def simple(message: str, *, reports: tuple[BlockReport, ...] = (), held: HeldBlocks | None = None) -> Refused:
    """A refusal that is one sentence."""
    return Refused(message, reports, held)


def no_blocks(reply: str, targets: Sequence[Target], *, truncated: bool, held: HeldBlocks | None) -> Refused:
    return Refused("The reply has no edit block.", (), held, no_blocks=True)


def no_op(document: Document, reading: Reading, location: Location) -> str:
    return "it changes nothing: SEARCH and REPLACE are the same."


def not_located(document: Document, reading: Reading, location: Location, context: Context) -> str:
    if isinstance(location, Ambiguous):
        return describe_places(document, location)
    return f"SEARCH was not found in {context.path}."


def refused(
    done: Sequence[BlockReport],
    failed: Sequence[tuple[int, str | None, str | Callable[[], str]]],
    held: HeldBlocks | None,
    warnings: Sequence[str],
    *,
    truncated: bool,
    tool: bool,
) -> Refused:
    reports = list(done)
    for index, path, reason in failed:
        reports.append(BlockReport(index, path, False, reason=reason if isinstance(reason, str) else reason()))
    reports.sort(key=lambda r: r.index)
    message = "\n".join(f"Block {r.index}: {r.reason}" for r in reports if not r.ok)
    if truncated:
        message += "\nThe reply was cut off."
    return Refused(message, tuple(reports), held)
