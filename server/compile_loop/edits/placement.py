"""A block that has found its place: what it replaces with what, and the checks on its new text (SPEC E6, E8)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compile_loop.edits.blocks import Block, Reading
from compile_loop.edits.document import Document
from compile_loop.edits.locate import Located
from compile_loop.edits.match import Tier
from compile_loop.edits.omission import placeholder_lines
from compile_loop.edits.plan import Working
from compile_loop.edits.refusal import Reason
from compile_loop.edits.render import Unplaceable, render
from compile_loop.edits.result import Target
from compile_loop.edits.strange import strange_character


@dataclass(frozen=True, slots=True)
class Job:
    """A block to place: as parsed, or as one reading where it did not come from a text. `fragment`: the tool's strings."""

    index: int
    path: str
    block: Block | None = None
    reading: Reading | None = None
    fragment: tuple[str, str] | None = None

    @property
    def first_reading(self) -> Reading:
        """The given reading, else the one that divides the block at its first divider."""
        return self.reading or (self.block.readings[0] if self.block else Reading((), ()))


@dataclass(frozen=True, slots=True)
class Placed:
    """A job's place: the characters of each splice become its text. `line` is one-based; `before` is what stood there.

    With `working`, places count in the text that earlier blocks of the reply made, else in the file's.
    """

    job: Job
    reading: Reading
    tier: Tier
    line: int
    splices: tuple[tuple[int, int, str], ...]
    before: str = ""
    working: Working | None = None


class BlockError(Exception):
    """A block cannot be applied; `reason` is for the model."""

    def __init__(self, reason: Reason) -> None:
        super().__init__()
        self.reason = reason


def creation(job: Job, target: Target, text: str, *, allow_new_files: bool) -> Placed:
    """An empty SEARCH makes the whole file, where there is none or an empty one; `text` is the file's."""
    reading = job.first_reading
    if text:
        raise BlockError(
            f"its SEARCH is empty, which creates a file, but {job.path} has content. To insert lines, put a line of the "
            "file that stands next to the place in SEARCH, and the same line with the new ones in REPLACE."
        )
    if target.content is None and not allow_new_files:
        raise BlockError(f"{job.path} does not exist, and new files are not allowed in this run.")
    if target.content is not None and not reading.replace:
        raise BlockError(f"it changes nothing: {job.path} is empty already.")
    if job.block and len(job.block.readings) > 1:
        divider = "=" * job.block.width
        if divider in (reading.replace[0].strip(), reading.replace[-1].strip()):
            raise BlockError("it has its divider twice; send it with one.")
    new = "".join(line + "\n" for line in reading.replace).removeprefix("\ufeff")
    return Placed(job, reading, Tier.CREATE, 1, ((0, 0, new),))


def rendered(
    job: Job, document: Document, reading: Reading, location: Located, working: Working | None = None
) -> Placed:
    """The splices of a located block; a piece that keeps its lines is one too, as no other block may change them."""
    splices: list[tuple[int, int, str]] = []
    for piece in location.pieces:
        keeps = piece.search == piece.replace
        text = document.text[piece.place.start : piece.place.end] if keeps else render(document, piece, location.tier)
        if isinstance(text, Unplaceable):
            raise BlockError(f"{text.reason}.")
        splices.append((piece.place.start, piece.place.end, text))
    line = location.pieces[0].place.first + 1
    return Placed(job, reading, location.tier, line, tuple(splices), working=working)


def checked(placed: Placed, document: Document, encoding: str) -> Placed:
    """The same with `before` filled in.

    Raises `BlockError` for new text that leaves code out, that the file's encoding cannot hold, that has characters which no
    source text has, or that changes nothing.
    """
    path = placed.job.path
    for line in placeholder_lines(placed.reading.replace):
        if line not in document.stripped_lines and line not in map(str.strip, placed.reading.search):
            raise BlockError(
                f"the line {line[:200]!r} in REPLACE stands for code that is left out, and would delete it; send the code."
            )
    before = [document.text[start:end] for start, end, _ in placed.splices]
    for _, _, text in placed.splices:
        try:
            text.encode(encoding)
        except UnicodeEncodeError as error:
            bad = text[error.start]
            raise BlockError(
                f"{path} is stored as {encoding.upper()}, which cannot hold {bad!a} (U+{ord(bad):04X}) in REPLACE."
            ) from None
        if strange := strange_character(text, document.text):
            raise BlockError(
                f"it would put the character {strange} into {path}, which no source text holds. If the code needs it, "
                "write it as an escape of the language."
            )
    if placed.tier is not Tier.CREATE and before == [text for _, _, text in placed.splices]:
        raise BlockError("it changes nothing: the file has these lines already.")
    return replace(placed, before="".join(before))
