"""No copy.

Files are written where they are, for callers who ask for it, with a journal that puts them back (SPEC W1, P1). What
somebody else writes into them meanwhile stays: an edit is laid over it, or refused (SPEC W3).
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from compile_loop.contracts.protected import Marks
from compile_loop.contracts.protocols import LARGEST_SHOWN, ShadowError, Sight
from compile_loop.edits.hunks import file_change
from compile_loop.edits.rebase import Conflict, rebase
from compile_loop.edits.text import UndecodableError
from compile_loop.shadow.full_disk import why
from compile_loop.shadow.journal import Journal, is_write_protected, recover, replace_file
from compile_loop.shadow.namespaces.looking import look
from compile_loop.shadow.sight import sight_of


@dataclass(slots=True)
class _Known:
    """A file that the run has read or written: its bytes before, and those the run wants in it now."""

    before: bytes | None
    meant: bytes | None
    shared: bool = False
    """Somebody else's work lies in it beside the run's."""


class InPlaceShadow:
    """The user's own tree as the place where edits are tried. `journals` is the folder for originals."""

    isolation = "none: files are written in place, with a journal"

    def __init__(self, root: Path, journals: Path) -> None:
        self._root = root
        self._journals = journals
        self._journal = Journal(journals)
        self._files: dict[str, _Known] = {}
        self._written: dict[str, None] = {}

    @property
    def root(self) -> str:
        """The workspace's absolute path."""
        return str(self._root)

    async def open(self) -> None:
        """Put back what a crashed run left, if any did."""
        recover(self._journals)

    async def renew(self, changes: dict[str, bytes | None]) -> None:
        """A clean start is not to be had in place; `changes` are made sure of."""
        for path, data in changes.items():
            await self.write(path, data)

    async def read(self, path: str) -> bytes | None:
        """A file's bytes."""
        return self.peek(f"{self._root}/{path}")

    async def original(self, path: str) -> bytes | None:
        """The file as it is: a check's own writing cannot be told from the user's here."""
        data = self.peek(f"{self._root}/{path}")
        self._files.setdefault(path, _Known(data, data))
        return data

    async def write(self, path: str, data: bytes | None) -> None:
        """Set a file's bytes, its original kept, over what somebody else wrote meanwhile.

        Raises `ShadowError`, also where both changed the same lines.
        """
        self._set(path, data)

    async def set_caches_apart(self) -> None:
        """Checks see the caches themselves here."""

    @asynccontextmanager
    async def aside(self) -> AsyncIterator[None]:
        """What is written stays: there is no copy."""
        yield

    async def close(self) -> None:
        """The caller decides what stays; see `restore`, `settle` and `keep`."""

    def restore(self) -> list[str]:
        """Take the run's edits back, and leave what others wrote; returns the files where the edit could not be told apart."""
        left = self._settle({}, [path for path in self._written if self._is_shared(path)])
        self._journal.restore_ours()
        for path in self._written:
            if path not in left:
                self._files[path].meant = self._files[path].before
        self._journal.discard()
        return left

    def settle(self, wanted: Mapping[str, bytes | None]) -> list[str]:
        """Leave `wanted` in the files that the run wrote, and take all else of it back; returns files as `restore` does."""
        left = self._settle(wanted, list(self._written))
        self._journal.discard()
        return left

    def keep(self) -> None:
        """Leave the files as they are now."""
        self._journal.discard()

    @property
    def modified(self) -> list[str]:
        """Files that hold something of the run."""
        return [path for path in self._written if self._files[path].meant != self._files[path].before]

    def _settle(self, wanted: Mapping[str, bytes | None], paths: Sequence[str]) -> list[str]:
        left = []
        for path in paths:
            try:
                self._set(path, wanted.get(path, self._files[path].before))
            except ShadowError:
                left.append(path)
        return left

    def _is_shared(self, path: str) -> bool:
        return self._files[path].shared or self.peek(str(self._root / path)) != self._files[path].meant

    def _set(self, path: str, data: bytes | None) -> None:
        place = self._root / path
        now = self.peek(str(place))
        known = self._files.setdefault(path, _Known(now, now))
        if data == known.meant:
            return
        try:
            if now != known.meant or known.shared:
                self._lay_over(place, path, known, data, now)
            else:
                self._written[path] = None
                self._journal.write(place, data)
        except OSError as error:
            raise ShadowError(f"The file could not be written: {why(error, place)}.") from error
        self._written[path] = None
        known.meant = data

    def _lay_over(self, place: Path, path: str, known: _Known, data: bytes | None, now: bytes | None) -> None:
        """Write the step from what the run meant to `data` into a file that somebody else has changed since."""
        known.shared = True
        self._journal.release(place)
        try:
            laid = rebase(file_change(path, known.meant, data), now)
        except UndecodableError as error:
            raise ShadowError(f"{path} was changed while the run went on, and is left as it is: {error}.") from error
        if isinstance(laid, Conflict):
            raise ShadowError(f"{laid.sentence} It is left as it is.")
        if laid.after == now:
            return
        if laid.after is None:
            place.resolve().unlink(missing_ok=True)
        elif is_write_protected(place):
            raise ShadowError(f"{place} is write-protected. Make it writable first")
        else:
            replace_file(place.resolve(), laid.after)

    def command(self, argv: Sequence[str], cwd: str) -> tuple[list[str], str]:
        """Commands run as they are, in the user's tree."""
        return list(argv), str(self._root / cwd)

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """A command's variables as they are."""
        return dict(variables)

    def changed_underneath(self) -> Sequence[str]:
        """Files that hold something else than the run read or wrote."""
        return [path for path, known in self._files.items() if self.peek(str(self._root / path)) != known.meant]

    async def marks(self, concerns: Callable[[str], bool]) -> Marks:
        """There is no copy to compare with the user's tree."""
        return {}

    async def watch(self, paths: Sequence[str]) -> bool:
        """The user may write here as well as a check."""
        return False

    async def written(self) -> frozenset[str]:
        """Nothing is watched."""
        return frozenset()

    async def watch_arrivals(self) -> None:
        """The user may put files here as well as a check."""

    async def arrivals(self) -> frozenset[str]:
        """Nothing is watched."""
        return frozenset()

    def user_text(self, text: str) -> str:
        """Paths are the user's already."""
        return text

    def peek(self, path: str) -> bytes | None:
        """What a tool sees at an absolute path."""
        try:
            return Path(path).read_bytes() if Path(path).is_file() else None
        except OSError:
            return None

    def look(self, path: str) -> Sight:
        """What lies at a workspace-relative path, and where its links lead."""
        return sight_of(look(os.fsencode(self._root / path), LARGEST_SHOWN), self._root.resolve(), self._root)

    def find(self, name: str) -> list[str]:
        """Nothing is searched for: callers name their files."""
        return []
