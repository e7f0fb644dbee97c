"""The listener that writes a run down as it goes (SPEC R1)."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil

from compile_loop.contracts.edits import Edit, FileTexts
from compile_loop.contracts.events import (
    CheckFinished,
    Event,
    Pass,
    RoundFinished,
    RunFinished,
    RunStarted,
    TargetsChosen,
)
from compile_loop.contracts.outcome import Outcome
from compile_loop.edits.unified import unified_diff
from compile_loop.record import folder as at
from compile_loop.record.asked import Asked
from compile_loop.record.event_lines import described
from compile_loop.record.folder import Lines, RecordError, folder_name, make_folder, make_room, write_whole
from compile_loop.record.later import Later
from compile_loop.record.redact import Redactor
from compile_loop.record.report import ReportBuilder, mode_of
from compile_loop.record.resumable import can_be_resumed
from compile_loop.record.retention import prune
from compile_loop.record.store import SCHEMA, Store


class Recorder:
    """Writes one record below `runs`; the folder is made when the run starts.

    `about` goes into `run.json` as it is: engine, continued and resumed runs. Called with an event it may raise
    `RecordError`, after which it writes nothing more.
    """

    def __init__(
        self,
        runs: Path,
        asked: Asked,
        buffers: Mapping[str, bytes],
        redactor: Redactor,
        report: ReportBuilder,
        about: Mapping[str, Any],
    ) -> None:
        self._runs = runs
        self._asked = asked
        self._buffers = buffers
        self._redactor = redactor
        self._report = report
        self._about = about
        self._began = time.monotonic()
        self._events: Lines | None = None
        self._turns: Lines | None = None
        self._later = Later()
        self._trouble: RecordError | None = None
        self.folder: Path | None = None
        """Where the record lies, once the run has started."""

    def __call__(self, event: Event) -> None:
        """Write one event down. Raises `RecordError`."""
        if self._trouble is not None:
            raise self._trouble
        try:
            self._report.hear(event)
            if isinstance(event, RunStarted):
                self._start(event)
            if self._events is not None:
                self._write(event)
        except RecordError as error:
            raise self._cut_off(error) from error

    def turn(self, line: str) -> None:
        """Write one turn down, as the generator's own log gives it. Trouble is told with the next event."""
        if '"error": {' in line and (error := json.loads(line).get("error")) is not None:
            self._report.generator_error = str(error["message"])
        self._aside(lambda: self._turns.add(self._redactor.text(line)) if self._turns is not None else None)

    def recalled(self, texts: list[str]) -> None:
        """Write down what the repair memory gave, since prompts hold it."""
        self._aside(lambda: self._put(at.RECALLED, json.dumps(texts, ensure_ascii=False)))

    def settle(self) -> None:
        """Wait for what is written aside. Raises `RecordError`."""
        self._later.settle()

    def _aside(self, write: Callable[[], None]) -> None:
        if self._trouble is None and self._events is not None:
            try:
                write()
            except RecordError as error:
                self._cut_off(error)

    def _start(self, event: RunStarted) -> None:
        now = time.time()
        self.folder = make_folder(self._runs, folder_name(event.run_id, now))
        owner = psutil.Process()
        about = {
            "schema": SCHEMA,
            "id": event.run_id,
            **self._about,
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
            "owner": {"pid": owner.pid, "created": owner.create_time()},
            "mode": mode_of(event.model),
            "model": event.model,
            "isolation": event.isolation,
            "asked": self._asked.out(),
        }
        self._put(at.RUN, json.dumps(about, ensure_ascii=False, indent=1))
        self._keep_files("buffers", self._buffers)
        self._turns = Lines(self.folder / at.TURNS)
        self._events = Lines(self.folder / at.EVENTS)

    def _write(self, event: Event) -> None:
        value = described(event)
        if value is None or self._events is None:
            return
        line = json.dumps({"at": round(time.monotonic() - self._began, 3), **value}, ensure_ascii=False)
        self._events.add(f"{self._redactor.text(line)}\n")
        match event:
            case TargetsChosen():
                self._keep_files("originals", event.originals)
            case CheckFinished():
                self._keep_output(event)
            case RoundFinished():
                self._put(f"{at.ROUNDS}/{event.number}/diff.patch", _patch(event.edit))
            case RunFinished():
                self._finish(event.outcome)
            case _:
                pass

    def _keep_files(self, kind: str, files: FileTexts | Mapping[str, bytes]) -> None:
        """Files' bytes, as a tree, and which there were; null in the list: there was no such file."""
        assert self.folder is not None
        for path, data in files.items():
            if data is not None:
                write_whole(self.folder / at.FILES / kind / path, self._redactor.bytes(data))
        listed = {path: None if data is None else f"{kind}/{path}" for path, data in files.items()}
        self._put(f"{at.FILES}/{kind}.json", json.dumps(listed, ensure_ascii=False))

    def _keep_output(self, event: CheckFinished) -> None:
        if self.folder is None or event.in_pass in (Pass.MINIMISE, Pass.AGAIN):
            return
        place = {Pass.ROUND: f"{at.ROUNDS}/{event.round}", Pass.FINAL: at.FINAL}.get(event.in_pass, f"{at.ROUNDS}/0")
        folder = self.folder / place
        self._later.add(lambda: self._put_output(folder, event))

    def _put_output(self, folder: Path, event: CheckFinished) -> None:
        result = event.result
        how = "passes" if result.ok else f"fails, exit code {result.exit_code}"
        text = (
            f"== {result.check} ({event.in_pass.value}): {how}, {result.duration:.3f} s\n{result.stdout}{result.stderr}"
        )
        make_room(folder)
        lines = Lines(folder / "check.txt")
        try:
            lines.add(self._redactor.text(text if text.endswith("\n") else f"{text}\n"))
        finally:
            lines.close()

    def _finish(self, outcome: Outcome) -> None:
        self.settle()
        self._put(at.CANDIDATE, _patch(outcome.edit))
        self._keep_files("results", {change.path: change.after for change in outcome.edit.files})
        self._put(at.REPORT, json.dumps(self._report.document(outcome), ensure_ascii=False, indent=1))
        self._end(None)
        if (resumed := self._about.get("resumes")) and not can_be_resumed(outcome.failure):
            with contextlib.suppress(RecordError):
                Store(self._runs).by_id(resumed).mark_resumed(self._report.run_id)
        threading.Thread(target=prune, args=(self._runs,), name="record retention", daemon=True).start()

    def _put(self, name: str, text: str) -> None:
        assert self.folder is not None
        write_whole(self.folder / name, self._redactor.text(text).encode("utf-8", "backslashreplace"))

    def _cut_off(self, error: RecordError) -> RecordError:
        """The record stays as it is: the run is no longer under way in it, and can be resumed from there."""
        said = (
            f"This run is written down no further, and goes on: {error}. Make room there, or make the folder writable."
        )
        self._end(RecordError(said))
        if self.folder is not None:
            with contextlib.suppress(OSError):
                (self.folder / at.CUT_OFF).touch()
        assert self._trouble is not None
        return self._trouble

    def _end(self, trouble: RecordError | None) -> None:
        self._trouble = trouble
        self._later.close()
        for lines in (self._events, self._turns):
            if lines is not None:
                lines.close()
        self._events = self._turns = None


def _patch(edit: Edit) -> str:
    return "".join(unified_diff(change) for change in edit.files)
