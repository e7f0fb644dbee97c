"""The run's diagnostics in the client's Problems (SPEC D4): as they come, with the run's id, and cleared when they are stale.

Only the first pass speaks about the text that the user sees; later passes are about the shadow's text and are told as events.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from compile_loop.contracts.diagnostics import Diagnostic, Range, Severity
from compile_loop.contracts.events import CheckFinished, CheckStarted, DiagnosticFound, Event, Pass
from compile_loop.edits.text import UndecodableError, decode
from compile_loop.lsp.documents import LineIndex
from compile_loop.lsp.snapshot import Buffer

if TYPE_CHECKING:
    from compile_loop.lsp.client import Client
    from compile_loop.lsp.runs import ActiveRun, Runs

log = logging.getLogger(__name__)
APART = 0.1
MOST = 1000
"""Diagnostics that are shown for one file; a flood is of no use to a reader."""
SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}
UTF16 = types.PositionEncodingKind.Utf16


@dataclass(frozen=True, slots=True)
class Shown:
    """What one run says about one file."""

    version: int | None
    diagnostics: list[types.Diagnostic]


@dataclass(eq=False)
class Publication:
    """What one run has published.

    `by_check` holds the findings of each check of the first pass, `gone` the files closed or deleted since it began.
    """

    run: ActiveRun
    buffers: dict[Path, Buffer]
    by_check: dict[str, list[Diagnostic]] = field(default_factory=lambda: defaultdict(list))
    first_pass: set[str] = field(default_factory=set)
    shown: dict[str, Shown] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    changed: bool = False
    over: bool = False
    sending: asyncio.Task[None] | None = None


class Publisher:
    """The server's own collection of diagnostics. Where several runs speak about a file, the newest is shown."""

    def __init__(self, ls: Client, runs: Runs) -> None:
        self._ls = ls
        self._runs = runs
        self._publications: dict[str, Publication] = {}

    def open(self, run: ActiveRun, buffers: dict[Path, Buffer]) -> Publication:
        """A new run clears what finished runs in its folder have shown; what it shows itself goes once it is cancelled."""
        going = self._runs.ids
        for other in list(self._publications.values()):
            if other.run.place.root == run.place.root and other.run.run_id not in going:
                self.clear_run(other.run.run_id)
        publication = self._publications[run.run_id] = Publication(run, buffers)
        run.when_cancelled(lambda: self.clear_run(run.run_id))
        return publication

    def hear(self, publication: Publication, event: Event) -> None:
        """Take note of an event, and publish soon."""
        if isinstance(event, CheckStarted):
            # A baseline that is run twice does not show its findings twice: the second time they come at its end.
            if event.in_pass is Pass.BASELINE and event.check not in publication.by_check:
                publication.first_pass.add(event.check)
            else:
                publication.first_pass.discard(event.check)
            return
        if isinstance(event, DiagnosticFound) and event.check in publication.first_pass:
            publication.by_check[event.check].append(event.diagnostic)
        elif isinstance(event, CheckFinished) and event.in_pass is Pass.BASELINE:
            publication.by_check[event.result.check] = list(event.result.diagnostics)
        else:
            return
        publication.changed = True
        if publication.sending is None:
            publication.sending = asyncio.create_task(self._send(publication))

    def shown(self, uri: str) -> set[tuple[int, str]]:
        """Line and message of everything that we show in a file."""
        return {
            (found.range.start.line, str(found.message))
            for publication in self._publications.values()
            for found in (publication.shown[uri].diagnostics if uri in publication.shown else ())
        }

    def clear_run(self, run_id: str) -> None:
        """Take back what a run has published."""
        publication = self._publications.pop(run_id, None)
        if publication is not None:
            publication.over = True
            self._refresh(publication.shown)

    def clear_file(self, uri: str) -> None:
        """A file was closed or deleted: nothing about it is shown any more."""
        was_shown = False
        for publication in self._publications.values():
            publication.gone.add(uri)
            was_shown |= publication.shown.pop(uri, None) is not None
        if was_shown:
            self._refresh([uri])

    def clear(self) -> None:
        """Take back everything."""
        for run_id in list(self._publications):
            self.clear_run(run_id)

    async def _send(self, publication: Publication) -> None:
        """Publish what changed, at most ten times a second."""
        while publication.changed and not publication.over:
            publication.changed = False
            by_file = _by_file(publication)
            texts = await self._texts(publication, set(by_file))
            if publication.over:
                break
            before = publication.shown
            publication.shown = {
                self._uri(publication, path): self._shown(publication, path, findings, texts)
                for path, findings in by_file.items()
                if self._uri(publication, path) not in publication.gone
            }
            self._refresh({**before, **publication.shown})
            await asyncio.sleep(APART)
        publication.sending = None

    def _refresh(self, uris: Iterable[str]) -> None:
        """Tell the client what is shown for these files now."""
        for uri in uris:
            said = [p.shown[uri] for p in self._publications.values() if uri in p.shown]
            newest = said[-1] if said else Shown(None, [])
            params = types.PublishDiagnosticsParams(uri, newest.diagnostics, newest.version)
            self._ls.text_document_publish_diagnostics(params)

    def _shown(
        self, publication: Publication, path: Path, findings: list[Diagnostic], texts: dict[Path, LineIndex]
    ) -> Shown:
        buffer = publication.buffers.get(path)
        converted = [self._convert(publication, found, texts.get(path), texts) for found in findings]
        return Shown(buffer.version if buffer else None, converted)

    def _uri(self, publication: Publication, path: Path) -> str:
        buffer = publication.buffers.get(path)
        return buffer.uri if buffer else path.as_uri()

    async def _texts(self, publication: Publication, paths: set[Path]) -> dict[Path, LineIndex]:
        """The texts in which positions count, needed only where the client does not count in UTF-16."""
        codec = self._ls.workspace.position_codec
        if codec.encoding == UTF16:
            return {}
        texts: dict[Path, LineIndex] = {}
        for path in paths:
            buffer = publication.buffers.get(path)
            text = buffer.text if buffer else await asyncio.to_thread(_text, path)
            texts[path] = LineIndex(text, codec)
        return texts

    def _convert(
        self, publication: Publication, found: Diagnostic, index: LineIndex | None, texts: dict[Path, LineIndex]
    ) -> types.Diagnostic:
        root = publication.run.place.root
        related = [
            types.DiagnosticRelatedInformation(
                types.Location(
                    self._uri(publication, root / other.file), _range(other.range, texts.get(root / other.file))
                ),
                other.message,
            )
            for other in found.related
            if other.file is not None
        ]
        data = {"runId": publication.run.run_id, "rendered": found.rendered}  # as `DiagnosticData`
        return types.Diagnostic(
            range=_range(found.range, index),
            message=found.message,
            severity=SEVERITIES[found.severity],
            code=found.code,
            code_description=types.CodeDescription(found.code_href) if found.code_href else None,
            source=found.source or None,
            related_information=related or None,
            data=data,
        )


def _by_file(publication: Publication) -> dict[Path, list[Diagnostic]]:
    """The findings by the file to show them on, not more than a reader can use."""
    by_name: dict[str | None, list[Diagnostic]] = defaultdict(list)
    for findings in publication.by_check.values():
        for found in findings:
            by_name[found.file].append(found)
    by_path: dict[Path, list[Diagnostic]] = {}
    for name, findings in by_name.items():
        path = _file(publication.run, name)
        if path is not None:
            by_path[path] = [*by_path.get(path, ()), *findings][:MOST]
    return by_path


def _file(run: ActiveRun, name: str | None) -> Path | None:
    """A finding's file: the first target where it names none; None where it lies outside the folder."""
    if name is None:
        return run.place.targets[0] if run.place.targets else None
    path = run.place.root / name  # an absolute path, which lies outside, stays as it is
    return path if path.is_relative_to(run.place.root) else None


def _range(found: Range, index: LineIndex | None) -> types.Range:
    """A tool's range, which counts in UTF-16, in the client's units."""
    start = types.Position(found.start.line, found.start.character)
    end = types.Position(found.end.line, found.end.character)
    if index is not None:
        start, end = index.from_utf16(start), index.from_utf16(end)
    return types.Range(start, end)


def _text(path: Path) -> str:
    try:
        return decode(path.read_bytes()).text
    except (OSError, UndecodableError):
        return ""
