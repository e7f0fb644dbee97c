"""One run as the editor sees it: from the request to its result, with progress, events and diagnostics on the way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from compile_loop.contracts.diagnostics import Diagnostic, Range
from compile_loop.contracts.edits import Edit
from compile_loop.contracts.events import EditApplied, Event, RoundFinished, RunFinished, RunStarted, SuggestionApplied
from compile_loop.contracts.outcome import Failure, FailureKind, Outcome, Tally
from compile_loop.edits.text import UndecodableError, codec_name
from compile_loop.lsp import config, snapshot
from compile_loop.lsp.dialogs import Crossing, KeyGate, Questions
from compile_loop.lsp.keys import with_key, with_model
from compile_loop.lsp.lent_models import LentModels
from compile_loop.lsp.places import Place, file_of, refuse_absent
from compile_loop.lsp.progress import Progress
from compile_loop.lsp.protocol import RunParams
from compile_loop.lsp.results import Result, sentence
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.runs import ActiveRun
from compile_loop.narrator import Narrator

if TYPE_CHECKING:
    from compile_loop.assemble import Job
    from compile_loop.engine.handle import Run
    from compile_loop.lsp.host import LoopServer
    from compile_loop.lsp.ui import Ui
    from compile_loop.settings import Settings

log = logging.getLogger(__name__)
Listener = Callable[[Event, Narrator], None]
"""Called with each event and the narrator that follows the run."""
Make = Callable[["Job"], "Run"]
"""From a job to its run; called in a thread of its own. Without one a new run is begun."""


class Session:
    """Drives one admitted run. `listener` hears each event unless the run was cancelled."""

    def __init__(
        self,
        ls: LoopServer,
        run: ActiveRun,
        params: RunParams,
        listener: Listener | None = None,
        make: Make | None = None,
        title: str = "",
        *,
        quiet: bool = False,
    ) -> None:
        self._quiet = quiet
        self._make = make
        self._ls = ls
        self._run = run
        self._params = params
        self._listener = listener
        self._buffers = snapshot.take(ls.documents)
        self._publication = ls.publisher.open(run, self._buffers)
        self.title = title or _title(run.place)
        self._progress = Progress(ls, params.work_done_token, self.title, run.cancel)
        self._narrator = Narrator()
        self._stopper: str | None = None
        self._made: Run | None = None
        self.settings: Settings | None = None
        """As pulled for this run; None before."""

    async def go(self) -> Result:
        """Run to the end. Raises `Refused` where the run cannot start; a cancelled run ends with that outcome."""
        run, notes = self._run, list[str]()
        self._progress.begin()
        self._ls.status.line(run.run_id, self.title)
        run.when_cancelled(lambda: self._ended("$(circle-slash) Compile Loop: stopped"))
        try:
            job, notes = await self._job()
            for note in notes:
                log.warning("%s", note)
            outcome = await self._listen(job)
        except asyncio.CancelledError:
            run.cancel()
            raise
        except Refused:
            self._ls.publisher.clear_run(run.run_id)
            raise
        finally:
            self._progress.end()
            self._ls.status.ended(run.run_id)
        result = Result(run.run_id, run.place.root, outcome, self._buffers, tuple(notes), run=self._made, job=job)
        if not run.cancelled:
            self._ls.results.add(result)
            said = "$(error) Compile Loop: not fixed" if outcome.failure else f"$(check) {sentence(outcome)}"
            self._ls.status.ended(run.run_id, said)
        return result

    def _ended(self, note: str) -> None:
        self._progress.end("cancelled")
        self._ls.status.ended(self._run.run_id, note)

    async def _job(self) -> tuple[Job, list[str]]:
        """What to ask of the engine, with the editor's unsaved text."""
        params, place = self._params, self._run.place
        settings, why = await asyncio.to_thread(with_model, await config.pull(self._ls, place.root))
        settings = self.settings = await with_key(self._ls.ui, settings)
        if not settings.allow_new_files:
            refuse_absent(self._ls.documents, place.targets)
        told = told_encodings(params.encodings)
        unsaved = await asyncio.to_thread(snapshot.unsaved, place.root, self._buffers, told, place.targets)
        assemble = await asyncio.to_thread(_import_assemble)
        job = assemble.Job(
            root=place.root,
            targets=place.targets,
            settings=settings,
            scope=params.scope,
            checks=(params.check,) if params.check and params.check.strip() else (),
            spec=params.spec,
            buffers=unsaved.buffers,
            encodings=unsaved.encodings,
            reproduce=_reproduce(params, place.root.resolve()),
            model_reason=why,
        )
        if self._ls.ui.rich:
            from compile_loop.lsp.editor_fixes import EditorFixes

            crossing = Crossing()
            job = await asyncio.to_thread(_with_person, job, self._ls.ui, crossing, LentModels(self._ls))
            fixes = EditorFixes(self._ls.ui, self._ls.documents, crossing)
            job = replace(job, advisers=fixes, model_advice="“Compile Loop: Choose Model…” sets one.")
        if self._make is None:  # what is done once more has its check already
            from compile_loop.lsp.task_checks import with_tasks

            file = file_of(params.file) if params.file else None
            job = await with_tasks(self._ls.ui, job, params.task, file, quiet=self._quiet)
        return job, unsaved.notes

    async def _listen(self, job: Job) -> Outcome:
        """The run's events until its outcome. What it still clears away after that, nobody waits for but `shutdown`."""
        run, assemble = self._run, _import_assemble()

        def make() -> Run:
            made: Run = (self._make or assemble.start)(job)
            made.run_id = run.run_id  # one name for the run in the editor, in its record and in the log
            self._made = made
            return made

        background = self._ls.background.start(make)
        run.when_cancelled(background.cancel)
        outcome = _failed(FailureKind.CANCELLED, "Cancelled. Nothing was changed.")
        try:
            async for event in background:
                if not run.cancelled:
                    self._hear(event)
                if isinstance(event, RunFinished):
                    outcome = event.outcome
                    break
        except assemble.ConfigurationError as error:
            raise Refused(str(error)) from error
        return outcome if self._stopper is None else _failed(FailureKind.CONFIGURATION, self._stopper)

    def _hear(self, event: Event) -> None:
        self._ls.publisher.hear(self._publication, event)
        self._narrator.hear(event)
        self._progress.report(self._narrator.line)
        if self._narrator.line and not self._run.cancelled:
            self._ls.status.line(self._run.run_id, self._narrator.line)
        if self._listener is not None:
            self._listener(event, self._narrator)
        if isinstance(event, RunStarted | RoundFinished):
            self._ls.tree_changed()
        if isinstance(event, EditApplied | SuggestionApplied):
            self._hold(event.files if isinstance(event, EditApplied) else (event.file,))

    def _hold(self, files: Sequence[str]) -> None:
        """Hold files that joined the targets and are edited now, or stop where another run holds one (SPEC L18)."""
        root = self._run.place.root
        self._stopper = self._ls.runs.claim(self._run, [root / file for file in files])
        if self._stopper is not None:
            self._run.cancel()


def _with_person(job: Job, ui: Ui, crossing: Crossing, lent: LentModels) -> Job:
    """The job with somebody to ask, and with the editor's models (SPEC L12, L14, M1)."""
    from compile_loop.lsp.generator import KeyedGenerator

    settings = job.settings
    assemble = _import_assemble()
    try:
        generator = KeyedGenerator(settings, lent) if assemble.names_model(settings) else None
    except assemble.ConfigurationError as error:
        raise Refused(str(error)) from error
    gate = KeyGate(ui, settings, generator, crossing) if generator else None
    return replace(job, generator=generator, ask_user=Questions(ui, crossing), auth=gate)


def _title(place: Place) -> str:
    """What is done, for people: `fixing src/a.c`."""
    if not place.targets:
        return "fixing the workspace"
    first = place.targets[0]
    if len(place.targets) > 1:
        return f"fixing {len(place.targets)} files"
    return f"fixing {first.relative_to(place.root).as_posix() if first.is_relative_to(place.root) else first.name}"


def _import_assemble() -> ModuleType:
    """The engine with all its parts: the heaviest import, so it is made off the loop."""
    from compile_loop import assemble

    return assemble


def _failed(kind: FailureKind, message: str) -> Outcome:
    return Outcome.failed(Failure(kind, message), Edit(), Tally())


def told_encodings(encodings: Mapping[str, str]) -> dict[Path, str]:
    """The editor's word on encodings; a name that Python does not know is left out."""
    told: dict[Path, str] = {}
    for uri, name in encodings.items():
        try:
            codec_name(name)
            told[file_of(uri)] = name
        except (UndecodableError, Refused):
            log.warning("The encoding %r of %s is not known; it is detected instead.", name, uri)
    return told


def _reproduce(params: RunParams, root: Path) -> Diagnostic | None:
    """The diagnostic that the run was asked from, as the check would say it (SPEC Q1)."""
    asked = params.diagnostic
    if asked is None:
        return None
    path = file_of(asked.uri).resolve()
    return Diagnostic(
        message=asked.message,
        file=path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path),
        range=Range.of(asked.line, 0, asked.line, 0),
        code=None if asked.code is None else str(asked.code),
        source=asked.source or "",
    )
