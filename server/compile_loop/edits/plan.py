"""All edits of one file in one reply: disjoint splices of its text, and the bytes they lead to (SPEC E5, E6, E8)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from compile_loop.edits.document import Document, loose_key
from compile_loop.edits.indent import is_blank
from compile_loop.edits.text import SourceText


@dataclass(frozen=True, slots=True)
class Region:
    """Characters `start` to `end` of the text become `text`, by the blocks with the keys `owners`."""

    start: int
    end: int
    text: str
    owners: tuple[int, ...]


class FilePlan:
    """Collects the regions that a reply's blocks rewrite in one file."""

    def __init__(self, before: bytes, source: SourceText) -> None:
        self._before = before
        self.source = source
        self.document = Document(source.text)
        self._regions: list[Region] = []
        self._written: set[str] = set()

    @property
    def regions(self) -> tuple[Region, ...]:
        """What is rewritten so far, in the order of the text."""
        return tuple(self._regions)

    def overlapping(self, start: int, end: int) -> tuple[Region, ...]:
        """The regions that share text with `start` to `end`."""
        found: list[Region] = []
        for region in self._regions[bisect_left(self._regions, start, key=lambda region: region.end) :]:
            if region.start > end:
                break
            if (region.start < end and start < region.end) or region.start == region.end == start == end:
                found.append(region)
        return tuple(found)

    def add(self, region: Region) -> None:
        """Take in a region that overlaps none so far."""
        self._written.update(Document(region.text).loose_keys or [""])
        self._regions.insert(bisect_left(self._regions, region.start, key=lambda other: other.start), region)

    def may_have_written(self, search: Sequence[str]) -> bool:
        """Whether some line of `search` is among those that were written, white space and look-alikes aside."""
        if "" in self._written:
            return True  # lines that were apart are neighbours now
        return bool(self._written) and any(loose_key(line) in self._written for line in search if not is_blank(line))

    def drop(self, region: Region) -> None:
        """Forget a region."""
        self._regions.remove(region)

    def working(self) -> Working:
        """The text with the regions so far written."""
        return Working(self)

    def replace(self, gone: tuple[Region, ...], new: Region) -> None:
        """Put `new`, which covers them, in place of `gone`."""
        self._regions = [region for region in self._regions if region not in gone]
        self.add(new)

    def flaw(self) -> tuple[Region, str] | None:
        """What the regions would do to bytes outside of them, taken together, and which one does it; None if nothing.

        U+FEFF that comes to stand first would be read as a byte order mark, and an LF right after a lone CR as one line
        end with it.
        """
        last = ""
        for first, end, region in self._edges():
            if not last and first == "\ufeff" and self._may_gain_mark:
                return region, "it would make U+FEFF the first character of the file; leave it out."
            if last == "\r" and first == "\n":
                return region, "it would put a line end LF right after a lone CR, which would make one line end of two."
            last = end
        return None

    def _edges(self) -> Iterator[tuple[str, str, Region]]:
        """First and last character of every piece of the new text, and the region that it is, or that is next to it."""
        text, at = self.source.text, 0
        for region in self._regions:
            if region.start > at:
                yield text[at], text[region.start - 1], region
            if region.text:
                yield region.text[0], region.text[-1], region
            at = region.end
        if self._regions and at < len(text):
            yield text[at], text[-1], self._regions[-1]

    @property
    def _may_gain_mark(self) -> bool:
        return self.source.encoding.startswith("utf") and not self.source.text.startswith("\ufeff")

    def data(self) -> bytes:
        """The file's new bytes; all outside the regions is the old bytes. Raises `UnicodeEncodeError`."""
        source = self.source
        pieces: list[bytes | memoryview] = []
        at = 0
        old = memoryview(self._before)
        offset = len(source.bom)
        pieces.append(old[:offset])
        for region in self._regions:
            until = offset + self._size(at, region.start)
            pieces += (old[offset:until], region.text.encode(source.encoding))
            offset = until + self._size(region.start, region.end)
            at = region.end
        pieces.append(old[offset:])
        return b"".join(pieces)

    def _size(self, start: int, end: int) -> int:
        if self.source.text.isascii() and self.source.encoding == "utf-8":
            return end - start
        return len(self.source.text[start:end].encode(self.source.encoding))


class Working:
    """A file's text as the blocks so far leave it, for a block that builds on an earlier one."""

    def __init__(self, plan: FilePlan) -> None:
        self._plan = plan
        text = plan.source.text
        pieces: list[str] = []
        at = 0
        for region in plan.regions:
            pieces += (text[at : region.start], region.text)
            at = region.end
        pieces.append(text[at:])
        self._starts = list(accumulate(map(len, pieces), initial=0))
        self.document = Document("".join(pieces))

    def touched(self, start: int, end: int) -> tuple[Region, ...]:
        """The regions whose new text shares something with characters `start` to `end` of the working text."""
        found: list[Region] = []
        for number, region in enumerate(self._plan.regions):
            left, right = self._starts[2 * number + 1], self._starts[2 * number + 2]
            if (left < end and start < right) or (left == right and start < left < end):
                found.append(region)
        return tuple(found)

    def rewrite(self, start: int, end: int, new: str, owner: int) -> None:
        """Write `new` over characters `start` to `end` of the working text, which touch at least one region."""
        touched = self.touched(start, end)
        regions = self._plan.regions
        first, last = regions.index(touched[0]), regions.index(touched[-1])
        left, right = self._starts[2 * first + 1], self._starts[2 * last + 2]
        text = self.document.text
        owners = tuple(key for region in touched for key in region.owners)
        old_start = touched[0].start - max(0, left - start)
        old_end = touched[-1].end + max(0, end - right)
        whole = text[min(left, start) : start] + new + text[end : max(right, end)]
        self._plan.replace(touched, Region(old_start, old_end, whole, (*owners, owner)))
