"""One try at a reply: its blocks are located one after another, and then all land, or none does (SPEC E5, E6, Q10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from compile_loop.edits import refusal
from compile_loop.edits.blocks import Reading
from compile_loop.edits.document import Document
from compile_loop.edits.fragment import find_fragment
from compile_loop.edits.hints import Context
from compile_loop.edits.indent import is_blank
from compile_loop.edits.locate import Located, Location, Missing
from compile_loop.edits.match import Tier
from compile_loop.edits.placement import BlockError, Job, Placed, checked, creation, rendered
from compile_loop.edits.plan import FilePlan, Region
from compile_loop.edits.reading import Unclear, choose
from compile_loop.edits.refusal import Reason
from compile_loop.edits.result import Applied, BlockReport, HeldBlock, HeldBlocks, Refused, Target
from compile_loop.edits.stale import StaleGuard
from compile_loop.edits.text import UndecodableError, decode

MAX_FILE = 64 * 1024 * 1024
"""Bytes; a larger file is not edited."""
_LARGE = 8 * 1024 * 1024
"""Characters; in larger files one failed block gets closest lines and hints, the rest a sentence."""
_MAX_WORK = 200_000_000
"""Lines that may be looked at, in one reply and file, for blocks whose every line stands in many places."""
_MAX_REWORK = 100_000_000
"""Characters that may be looked through, in one reply, for blocks that build on earlier ones."""


class Attempt:
    """Takes blocks, then finishes once."""

    def __init__(
        self,
        targets: Sequence[Target],
        *,
        allow_new_files: bool,
        at_reply_start: Mapping[str, bytes | None] | None = None,
        before_last_edit: Mapping[str, bytes | None] | None = None,
        tool: bool = False,
    ) -> None:
        self._targets = {target.path: target for target in targets}
        self._allow_new_files = allow_new_files
        self._guard = StaleGuard(at_reply_start or {})
        self._before_last_edit = before_last_edit or {}
        self._tool = tool
        self._plans: dict[str, FilePlan] = {}
        # Blocks of this reply have their index as key, those kept from earlier replies a negative one.
        self._placed: dict[int, Placed] = {}
        self._failed: list[tuple[int, str | None, Reason]] = []
        self._warnings: list[str] = []
        self._reworked = 0

    def admit_new(self, path: str) -> None:
        """Let a file that is no target, and does not exist, be created."""
        self._targets.setdefault(path, Target(path, None))

    def fail(self, index: int, path: str | None, reason: Reason) -> None:
        """Note a block that cannot be applied."""
        if len(self._failed) >= refusal.AT_LENGTH and not isinstance(reason, str):
            reason = reason(True)
        self._failed.append((index, path, reason))

    def take_held(self, block: HeldBlock) -> None:
        """Place a block kept from an earlier reply, if its place is still as it was."""
        try:
            placed = self._place(Job(block.index, block.path, reading=Reading(block.search, block.replace)))
            if placed.before != block.before:
                raise BlockError("its place has changed")
            self._land(placed, -1 - len(self._placed))
        except BlockError:
            self._warnings.append(
                f"A block kept from an earlier reply (its block {block.index}, for {block.path}) was dropped: "
                "its place has changed since."
            )

    def take(self, job: Job) -> None:
        """Place a block of this reply, or note why not."""
        try:
            self._land(self._place(job), job.index)
        except BlockError as error:
            self.fail(job.index, job.path, error.reason)

    def _plan(self, path: str) -> FilePlan:
        if path in self._plans:
            return self._plans[path]
        target = self._targets.get(path)
        if target is None:
            raise BlockError(f"{path} is none of the files that may be edited.")
        data = target.content or b""
        if len(data) > MAX_FILE:
            raise BlockError(f"{path} is too large to be edited ({len(data)} bytes; at most {MAX_FILE}).")
        try:
            plan = FilePlan(data, decode(data, target.encoding))
        except UndecodableError as error:
            raise BlockError(f"{path} cannot be edited: {error}.") from None
        self._plans[path] = plan
        return plan

    def _place(self, job: Job) -> Placed:
        plan = self._plan(job.path)
        target, document = self._targets[job.path], plan.document
        encoding = plan.source.encoding
        if all(map(is_blank, job.first_reading.search)):
            placed = creation(job, target, plan.source.text, allow_new_files=self._allow_new_files)
            return checked(placed, document, encoding)
        if not plan.source.text and not plan.regions:
            raise BlockError(
                f"{job.path} is empty or does not exist, so SEARCH must be empty: REPLACE is then the whole file."
            )
        if document.work > _MAX_WORK:
            raise BlockError(
                "the reply has too many blocks whose lines stand in many places; send fewer, with more context."
            )
        chosen = choose(document, job.block, job.reading)
        if isinstance(chosen, Unclear):
            raise BlockError(self._explained(job, document, chosen.reading, Missing(), chosen.reason))
        reading, location = chosen
        if reading.search == reading.replace:
            raise BlockError(lambda _: refusal.no_op(document, reading, location))
        if isinstance(location, Located):
            if why := self._guard.moved(target, document, reading, location):
                raise BlockError(why)
            self._refuse_twin(plan, reading, location)
        if job.fragment is not None:
            fragment = find_fragment(document, *job.fragment, location)
            if isinstance(fragment, str):
                raise BlockError(fragment)
            if fragment is not None:
                splices = ((fragment.start, fragment.end, fragment.text),)
                return checked(Placed(job, reading, Tier.FRAGMENT, fragment.line, splices), document, encoding)
        if isinstance(location, Located):
            return checked(rendered(job, document, reading, location), document, encoding)
        if isinstance(location, Missing):
            dependent = self._place_on_earlier(job, plan)
            if dependent is not None and dependent.working is not None:
                return checked(dependent, dependent.working.document, encoding)
        raise BlockError(self._explained(job, document, reading, location))

    def _explained(
        self, job: Job, document: Document, reading: Reading, location: Location, first: str = ""
    ) -> Callable[[bool], str]:
        """What makes the reason why a block is not located, once it is asked for."""
        context = Context(
            job.path,
            [(path, other) for path, other in self._targets.items() if path != job.path],
            self._guard.at_reply_start.get(job.path),
            self._before_last_edit.get(job.path),
            self._targets[job.path].encoding,
            self._tool,
        )

        def explain(brief: bool) -> str:
            if brief and first:
                return first
            told = refusal.not_located(document, reading, location, context, brief=brief)
            return f"{first}\nRead with the last of them as the divider, {told}" if first else told

        return explain

    def _refuse_twin(self, plan: FilePlan, reading: Reading, location: Located) -> None:
        """What an earlier block wrote matches exactly, and the file only loosely: which is meant is unsure."""
        if location.tier is Tier.EXACT or not plan.may_have_written(reading.search):
            return
        self._reworked += len(plan.source.text)
        if self._reworked > _MAX_REWORK or plan.working().document.find_whole_lines(list(reading.search), 1):
            raise BlockError(
                f"its SEARCH matches what an earlier block of this reply writes, and also line "
                f"{location.pieces[0].place.first + 1} of the file; copy more lines, so that it is clear which one is meant."
            )

    def _place_on_earlier(self, job: Job, plan: FilePlan) -> Placed | None:
        """Place a block in what earlier blocks of the reply wrote, as it matches nowhere else."""
        readings = job.block.readings if job.block else (job.first_reading,)
        if not any(plan.may_have_written(reading.search) for reading in readings):
            return None
        self._reworked += len(plan.source.text)
        if self._reworked > _MAX_REWORK:
            return None
        working = plan.working()
        chosen = choose(working.document, job.block, job.reading)
        if isinstance(chosen, Unclear):
            return None
        reading, location = chosen
        if not isinstance(location, Located) or len(location.pieces) > 1:
            return None
        place = location.pieces[0].place
        if not working.touched(place.start, place.end):
            return None
        return rendered(job, working.document, reading, location, working)

    def _land(self, placed: Placed, key: int) -> None:
        """Write a placed block into its file's plan; one kept from earlier gives way to a new one in the same place."""
        plan = self._plan(placed.job.path)
        if placed.working is not None:
            ((start, end, text),) = placed.splices
            placed.working.rewrite(start, end, text, key)
        else:
            there = [region for start, end, _ in placed.splices for region in plan.overlapping(start, end)]
            self._give_way(plan, {owner for region in there for owner in region.owners}, placed, key)
            for start, end, text in placed.splices:
                plan.add(Region(start, end, text, (key,)))
        self._placed[key] = placed

    def _give_way(self, plan: FilePlan, owners: set[int], placed: Placed, key: int) -> None:
        if not owners:
            return
        if key < 0 or max(owners) >= 0:
            raise BlockError(
                f"it overlaps block {max(owners)}, which changes some of the same lines of {placed.job.path}: "
                "send one block that makes both changes, and it takes the place of the other."
            )
        while gone := [region for region in plan.regions if owners & set(region.owners)]:
            owners |= {owner for region in gone for owner in region.owners}
            for region in gone:
                plan.drop(region)
        for old in [self._placed.pop(owner) for owner in sorted(owners, reverse=True)]:
            if old.reading != placed.reading:
                self._warnings.append(
                    f"Block {placed.job.index} took the place of one kept from an earlier reply (its block {old.job.index}, "
                    f"for {old.job.path})."
                )

    def finish(self, *, truncated: bool = False) -> Applied | Refused:
        """All blocks' new contents, or the refusal that names what is wrong with which."""
        self._refuse_flaws()
        done = [
            BlockReport(key, placed.job.path, True, placed.tier.value, placed.line)
            for key, placed in sorted(self._placed.items())
            if key >= 0
        ]
        if self._failed or truncated:
            large = any(len(plan.source.text) > _LARGE for plan in self._plans.values())
            return refusal.refused(
                done, self._failed, self._held(), self._warnings, truncated=truncated, tool=self._tool, large=large
            )
        files: dict[str, bytes | None] = {}
        for path, plan in self._plans.items():
            if plan.regions:
                data = plan.data()
                if data != self._targets[path].content:
                    files[path] = data
        if not files:
            return refusal.simple("The blocks together change nothing, so nothing was written.", reports=tuple(done))
        return Applied(files, tuple(done), tuple(self._warnings))

    def _refuse_flaws(self) -> None:
        """Fail the blocks by which, all taken together, bytes outside of them would be read otherwise."""
        for path, plan in self._plans.items():
            while plan.regions and (flaw := plan.flaw()) is not None:
                region, reason = flaw
                gone = [other for other in plan.regions if set(other.owners) & set(region.owners)]
                for other in gone:
                    plan.drop(other)
                for key in {owner for other in gone for owner in other.owners} & set(self._placed):
                    self.fail(self._placed.pop(key).job.index, path, reason)

    def _held(self) -> HeldBlocks | None:
        if not self._placed:
            return None
        # Those kept longest have the highest negative keys.
        order = sorted(self._placed, key=lambda key: (key >= 0, abs(key)))
        kept = [self._placed[key] for key in order]
        return HeldBlocks(
            tuple(
                HeldBlock(one.job.path, one.reading.search, one.reading.replace, one.before, one.job.index)
                for one in kept
            )
        )
