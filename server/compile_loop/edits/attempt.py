"""One try at a reply: its blocks are located one after another, and then all land, or none does (SPEC E5, E6, Q10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from compile_loop.edits import refusal
from compile_loop.edits.blocks import Block, Reading
from compile_loop.edits.document import Document
from compile_loop.edits.fragment import find_fragment
from compile_loop.edits.hints import Context
from compile_loop.edits.indent import is_blank
from compile_loop.edits.linediff import common_runs
from compile_loop.edits.locate import Located, Location, Missing, locate
from compile_loop.edits.match import Tier
from compile_loop.edits.omission import placeholder_line
from compile_loop.edits.plan import FilePlan, Region, Working
from compile_loop.edits.reading import Unclear, choose
from compile_loop.edits.refusal import Reason
from compile_loop.edits.render import Unplaceable, render
from compile_loop.edits.result import Applied, BlockReport, HeldBlock, HeldBlocks, Refused, Target
from compile_loop.edits.text import UndecodableError, decode

MAX_FILE = 64 * 1024 * 1024
"""Bytes; a larger file is not edited."""
_LARGE = 8 * 1024 * 1024
"""Characters; in larger files one failed block gets closest lines and hints, the rest a sentence."""
_MAX_REWORK = 400_000_000
"""Characters that may be looked through for blocks that build on earlier ones."""


@dataclass(frozen=True, slots=True)
class Job:
    """A block to place: as parsed, or as one reading where it did not come from a text. `fragment`: the tool's strings."""

    index: int
    path: str
    block: Block | None
    reading: Reading | None = None
    fragment: tuple[str, str] | None = None
    held: HeldBlock | None = None


@dataclass(frozen=True, slots=True)
class _Placed:
    """A job's place: each splice's characters become its text. `working`: they count in the text as reworked so far."""

    job: Job
    reading: Reading
    tier: Tier
    line: int
    splices: tuple[tuple[int, int, str], ...]
    before: str
    working: Working | None = None


class _BlockError(Exception):
    def __init__(self, reason: Reason) -> None:
        super().__init__()
        self.reason = reason


class Attempt:
    """Takes blocks, then finishes once."""

    def __init__(
        self,
        targets: Sequence[Target],
        allow_new_files: bool,
        at_reply_start: Mapping[str, bytes | None],
        before_last_edit: Mapping[str, bytes | None],
        *,
        tool: bool = False,
    ) -> None:
        self._targets = {target.path: target for target in targets}
        self._allow_new_files = allow_new_files
        self._at_reply_start = at_reply_start
        self._before_last_edit = before_last_edit
        self._tool = tool
        self._plans: dict[str, FilePlan] = {}
        self._placed: dict[int, _Placed] = {}
        self._failed: list[tuple[int, str | None, Reason]] = []
        self._warnings: list[str] = []
        self._reworked = 0

    def admit_new(self, path: str) -> None:
        """Let a file that is no target, and does not exist, be created."""
        self._targets.setdefault(path, Target(path, None))

    def fail(self, index: int, path: str | None, reason: Reason) -> None:
        """Note a block that cannot be applied."""
        self._failed.append((index, path, reason))

    def take_held(self, block: HeldBlock) -> None:
        """Place a held block again, if its place is still as it was."""
        job = Job(block.index, block.path, None, Reading(block.search, block.replace), held=block)
        try:
            if not block.search:
                self.admit_new(block.path)
            placed = self._place(job)
            if placed.before != block.before:
                raise _BlockError("changed")
            self._land(placed, -1 - len(self._placed))
        except _BlockError:
            self._warnings.append(
                f"A block kept from an earlier reply (its block {block.index}, for {block.path}) was dropped: "
                "its place has changed since."
            )

    def take(self, job: Job) -> None:
        """Place a block of this reply, or note why not."""
        try:
            self._land(self._place(job), job.index)
        except _BlockError as fault:
            self.fail(job.index, job.path, fault.reason)

    def _plan(self, path: str) -> FilePlan:
        if path in self._plans:
            return self._plans[path]
        target = self._targets.get(path)
        if target is None:
            raise _BlockError(f"{path} is none of the files that may be edited.")
        data = target.content or b""
        if len(data) > MAX_FILE:
            raise _BlockError(f"{path} is too large to be edited ({len(data)} bytes; at most {MAX_FILE}).")
        try:
            plan = FilePlan(data, decode(data, target.encoding))
        except UndecodableError as error:
            raise _BlockError(f"{path} cannot be edited: {error}.") from None
        self._plans[path] = plan
        return plan

    def _place(self, job: Job) -> _Placed:
        plan = self._plan(job.path)
        first = job.reading or (job.block.readings[0] if job.block else Reading((), ()))
        if all(map(is_blank, first.search)):
            return self._create(job, plan, first)
        if not plan.source.text and not plan.regions:
            raise _BlockError(
                f"{job.path} is empty or does not exist, so SEARCH must be empty: REPLACE is then the new file."
            )
        reading, location = self._choose(job, plan.document)
        if reading.search == reading.replace:
            raise _BlockError(lambda _: refusal.no_op(plan.document, reading, location))
        if isinstance(location, Located):
            self._refuse_stale(job, plan, reading, location)
            self._refuse_twin(plan, reading, location)
        if job.fragment is not None:
            fragment = find_fragment(plan.document, *job.fragment, location)
            if isinstance(fragment, str):
                raise _BlockError(fragment)
            if fragment is not None:
                splices = ((fragment.start, fragment.end, fragment.text),)
                return self._checked(
                    job, plan, reading, _Placed(job, reading, Tier.FRAGMENT, fragment.line, splices, "")
                )
        if isinstance(location, Located):
            return self._checked(job, plan, reading, _rendered(job, plan.document, reading, location))
        if isinstance(location, Missing) and (placed := self._place_on_earlier(job, plan)):
            return self._checked(job, plan, placed.reading, placed)
        others = [(path, other) for path, other in self._targets.items() if path != job.path]
        context = Context(
            job.path,
            others,
            self._at_reply_start.get(job.path),
            self._before_last_edit.get(job.path),
            self._targets[job.path].encoding,
            self._tool,
        )
        raise _BlockError(lambda brief: refusal.not_located(plan.document, reading, location, context, brief=brief))

    def _choose(self, job: Job, document: Document) -> tuple[Reading, Location]:
        chosen = choose(document, job.block, job.reading)
        if isinstance(chosen, Unclear):
            raise _BlockError(chosen.reason)
        return chosen

    def _create(self, job: Job, plan: FilePlan, reading: Reading) -> _Placed:
        """An empty SEARCH makes the whole file, where there is none or an empty one."""
        target = self._targets[job.path]
        if plan.source.text:
            raise _BlockError(
                f"its SEARCH is empty, which creates a file, but {job.path} has content. To insert lines, put a line of the "
                "file that stands next to the place in SEARCH, and the same line with the new ones in REPLACE."
            )
        if target.content is None and not self._allow_new_files:
            raise _BlockError(f"{job.path} does not exist, and new files are not allowed in this run.")
        if target.content is not None and not reading.replace:
            raise _BlockError(f"it changes nothing: {job.path} is empty already.")
        if (
            job.block
            and len(job.block.readings) > 1
            and _divides(reading.replace[0], reading.replace[-1], job.block.width)
        ):
            raise _BlockError("it has its divider twice; send it with one.")
        text = "".join(line + "\n" for line in reading.replace)
        placed = _Placed(job, reading, Tier.CREATE, 1, ((0, 0, text),), "")
        return self._checked(job, plan, reading, placed)

    def _refuse_stale(self, job: Job, plan: FilePlan, reading: Reading, location: Located) -> None:
        """A tool call of the same reply may have changed the lines that the model means; then a twin is not meant."""
        start = self._at_reply_start.get(job.path)
        target = self._targets[job.path]
        if start is None or start == target.content:
            return
        try:
            document = Document(decode(start, target.encoding).text)
        except UndecodableError:
            return
        meant = locate(document, reading.search, reading.replace)
        if not isinstance(meant, Located):
            return
        moved = _moved_rows(document.lines, plan.document.lines)
        for then, now in zip(meant.pieces, location.pieces, strict=False):
            if moved(then.place.first, then.place.count) != now.place.first:
                raise _BlockError(
                    f"an edit that you made earlier in the same reply changed the lines {then.place.first + 1}–"
                    f"{then.place.first + then.place.count} that its SEARCH was written for."
                )

    def _refuse_twin(self, plan: FilePlan, reading: Reading, location: Located) -> None:
        """What an earlier block wrote matches exactly, and the file only loosely: which is meant is unsure."""
        if location.tier is Tier.EXACT or not plan.regions:
            return
        if plan.working().document.find_whole_lines(list(reading.search), 1):
            raise _BlockError(
                f"its SEARCH matches what an earlier block of this reply writes, and also line "
                f"{location.pieces[0].place.first + 1} of the file; copy more lines, so that it is clear which one is meant."
            )

    def _place_on_earlier(self, job: Job, plan: FilePlan) -> _Placed | None:
        """Place a block in what earlier blocks of the reply wrote, as it matches nowhere else."""
        if not plan.regions or self._reworked > _MAX_REWORK:
            return None
        working = plan.working()
        self._reworked += len(working.document.text)
        reading, location = self._choose(job, working.document)
        if not isinstance(location, Located) or len(location.pieces) > 1:
            return None
        place = location.pieces[0].place
        if not working.touched(place.start, place.end):
            return None
        return _rendered(job, working.document, reading, location, working)

    def _checked(self, job: Job, plan: FilePlan, reading: Reading, placed: _Placed) -> _Placed:
        """Refuse new text that leaves code out, that the file's encoding cannot hold, or that changes nothing."""
        document = placed.working.document if placed.working else plan.document
        known = (line for line in chain(reading.search, document.lines))
        if (line := placeholder_line(reading.replace, known)) is not None:
            raise _BlockError(
                f"the line {line!r} in REPLACE stands for code that is left out, and would delete it; send the code."
            )
        before: list[str] = []
        for start, end, text in placed.splices:
            before.append(document.text[start:end])
            try:
                text.encode(plan.source.encoding)
            except UnicodeEncodeError as error:
                bad = text[error.start]
                raise _BlockError(
                    f"{job.path} is stored as {plan.source.encoding.upper()}, which cannot hold {bad!r} (U+{ord(bad):04X}) "
                    "in REPLACE."
                ) from None
        if placed.tier is not Tier.CREATE and before == [text for _, _, text in placed.splices]:
            raise _BlockError("it changes nothing: the file has these lines already.")
        return _Placed(job, reading, placed.tier, placed.line, placed.splices, "".join(before), placed.working)

    def _land(self, placed: _Placed, key: int) -> None:
        """Write a placed block into its file's plan; one kept from earlier gives way to a new one in the same place."""
        plan = self._plan(placed.job.path)
        if placed.working is not None:
            (start, end, text), *_ = placed.splices
            placed.working.rewrite(start, end, text, key)
        else:
            for start, end, _ in placed.splices:
                while (region := plan.overlapping(start, end)) is not None:
                    if key < 0 or any(owner >= 0 for owner in region.owners):
                        owner = max(region.owners)
                        raise _BlockError(
                            f"it overlaps block {owner}, which changes some of the same lines of {placed.job.path}: "
                            "send one block that makes both changes, and it takes the place of the other."
                        )
                    plan.drop(region)
                    for owner in region.owners:
                        self._supersede(owner, placed)
            for start, end, text in placed.splices:
                plan.add(Region(start, end, text, (key,)))
        self._placed[key] = placed

    def _supersede(self, key: int, by: _Placed) -> None:
        old = self._placed.pop(key, None)
        if old and (old.reading != by.reading):
            self._warnings.append(
                f"Block {by.job.index} took the place of one kept from an earlier reply (its block {old.job.index}, "
                f"for {old.job.path})."
            )

    def finish(self, *, truncated: bool) -> Applied | Refused:
        """All blocks' new contents, or the refusal that names what is wrong with which."""
        held = HeldBlocks(tuple(_hold(placed) for _, placed in sorted(self._placed.items()))) if self._placed else None
        done = [
            BlockReport(key, placed.job.path, True, placed.tier.value, placed.line)
            for key, placed in self._placed.items()
            if key >= 0
        ]
        if self._failed or truncated:
            large = any(len(plan.source.text) > _LARGE for plan in self._plans.values())
            return refusal.refused(
                done, self._failed, held, self._warnings, truncated=truncated, tool=self._tool, large=large
            )
        files: dict[str, bytes | None] = {}
        for path, plan in self._plans.items():
            if plan.regions:
                data = plan.data()
                if data != self._targets[path].content:
                    files[path] = data
        if not files:
            return refusal.simple("The blocks together change nothing.", reports=tuple(done))
        return Applied(files, tuple(sorted(done, key=lambda report: report.index)), tuple(self._warnings))


def _divides(first: str, last: str, width: int) -> bool:
    return "=" * width in (first.strip(), last.strip())


def _hold(placed: _Placed) -> HeldBlock:
    reading = placed.reading
    return HeldBlock(placed.job.path, reading.search, reading.replace, placed.before, placed.job.index)


def _rendered(
    job: Job, document: Document, reading: Reading, location: Located, working: Working | None = None
) -> _Placed:
    splices: list[tuple[int, int, str]] = []
    for piece in location.pieces:
        if piece.search == piece.replace:
            continue
        text = render(document, piece, location.tier)
        if isinstance(text, Unplaceable):
            raise _BlockError(f"{text.reason}.")
        splices.append((piece.place.start, piece.place.end, text))
    line = location.pieces[0].place.first + 1
    return _Placed(job, reading, location.tier, line, tuple(splices), "", working)


def _moved_rows(before: Sequence[str], after: Sequence[str]) -> Callable[[int, int], int | None]:
    """Where `count` unchanged rows from `first` are now; None where one of them changed."""
    runs = common_runs(before, after)

    def moved(first: int, count: int) -> int | None:
        return next((j + first - i for i, j, size in runs if i <= first and first + count <= i + size), None)

    return moved
