"""The new text of a place: kept lines as the file has them, new ones with the file's indentation and line ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from compile_loop.edits.document import Document
from compile_loop.edits.ends import Line, join, lines_of
from compile_loop.edits.indent import Kind, Reindent, indent_of, is_blank, learn
from compile_loop.edits.linediff import common_runs
from compile_loop.edits.locate import Piece
from compile_loop.edits.lookalikes import fold
from compile_loop.edits.match import Tier
from compile_loop.edits.text import line_end

_EXACTLY_AS_WRITTEN = (Tier.EXACT, Tier.TRAILING_SPACE)


@dataclass(frozen=True, slots=True)
class Unplaceable:
    """The place is known, but not what REPLACE's lines should look like there."""

    reason: str


def render(document: Document, piece: Piece, tier: Tier) -> str | Unplaceable:
    """The text that takes the piece's place, with line ends."""
    place = piece.place
    file = lines_of(document.text[place.start : place.end])
    search, replace = list(piece.search), list(piece.replace)
    kept = [line for line in file if not is_blank(line.body)] if piece.loose_blanks else file
    paired = [line for line in search if not is_blank(line)] if piece.loose_blanks else search
    if tier in _EXACTLY_AS_WRITTEN:
        reindent = Reindent(Kind.SAME)
    else:
        reindent = learn(paired, [fold(line.body) for line in kept], search + replace, document.indent_step)
    if piece.loose_blanks:
        new = _merge_with_loose_blanks(file, search, replace, reindent)
    elif reindent.kind is Kind.CONTRADICTORY:
        new = _merge_line_for_line(file, search, replace)
    else:
        new = _merge(file, search, replace, reindent)
    if isinstance(new, Unplaceable):
        return new
    fallback = next((line.end for line in reversed(file) if line.end), "") or _end_before(document, place.start)
    before = document.text[max(place.start - 1, 0) : place.start]
    return join(new, fallback, before=before, ended=bool(file[-1].end))


def _end_before(document: Document, start: int) -> str:
    """The line end of the line before `start`, else the file's usual one."""
    before = document.text[max(0, start - 2) : start]
    return line_end(before) or document.usual_end


def _merge(file: list[Line], search: list[str], replace: list[str], reindent: Reindent) -> list[Line] | Unplaceable:
    merged: list[Line] = []
    i = j = 0
    for run_i, run_j, size in [*common_runs(search, replace), (len(search), len(replace), 0)]:
        for step, line in enumerate(replace[j:run_j]):
            body = reindent.line(line)
            if body is None:
                return _no_indentation(line)
            end = file[min(i + step, run_i - 1)].end if run_i > i else file[max(i - 1, 0)].end
            merged.append(Line(body, end))
        merged += file[run_i : run_i + size]
        i, j = run_i + size, run_j + size
    return merged


def _no_indentation(line: str) -> Unplaceable:
    return Unplaceable(
        f"SEARCH is indented otherwise than the file, and nothing shows how far to indent the new line {line.strip()[:80]!r}"
    )


def _merge_line_for_line(file: list[Line], search: list[str], replace: list[str]) -> list[Line] | Unplaceable:
    """SEARCH lost the file's indentation, so that the same one stands for several: only pairs can tell."""
    counts = Counter(search)
    if all(counts[line] == 1 for line in replace):
        runs = common_runs(search, replace)
        if sum(size for _, _, size in runs) == len(replace):
            return [line for i, _, size in runs for line in file[i : i + size]]
    if len(search) != len(replace):
        return Unplaceable(
            "SEARCH lost the file's indentation, and REPLACE has another number of lines, so the new lines' is unknown: "
            "copy the indentation of the file"
        )
    merged: list[Line] = []
    for line, ours, new in zip(file, search, replace, strict=True):
        if ours == new or is_blank(new):
            merged.append(line if ours == new else Line(new, line.end))
        elif indent_of(ours) == indent_of(new) and not is_blank(ours):
            merged.append(Line(indent_of(fold(line.body)) + new[len(indent_of(new)) :], line.end))
        else:
            return _no_indentation(new)
    return merged


def _gaps(lines: Sequence[Line]) -> tuple[list[Line], list[list[Line]]]:
    """The lines that are not blank, and the blank ones before each and after the last."""
    full: list[Line] = []
    gaps: list[list[Line]] = [[]]
    for line in lines:
        if is_blank(line.body):
            gaps[-1].append(line)
        else:
            full.append(line)
            gaps.append([])
    return full, gaps


def _merge_with_loose_blanks(
    file: list[Line], search: list[str], replace: list[str], reindent: Reindent
) -> list[Line] | Unplaceable:
    """Blank lines that SEARCH and REPLACE have alike are the file's, however many it has there."""
    theirs, their_gaps = _gaps(file)
    ours, our_gaps = _gaps([Line(line) for line in search])
    news, new_gaps = _gaps([Line(line) for line in replace])
    texts, new_texts = [line.body for line in ours], [line.body for line in news]
    lines = (
        _merge_line_for_line(theirs, texts, new_texts)
        if reindent.kind is Kind.CONTRADICTORY
        else _merge(theirs, texts, new_texts, reindent)
    )
    if isinstance(lines, Unplaceable):
        return lines
    pair = _pairs(texts, new_texts)
    merged: list[Line] = []
    for j in range(len(news) + 1):
        left, right = (pair[j - 1] if j else -1), (pair[j] if j < len(news) else len(ours))
        if j == 0 and news:
            right = 0
        elif j == len(news) and news:
            left = len(ours) - 1
        follows = left is not None and right is not None and (right == left + 1 or j == 0)
        if follows and right is not None and len(new_gaps[j]) == len(our_gaps[right]):
            merged += their_gaps[right]
        else:
            merged += new_gaps[j]
        if j < len(news):
            merged.append(lines[j])
    return merged


def _pairs(search: list[str], replace: list[str]) -> list[int | None]:
    """For each line of REPLACE the line of SEARCH that it keeps or, in a stretch of equal length, takes over."""
    pair: list[int | None] = [None] * len(replace)
    i = j = 0
    for run_i, run_j, size in [*common_runs(search, replace), (len(search), len(replace), 0)]:
        if run_i - i == run_j - j:
            pair[j:run_j] = range(i, run_i)
        pair[run_j : run_j + size] = range(run_i, run_i + size)
        i, j = run_i + size, run_j + size
    return pair
