"""Runs under way, and which files each of them holds (SPEC L15, L18)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.lsp.places import Place
from compile_loop.lsp.rpc import Refused


@dataclass(eq=False)
class ActiveRun:
    """One run from the moment it was asked for. Once `cancelled`, whatever it still says is dropped."""

    run_id: str
    place: Place
    held: set[Path]
    """Files that it may write, links resolved; of a run over a folder, the folder."""
    on_cancel: list[Callable[[], None]] = field(default_factory=list)
    cancelled: bool = False

    def cancel(self) -> None:
        """Stop it, in whatever state it is."""
        if self.cancelled:
            return
        self.cancelled = True
        for call in self.on_cancel:
            call()

    def when_cancelled(self, call: Callable[[], None]) -> None:
        """Have `call` made when the run is cancelled, or now if it is already."""
        if self.cancelled:
            call()
        else:
            self.on_cancel.append(call)

    def holds(self, paths: Iterable[Path]) -> Path | None:
        """The first of `paths`, links resolved, that this run may write."""
        if not self.place.targets:
            root = self.place.root.resolve()
            return next((path for path in paths if path.is_relative_to(root)), None)
        return next((path for path in paths if path in self.held), None)


class Runs:
    """The registry. `changed` is called with the ids of the runs under way whenever that set changes."""

    def __init__(self, changed: Callable[[list[str]], None]) -> None:
        self._active: dict[str, ActiveRun] = {}
        self._changed = changed
        self.begun: set[str] = set()
        """Ids of all runs since the server started."""

    @property
    def ids(self) -> list[str]:
        """Runs under way that were not cancelled."""
        return [run.run_id for run in self.active]

    @property
    def active(self) -> list[ActiveRun]:
        """The runs of `ids`."""
        return [run for run in self._active.values() if not run.cancelled]

    def admit(self, place: Place) -> ActiveRun:
        """Register a run. Raises `Refused` where another holds one of its files."""
        run = ActiveRun(uuid.uuid4().hex[:12], place, {path.resolve() for path in place.targets or (place.root,)})
        for other in self._others(run):
            file = other.holds(run.held) or (None if place.targets else run.holds(other.held))
            if file is not None:
                raise Refused(_held(file, place.root, other.run_id))
        self._active[run.run_id] = run
        self.begun.add(run.run_id)
        run.when_cancelled(self._tell)
        self._tell()
        return run

    def claim(self, run: ActiveRun, paths: Iterable[Path]) -> str | None:
        """Let a run hold further files; a sentence where another run holds one of them."""
        wanted = {path.resolve() for path in paths} - run.held
        for other in self._others(run):
            file = other.holds(wanted)
            if file is not None:
                return _held(file, run.place.root, other.run_id)
        run.held.update(wanted)
        return None

    def finished(self, run: ActiveRun) -> None:
        """Forget a run whose last process is gone."""
        if self._active.pop(run.run_id, None) is not None:
            self._tell()

    def cancel(self, run_id: str | None) -> list[str]:
        """Cancel one run, or all; returns the ids of those that were still going."""
        stopped = [run for run in self._active.values() if not run.cancelled and run_id in (None, run.run_id)]
        for run in stopped:
            run.cancel()
        return [run.run_id for run in stopped]

    def _others(self, run: ActiveRun) -> list[ActiveRun]:
        return [other for other in self._active.values() if other is not run and not other.cancelled]

    def _tell(self) -> None:
        self._changed(self.ids)


def _held(file: Path, root: Path, run_id: str) -> str:
    root = root.resolve()
    name = file.relative_to(root).as_posix() if file.is_relative_to(root) and file != root else file.name
    return f"{name} is being fixed by run {run_id} already. Wait for it, or stop it first."
