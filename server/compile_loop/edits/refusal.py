"""What a refusal says: which block, the closest lines, the first difference, a hint, and what to send again (SPEC E7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from compile_loop.edits.ambiguity import describe_places, numbered
from compile_loop.edits.blocks import Reading
from compile_loop.edits.document import Document
from compile_loop.edits.hints import Context, hint
from compile_loop.edits.locate import Located, Location, Missing
from compile_loop.edits.match import Ambiguous
from compile_loop.edits.nearest import nearest, quoted
from compile_loop.edits.result import BlockReport, HeldBlocks, Refused, Target

Reason = str | Callable[[bool], str]
"""Why a block cannot be applied, or what makes that text: at length, or briefly where the argument is true."""

AT_LENGTH = 6
"""Failed blocks of one reply that get closest lines and hints; the rest are told in a sentence."""
_LISTED = 40
_SHOWN_LINES = 24

FORM = """\
<<<<<<< SEARCH
lines of the file, copied exactly
=======
the lines that take their place
>>>>>>> REPLACE"""
"""The form of a block, as prompts and refusals show it."""


def simple(message: str, *, reports: tuple[BlockReport, ...] = (), held: HeldBlocks | None = None) -> Refused:
    """A refusal that is one sentence."""
    return Refused(message, reports, held)


def form(targets: Sequence[Target]) -> str:
    """How a reply must look for these targets."""
    if len(targets) < 2:
        return f"Send each edit in this form:\n\n{FORM}"
    header = f"<<< path={targets[0].path} >>>"
    paths = ", ".join(target.path for target in targets[:20])
    return (
        f"Send each edit in this form, with a header line before the first block of each file (one of {paths}):\n\n"
        f"{header}\n{FORM}"
    )


_LOOKS_LIKE = (
    (re.compile(r"^\*\*\* (?:Begin Patch|Update File|Add File|Delete File)", re.MULTILINE), "a patch"),
    (re.compile(r"^@@ .*@@|^--- [^\n]+\n\+\+\+ ", re.MULTILINE), "a unified diff"),
    (re.compile(r"^-{3,} SEARCH\s*$", re.MULTILINE), "blocks with other marker characters"),
    (re.compile(r"apply_search_replace|<tool_call>|<function="), "a tool call written as text"),
    (re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE), "a plain code block, which is not applied"),
)


def no_blocks(reply: str, targets: Sequence[Target], *, truncated: bool, held: HeldBlocks | None) -> Refused:
    """The reply holds no edit block at all."""
    parts = ["The reply has no edit block, so nothing was changed."]
    if truncated:
        parts.append("It was cut off at its length limit: send the blocks first, and less text around them.")
    what = next((name for pattern, name in _LOOKS_LIKE if pattern.search(reply)), None)
    if what:
        parts.append(f"It looks like {what}.")
    parts.append(form(targets))
    if held:
        parts.append(_kept(held))
    return Refused("\n".join(parts), (), held, no_blocks=True)


def no_op(document: Document, reading: Reading, location: Location) -> str:
    """SEARCH and REPLACE are the same."""
    text = "it changes nothing: SEARCH and REPLACE are the same."
    if isinstance(location, Located):
        piece = location.pieces[0]
        rows = document.lines[piece.place.first : piece.place.first + piece.place.count]
        for row, (ours, theirs) in enumerate(zip(piece.search, rows, strict=False), piece.place.first + 1):
            if ours.strip() != theirs.strip() and not piece.loose_blanks:
                return (
                    f"{text} Line {row} of the file differs from yours only in characters that look alike: it is "
                    f"{quoted(theirs, ours)}. To change them, copy the file's own characters into SEARCH."
                )
    return text


def not_located(document: Document, reading: Reading, location: Location, context: Context, *, brief: bool) -> str:
    """SEARCH is nowhere, or in several places."""
    if isinstance(location, Ambiguous):
        more = "Copy more of the lines around the one that you mean, so that SEARCH is found once."
        return f"{describe_places(document, location, brief=brief)}\n{more}"
    text = f"its SEARCH is nowhere in {context.path}."
    if brief:
        return text
    parts = [text]
    close = nearest(document, reading.search)
    if isinstance(location, Missing) and location.note:
        parts.append(f"Hint: {location.note}.")
    elif told := hint(document, reading, context, close):
        parts.append(f"Hint: {told}")
    if close is None:
        parts.append("No lines of the file are like it.")
        return "\n".join(parts)
    row = close.first + close.differs
    last = min(close.first + close.count + 2, close.first + _SHOWN_LINES, len(document.lines))
    start = max(close.first - 2, 0)
    if row >= last:
        start, last = max(close.first, row - _SHOWN_LINES // 2), min(row + 3, len(document.lines))
    span = f"line {close.first + 1}" if close.count == 1 else f"lines {close.first + 1}–{close.first + close.count}"
    parts.append(f"Closest to it in {context.path}: {span}.")
    parts.append(numbered(document, start, last, (row,)))
    ours = reading.search[close.differs] if close.differs < len(reading.search) else ""
    parts.append(f"They differ first at line {close.differs + 1} of SEARCH, which is")
    if 0 <= row < len(document.lines):
        theirs = document.lines[row]
        parts.append(f"  {quoted(ours, theirs)}\nwhere line {row + 1} of the file is\n  {quoted(theirs, ours)}")
    else:
        parts.append(f"  {quoted(ours, '')}\nwhere the file has ended.")
    return "\n".join(parts)


def refused(
    done: Sequence[BlockReport],
    failed: Sequence[tuple[int, str | None, Reason]],
    held: HeldBlocks | None,
    warnings: Sequence[str],
    *,
    truncated: bool = False,
    tool: bool = False,
    large: bool = False,
) -> Refused:
    """The refusal of a reply of which some blocks failed; the others are kept (SPEC Q10). `large`: files are huge."""
    told = [
        BlockReport(
            index,
            path,
            False,
            reason=reason if isinstance(reason, str) else reason(position >= (1 if large else AT_LENGTH)),
        )
        for position, (index, path, reason) in enumerate(sorted(failed, key=lambda entry: entry[0]))
    ]
    reports = tuple(sorted([*done, *told], key=lambda report: report.index))
    if tool:
        return Refused("\n\n".join(f"Not applied: {report.reason}" for report in told), reports)
    count = len({report.index for report in reports})
    parts: list[str] = []
    if truncated:
        parts.append(
            "Your reply was cut off at its length limit, so nothing was written. Send what is missing, in a shorter reply."
        )
    if told:
        of = "The block" if count == 1 else f"{len({report.index for report in told})} of {count} blocks"
        parts.append(f"{of} could not be applied, so nothing was written.")
    for report in told[:_LISTED]:
        where = f" ({report.path})" if report.path else ""
        parts.append(f"Block {report.index}{where}: {report.reason}")
    if len(told) > _LISTED:
        parts.append(f"… and {len(told) - _LISTED} more blocks that could not be applied.")
    parts += warnings
    if held:
        parts.append(_kept(held))
    if told:
        again = list(dict.fromkeys(report.index for report in told))
        only = f", and only {'it' if len(again) == 1 else 'those'}" if held else ""
        parts.append(f"Send {_blocks(again)} again, corrected{only}.")
    return Refused("\n\n".join(parts), reports, held)


def _kept(held: HeldBlocks) -> str:
    several = len(held.blocks) > 1
    numbers = _blocks([block.index for block in held.blocks])
    return (
        f"{numbers[0].upper()}{numbers[1:]} {'were' if several else 'was'} found and "
        f"{'are' if several else 'is'} kept, not yet written: {'they land' if several else 'it lands'} together with the "
        f"blocks that you send next. Do not send {'them' if several else 'it'} again, unless nothing else is to be changed."
    )


def _blocks(indexes: Sequence[int]) -> str:
    if len(indexes) == 1:
        return f"block {indexes[0]}"
    shown = [str(index) for index in indexes[:_LISTED]]
    if len(indexes) > _LISTED:
        return f"blocks {', '.join(shown)}, …"
    return f"blocks {', '.join(shown[:-1])} and {shown[-1]}"
