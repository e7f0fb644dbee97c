"""A part of a file's change: some of its hunks (SPEC V5)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from compile_loop.contracts.edits import FileChange
from compile_loop.lsp.results import line_groups


def part_of(change: FileChange, chosen: Collection[int]) -> FileChange:
    """The change with only the hunks of these numbers, counted in whole lines as `line_hunks` does.

    A file that is made or removed is so as a whole.
    """
    if change.before is None or change.after is None:
        return change
    wanted = {own for number, (_, numbers) in enumerate(line_groups(change)) if number in chosen for own in numbers}
    hunks = tuple(hunk for number, hunk in enumerate(change.hunks) if number in wanted)
    after, at = b"", 0
    for hunk in hunks:
        after += change.before[at : hunk.start] + hunk.new
        at = hunk.end
    return replace(change, after=after + change.before[at:], hunks=hunks)
