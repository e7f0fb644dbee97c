"""Which reading of a block is meant, where its content holds lines like its own markers (SPEC E4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from compile_loop.edits.ambiguity import describe_places
from compile_loop.edits.blocks import Block, Reading, candidate_readings, unescaped, unescaped_replace
from compile_loop.edits.document import Document, loose_key
from compile_loop.edits.indent import is_blank
from compile_loop.edits.locate import Located, Location, Missing, locate
from compile_loop.edits.match import Ambiguous

_CONFLICT = re.compile(r"(<{7}|={7}|>{7})(?:$|[ \t])")


@dataclass(frozen=True, slots=True)
class Unclear:
    """Several readings, and nothing decides between them."""

    reason: str
    reading: Reading


def choose(document: Document, block: Block | None, reading: Reading | None) -> tuple[Reading, Location] | Unclear:
    """The reading of a block and its location; a given `reading` is taken as it is."""
    if reading is not None or block is None:
        reading = reading or Reading((), ())
        return reading, locate(document, reading.search, reading.replace)
    tried = [_locate(document, candidate, block.width) for candidate in candidate_readings(block)]
    if len(block.readings) == 1:
        return tried[0]
    located = [(reading, location) for reading, location in tried if isinstance(location, Located)]
    if len(located) > 1:
        located = [pair for pair in located if _balanced(pair[0].search) and _balanced(pair[0].replace)]
    if len(located) == 1:
        return located[0]
    ambiguous = next((location for _, location in tried if isinstance(location, Ambiguous)), None)
    why = f" {describe_places(document, ambiguous)}" if ambiguous and not located else ""
    return Unclear(
        f"{len(block.readings)} of its lines could be the divider, as they are {'=' * block.width!r}, and the file does not "
        f"decide which one is.{why} Send it with one divider, or, where such lines are content, with all three marker "
        f"lines of another width, such as {'<' * (block.width + 2)} SEARCH, {'=' * (block.width + 2)} and "
        f"{'>' * (block.width + 2)} REPLACE.",
        block.readings[-1],
    )


def _locate(document: Document, reading: Reading, width: int) -> tuple[Reading, Location]:
    """Locate a reading as written, else with escaped markers unescaped."""
    if all(map(is_blank, reading.search)):
        return reading, Missing()
    location = locate(document, reading.search, reading.replace)
    plain = unescaped(reading)
    if plain is None:
        return reading, location
    if plain.search == reading.search:
        plain = unescaped_replace(reading, width)
        return plain, (location if plain == reading else locate(document, plain.search, plain.replace))
    escaped = [ours for ours, theirs in zip(reading.search, plain.search, strict=True) if ours != theirs]
    if isinstance(location, Missing) and all(document.lacks([loose_key(line)]) for line in escaped):
        # With one of its backslashes in the file SEARCH would mean that place, and not one without.
        other = locate(document, plain.search, plain.replace)
        if not isinstance(other, Missing):
            return plain, other
    return reading, location


def _balanced(lines: Sequence[str]) -> bool:
    """Whether the conflict markers in it are whole conflicts."""
    state = 0
    for line in lines:
        match = _CONFLICT.match(line)
        if match is None:
            continue
        kind = match[1][0]
        if kind == "=" and state == 0:
            continue  # an underline
        expected = "<=>"[state]
        if kind != expected:
            return False
        state = (state + 1) % 3
    return state == 0
