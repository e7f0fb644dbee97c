"""Results of finished runs: kept for preview and acceptance, and told to the client."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from compile_loop.contracts.counting import count, went
from compile_loop.contracts.edits import Edit, FileChange
from compile_loop.contracts.outcome import Ending, Outcome
from compile_loop.edits.text import SourceText, UndecodableError, decode
from compile_loop.lsp.protocol import CONTENT_SCHEME, ChangedFile, Hunk, RunResult, SpendingInfo
from compile_loop.lsp.snapshot import Buffer

if TYPE_CHECKING:
    from compile_loop.assemble import Job
    from compile_loop.engine.handle import Run

KEPT = 20


@dataclass(eq=False)
class Result:
    """What a run came to, with the editor's buffers as they were when it was asked for."""

    run_id: str
    root: Path
    outcome: Outcome
    buffers: Mapping[Path, Buffer]
    notes: tuple[str, ...] = ()
    job: Job | None = None
    """What the run was made of, to verify the edit again with."""
    accepted: set[str] = field(default_factory=set)
    """Paths that are in the editor already."""
    replaced: dict[str, FileChange] = field(default_factory=dict)
    """Changes that stand for the run's own, by path: from a text that the user has typed meanwhile (SPEC W3)."""
    settled: bool = False
    """Whether the user has decided."""
    asked_about: bool = False
    """Whether a question on it is open."""
    run: Run | None = None
    """The run itself, for those who go on with it (SPEC L19)."""

    @property
    def waits(self) -> bool:
        """Whether there is an edit to decide on."""
        return bool(self.edit) and not self.settled

    @property
    def edit(self) -> Edit:
        """The changes."""
        files = self.outcome.edit.files
        return (
            Edit(tuple(self.replaced.get(change.path, change) for change in files))
            if self.replaced
            else self.outcome.edit
        )

    def replace(self, change: FileChange) -> None:
        """Let a change stand for the run's own of this file."""
        self.replaced[change.path] = change

    def path(self, change: FileChange) -> Path:
        """Where a change lies on disk."""
        return self.root / change.path

    def uri(self, change: FileChange) -> str:
        """A changed file's URI, as the client spells it where it has the file open."""
        path = self.path(change)
        return self.buffers[path].uri if path in self.buffers else path.as_uri()


class Results:
    """The newest results, by run id. `changed` is told how many wait for a decision."""

    def __init__(self, changed: Callable[[int], None] = lambda _waiting: None) -> None:
        self._results: OrderedDict[str, Result] = OrderedDict()
        self._changed = changed

    @property
    def waiting(self) -> list[Result]:
        """Results with an edit that is neither applied nor discarded, newest first."""
        return [result for result in reversed(self._results.values()) if result.waits]

    @property
    def all(self) -> list[Result]:
        """Every result that is kept, newest first."""
        return list(reversed(self._results.values()))

    def tell(self) -> None:
        """Say how many wait now."""
        self._changed(len(self.waiting))

    def add(self, result: Result) -> None:
        """Keep a result; the oldest beyond twenty goes."""
        self._results[result.run_id] = result
        while len(self._results) > KEPT:
            self._results.popitem(last=False)
        self.tell()

    def get(self, run_id: str) -> Result | None:
        """A result that is still kept."""
        return self._results.get(run_id)

    def drop(self, run_id: str) -> bool:
        """Forget a result; whether there was one."""
        dropped = self._results.pop(run_id, None) is not None
        self.tell()
        return dropped


def describe(result: Result) -> RunResult:
    """A result for the client."""
    outcome, tally = result.outcome, result.outcome.tally
    return RunResult(
        run_id=result.run_id,
        ending=outcome.ending.value,
        failure=outcome.failure.kind.value if outcome.failure else None,
        message=sentence(outcome),
        explanation=tally.explanation,
        rounds=tally.rounds,
        errors_before=tally.errors_before,
        errors_after=tally.errors_after,
        remaining=len(tally.remaining),
        exit_code=tally.exit_code,
        files=[_changed_file(result, change) for change in outcome.edit.files],
        spending=SpendingInfo(
            calls=tally.spending.calls,
            prompt_tokens=tally.spending.prompt_tokens,
            completion_tokens=tally.spending.completion_tokens,
            estimated=tally.spending.estimated,
            wall_seconds=tally.spending.wall_seconds,
            cost=tally.spending.cost,
        ),
        suspicious=[*tally.suspicious, *tally.suspect],
        suspect=list(tally.suspect),
        notes=list(result.notes),
    )


def sentence(outcome: Outcome, *, applied: bool = False) -> str:
    """How a run ended, in a sentence or two; a fix is only found until it is applied."""
    tally, files = outcome.tally, len(outcome.edit.files)
    if outcome.failure is not None:
        better = tally.errors_after < tally.errors_before
        partial = f" A partial result is there ({went(tally.errors_before, tally.errors_after)})."
        return outcome.failure.message + (partial if files and better else "")
    if outcome.ending is Ending.NOTHING_TO_FIX:
        said = f"Nothing to fix: {'no error lies in these files' if tally.exit_code else 'the check passes already'}."
    elif outcome.ending is Ending.NO_CHANGE_NOMINATED:
        said = "The model says that no change is needed. Please judge for yourself."
    else:
        rounds = f"in {count(tally.rounds, 'round')}"
        suggested = "the toolchain's own suggestions"
        gone = f"{count(tally.errors_before, 'error')} gone"
        if applied:
            said = f"Fixed {rounds if tally.rounds else f'by {suggested}'}: {gone}."
        else:
            how = rounds if tally.rounds else f"among {suggested}"
            said = f"Found a fix {how}: {gone}, {count(files, 'file')} to change."
    said += "".join(f" {unrun.sentence}" for unrun in tally.unrun)
    if tally.remaining:
        said += f" {count(len(tally.remaining), 'error')} elsewhere remain as before (exit code {tally.exit_code})."
    return said


def content_uri(result: Result, side: Literal["before", "after", "now"], change: FileChange) -> str:
    """The virtual document of one side of a change. Both have the file's path, so that they are shown as a change of it.

    `now` is the text that the user has there at this moment.
    """
    return f"{CONTENT_SCHEME}:/{quote(change.path)}?{result.run_id}/{side}"


def text_of(data: bytes | None, encoding: str) -> str:
    """A side's text for people, without its mark; nothing where the file does not exist on that side."""
    try:
        return decode(data or b"", encoding).text
    except UndecodableError:
        return (data or b"").decode(encoding, "replace")


def _changed_file(result: Result, change: FileChange) -> ChangedFile:
    kind: Literal["change", "create", "delete"] = "change"
    if change.before is None:
        kind = "create"
    elif change.after is None:
        kind = "delete"
    return ChangedFile(
        uri=result.uri(change),
        label=change.path,
        before_uri=content_uri(result, "before", change),
        after_uri=content_uri(result, "after", change),
        kind=kind,
        hunks=line_hunks(change),
    )


def line_hunks(change: FileChange) -> list[Hunk]:
    """A change's hunks in whole lines; those that share a line are one."""
    return [place for place, _ in line_groups(change)]


def line_groups(change: FileChange) -> list[tuple[Hunk, list[int]]]:
    """As `line_hunks`, each with the numbers of the change's own hunks in it."""
    before, after = _source(change.before, change.encoding), _source(change.after, change.encoding)
    found: list[tuple[Hunk, list[int]]] = []
    shift = 0
    for number, hunk in enumerate(change.hunks):
        b0, b1 = _lines(before, hunk.start, hunk.end)
        a0, a1 = _lines(after, hunk.start + shift, hunk.start + shift + len(hunk.new))
        shift += len(hunk.new) - (hunk.end - hunk.start)
        if found and b0 < found[-1][0].before_end:
            place, numbers = found[-1]
            found[-1] = (place.model_copy(update={"before_end": b1, "after_end": a1}), [*numbers, number])
        else:
            found.append((Hunk(before_start=b0, before_end=b1, after_start=a0, after_end=a1), [number]))
    return found


def _source(data: bytes | None, encoding: str) -> SourceText:
    """A side for counting lines; one byte a character where it is no text."""
    try:
        return decode(data or b"", encoding)
    except UndecodableError:
        return decode(data or b"", "latin-1")


def _lines(source: SourceText, start: int, end: int) -> tuple[int, int]:
    """The half-open range of lines that the bytes touch; empty where they are only a boundary between lines."""
    first, last = source.position_at(start), source.position_at(end)
    whole = last.character == 0 and first.character == 0
    return first.line, last.line + (0 if whole else 1)
