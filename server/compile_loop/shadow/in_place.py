"""No copy.

Files are written where they are, for callers who ask for it, with a journal that puts them back (SPEC W1, P1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from compile_loop.contracts.protected import Marks
from compile_loop.contracts.protocols import ShadowError
from compile_loop.shadow.journal import Journal, recover


class InPlaceShadow:
    """The user's own tree as the place where edits are tried. `journals` is the folder for originals."""

    isolation = "none: files are written in place, with a journal"

    def __init__(self, root: Path, journals: Path) -> None:
        self._root = root
        self._journals = journals
        self._journal = Journal(journals)

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
        return self.peek(f"{self._root}/{path}")

    async def write(self, path: str, data: bytes | None) -> None:
        """Set a file's bytes, its original kept. Raises `ShadowError`."""
        place = self._root / path
        if self.peek(str(place)) == data:
            return
        try:
            self._journal.write(place, data)
        except OSError as error:
            raise ShadowError(f"{place} could not be written: {error}.") from error

    async def close(self) -> None:
        """The caller decides what stays; see `restore` and `keep`."""

    def restore(self) -> None:
        """Put every file back as it was before the run."""
        self._journal.restore()
        self._journal.discard()

    def keep(self) -> None:
        """Leave the files as they are now."""
        self._journal.discard()

    def command(self, argv: Sequence[str], cwd: str) -> tuple[list[str], str]:
        """Commands run as they are, in the user's tree."""
        return list(argv), str(self._root / cwd)

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """A command's variables as they are."""
        return dict(variables)

    def changed_underneath(self) -> Sequence[str]:
        """Nothing lies underneath: the files are the user's."""
        return ()

    async def marks(self, concerns: Callable[[str], bool]) -> Marks:
        """There is no copy to compare with the user's tree."""
        return {}

    def user_text(self, text: str) -> str:
        """Paths are the user's already."""
        return text

    def peek(self, path: str) -> bytes | None:
        """What a tool sees at an absolute path."""
        try:
            return Path(path).read_bytes() if Path(path).is_file() else None
        except OSError:
            return None

    def find(self, name: str) -> list[str]:
        """Nothing is searched for: callers name their files."""
        return []
