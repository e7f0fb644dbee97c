"""The run's own book of its files: what they were, and what they are now in the shadow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compile_loop.contracts.edits import Edit
from compile_loop.contracts.protocols import Shadow
from compile_loop.edits.apply import Target
from compile_loop.edits.hunks import file_change
from compile_loop.edits.strange import strange_character
from compile_loop.edits.text import UndecodableError, decode

Changes = dict[str, "bytes | None"]


class WorkTree:
    """Targets with their bytes before the run and now. Only what an edit wrote counts; what a check wrote does not."""

    def __init__(self, shadow: Shadow, encodings: Mapping[str, str]) -> None:
        self._shadow = shadow
        self._encodings = encodings
        self._before: Changes = {}
        self._now: Changes = {}
        self._places: dict[str, str | None] = {}
        """Where each target lies, by the links that the user has."""
        self.before_last_edit: Changes = {}
        """What the files of the last write held before it; tells a stale SEARCH from a wrong one (SPEC E7)."""

    async def add(self, paths: Sequence[str]) -> None:
        """Read targets that are not known yet, as they were before any check ran."""
        for path in paths:
            if path not in self._before:
                await self._shadow.read(path)  # keeps it from changing with the user's tree
                self._before[path] = self._now[path] = await self._shadow.original(path)
                sight = self._shadow.look(path)
                self._places[path] = sight.place if sight.data == self._now[path] else path

    def rewritten(self) -> Changes:
        """Targets that a check has changed in the shadow, with what it made of them; None: no file, or a link elsewhere."""
        found = {path: self._own(path) for path in self._now}
        return {path: data for path, data in found.items() if data != self._now[path]}

    def _own(self, path: str) -> bytes | None:
        sight = self._shadow.look(path)
        return sight.data if sight.place == self._places[path] and not sight.another else None

    @property
    def targets(self) -> list[Target]:
        """Every target as it is now, for the matcher."""
        return [Target(path, data, self._encodings.get(path)) for path, data in self._now.items()]

    @property
    def originals(self) -> Changes:
        """Every target as it was before."""
        return dict(self._before)

    @property
    def changes(self) -> Changes:
        """Files that differ from before, with their bytes now."""
        return {path: data for path, data in self._now.items() if data != self._before[path]}

    def content(self, path: str) -> bytes | None:
        """A target's bytes now."""
        return self._now.get(path)

    def stays_text(self, path: str, data: bytes) -> bool:
        """Whether a file with these bytes is still a text, with no characters that only a program puts into one."""
        encoding = self._encodings.get(path)
        try:
            old, new = decode(self._now.get(path) or b"", encoding), decode(data, encoding)
        except UndecodableError:
            return False
        return strange_character(new.text, old.text) is None

    async def write(self, changed: Changes) -> None:
        """Set files to new bytes, here and in the shadow."""
        self.before_last_edit = {path: self._now.get(path) for path in changed}
        for path, data in changed.items():
            self._before.setdefault(path, None)
            self._now[path] = data
            await self._shadow.write(path, data)

    async def restore(self, changes: Changes) -> None:
        """Go back to the state in which exactly `changes` were made."""
        await self.write(
            {
                p: changes.get(p, self._before[p])
                for p, data in self._now.items()
                if data != changes.get(p, self._before[p])
            }
        )

    def edit(self, changes: Changes) -> Edit:
        """The edit that leads from the files before to `changes`."""
        return Edit(
            tuple(
                file_change(path, self._before[path], data, self._encodings.get(path))
                for path, data in sorted(changes.items())
                if data != self._before[path]
            )
        )
