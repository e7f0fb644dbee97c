"""The copy strategy: the workspace copied to a temporary folder. Works everywhere; costs a copy."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from compile_loop.contracts.protected import Marks
from compile_loop.contracts.protocols import LARGEST_SHOWN, ShadowError, Sight
from compile_loop.shadow.copying import CopyFile, copy_all, copy_tree
from compile_loop.shadow.dependencies import PACKAGE_FOLDERS
from compile_loop.shadow.full_disk import why
from compile_loop.shadow.guard import Guard
from compile_loop.shadow.marks import marks_below
from compile_loop.shadow.namespaces.arrivals import Arrivals, arrivals_in
from compile_loop.shadow.namespaces.looking import look
from compile_loop.shadow.namespaces.watching import Watch, watch_below
from compile_loop.shadow.places import new_folder, temporary_places
from compile_loop.shadow.removal import remove_tree
from compile_loop.shadow.renaming import Renaming
from compile_loop.shadow.sight import bytes_at, sight_of
from compile_loop.shadow.underneath import Underneath


class CopyShadow:
    """A copy of `root` with unsaved `buffers` (bytes by workspace-relative path) laid over it.

    `place` is the folder to copy to; the system's temporary folder where it is None. `guard` keeps checks from writing
    elsewhere.
    """

    _copy_file: CopyFile = staticmethod(shutil.copy2)
    _shares = False

    def __init__(
        self,
        root: Path,
        buffers: Mapping[str, bytes],
        *,
        place: Path | None = None,
        guard: Guard | None = None,
        isolation: str = "copy in a temporary folder",
    ) -> None:
        self.isolation = isolation
        self._root = root
        self._buffers = dict(buffers)
        self._place = place
        self._guard = guard
        self._underneath = Underneath(root)
        self._base: Path | None = None
        self._generation = 0
        self._watch: Watch | None = None
        self._arrivals: Arrivals | None = None
        self._watched: tuple[str, ...] = ()
        self._written: set[str] = set()
        self._aside = False
        self._stop = threading.Event()
        self._working: set[asyncio.Future[Any]] = set()

    @property
    def root(self) -> str:
        """The workspace's absolute path in the user's terms."""
        return str(self._root)

    @property
    def _copy(self) -> Path:
        if self._base is None:
            raise ShadowError("The isolated copy is not laid out yet.")
        return self._base / str(self._generation) / (self._root.name or "workspace")

    async def open(self) -> None:
        """Copy the workspace. Raises `ShadowError`."""
        self._stop.clear()
        await self._in_thread(self._lay_out, {})

    async def renew(self, changes: dict[str, bytes | None]) -> None:
        """Copy the workspace as it is now, and lay buffers that are still unsaved and `changes` over it."""
        await self._in_thread(self._lay_out, changes)

    async def read(self, path: str) -> bytes | None:
        """A file's bytes in the copy."""
        return await self._in_thread(self._read, path)  # type: ignore[no-any-return]

    async def original(self, path: str) -> bytes | None:
        """The unsaved text, else the file in the user's tree."""
        if path in self._buffers and not self._underneath.is_changed(path):
            return self._buffers[path]
        return await asyncio.to_thread(self._underneath.on_disk, path)

    async def write(self, path: str, data: bytes | None) -> None:
        """Set a file's bytes in the copy. A file that has these bytes keeps its time."""
        await self._in_thread(self._write, path, data)

    async def set_caches_apart(self) -> None:
        """Checks see the caches themselves here."""

    @asynccontextmanager
    async def aside(self) -> AsyncIterator[None]:
        """A copy of the copy in its place, and a temporary folder of its own; both are removed at the end.

        What a check writes to other temporary folders and to caches stays.
        """
        await self._in_thread(self._set_aside)
        try:
            yield
        finally:
            await self._in_thread(self._back)

    async def close(self) -> None:
        """Remove the copy."""
        self._stop.set()
        self._end_watch()
        if self._working:
            await asyncio.wait(self._working)
        if self._base is not None:
            await asyncio.to_thread(remove_tree, self._base)
            self._base = None

    def changed_underneath(self) -> tuple[str, ...]:
        """Files that were read and have since been changed in the user's tree (SPEC Q13)."""
        return self._underneath.changed()

    async def marks(self, concerns: Callable[[str], bool]) -> Marks:
        """Every such file of the copy."""
        return await self._in_thread(marks_below, self._copy, concerns)  # type: ignore[no-any-return]

    async def watch(self, paths: Sequence[str]) -> bool:
        """From now on, notice whether the bytes of these files are written; False where the system does not tell."""
        self._close_watch()
        self._watched, self._written = tuple(paths), set()
        self._begin_watch()
        return self._watch is not None

    async def written(self) -> frozenset[str]:
        """Those of the watched files whose bytes were written since."""
        self._note_written()
        return frozenset(self._written)

    def _begin_watch(self) -> None:
        self._watch = watch_below(os.fsencode(self._copy), map(os.fsencode, self._watched))

    def _note_written(self) -> None:
        self._written.update(map(os.fsdecode, self._watch.written() if self._watch is not None else ()))

    @contextmanager
    def _watching_others(self) -> Iterator[None]:
        """Afterwards the same paths are watched again, which are other files by then. Unwatched ones count as written."""
        watched = self._watch is not None
        self._note_written()
        self._close_watch()
        yield
        if watched:
            self._begin_watch()
            if self._watch is None:
                self._written.update(self._watched)

    async def watch_arrivals(self) -> None:
        """From now on, notice which files come into the copy."""
        self._end_arrivals()
        self._arrivals = await asyncio.to_thread(arrivals_in, os.fsencode(self._copy))

    async def arrivals(self) -> frozenset[str]:
        """Files that came since, also where they are gone again."""
        return frozenset(map(os.fsdecode, self._arrivals.seen() if self._arrivals is not None else ()))

    def _end_arrivals(self) -> None:
        if self._arrivals is not None:
            self._arrivals.close()
            self._arrivals = None

    def _end_watch(self) -> None:
        self._end_arrivals()
        self._close_watch()

    def _close_watch(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def command(self, argv: Sequence[str], cwd: str) -> tuple[list[str], str]:
        """Paths of the workspace in the command become the copy's; a guard, if there is one, comes first."""
        into = self._into_copy()
        command = [into.text(word) for word in argv]
        directory = into.text(os.path.normpath(self._root / cwd))
        return (self._guard.around(command, self._own_folder()) if self._guard else command), directory

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Paths of the workspace in a check's variables become the copy's; Python writes no caches into linked packages."""
        into = self._into_copy()
        moved = self._guard.variables(self._own_folder()) if self._guard else {}
        if self._aside:
            moved = {**moved, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(self._temporary))}
        mapped = {name: into.text(value) for name, value in variables.items()}
        return {"PYTHONDONTWRITEBYTECODE": "1", **mapped, **moved}

    def user_text(self, text: str) -> str:
        """The copy's paths, also as JSON and URLs write them, become the user's."""
        copy, root = str(self._copy), str(self._root)
        if copy in text:
            text = text.replace(copy, root)
        escaped = json.dumps(copy)[1:-1]
        if escaped in text:
            text = text.replace(escaped, json.dumps(root)[1:-1])
        return text

    def peek(self, path: str) -> bytes | None:
        """What a tool sees at a path given in the user's terms."""
        return bytes_at(self._inside(path))

    def look(self, path: str) -> Sight:
        """What lies at a workspace-relative path of the copy, and where its links lead; packages are the user's own."""
        found = look(os.fsencode(self._copy / path), LARGEST_SHOWN)
        place = Path(os.fsdecode(found[0]))
        if place.is_relative_to(self._root) and not PACKAGE_FOLDERS.isdisjoint(place.relative_to(self._root).parts):
            return sight_of(found, self._root, self._root)
        return sight_of(found, self._copy.resolve(), self._root)

    def find(self, name: str) -> list[str]:
        """Files of the copy whose path ends in `name`."""
        wanted = Path(name)
        found = (p for p in self._copy.rglob(wanted.name) if p.parts[-len(wanted.parts) :] == wanted.parts)
        return [str(self._root / p.relative_to(self._copy)) for p in sorted(found)]

    def _into_copy(self) -> Renaming:
        return Renaming(str(self._root), str(self._copy))

    def _own_folder(self) -> Path:
        assert self._base is not None
        return self._base

    def _inside(self, path: str) -> Path:
        given = Path(path)
        return self._copy / given.relative_to(self._root) if given.is_relative_to(self._root) else given

    @property
    def _temporary(self) -> Path:
        return self._own_folder() / "aside-tmp"

    @property
    def _kept(self) -> Path:
        return self._own_folder() / "aside-kept"

    def _set_aside(self) -> None:
        """Keep the copy as it is elsewhere, and put a copy of it in its place, so that paths in it stay right."""
        with self._watching_others():
            self._copy.rename(self._kept)
            try:
                copy_all(self._kept, self._copy, self._stop, type(self)._copy_file)
                self._temporary.mkdir()
            except BaseException:
                remove_tree(self._copy)
                self._kept.rename(self._copy)
                raise
            self._aside = True

    def _back(self) -> None:
        with self._watching_others():
            self._aside = False
            remove_tree(self._copy)
            remove_tree(self._temporary)
            self._kept.rename(self._copy)

    def _lay_out(self, changes: Mapping[str, bytes | None]) -> None:
        self._end_watch()
        if not self._root.is_dir():
            raise ShadowError(f"{self._root} is not there any more.")
        if self._base is None:
            self._base = new_folder(self._place or temporary_places()[0])
        old = self._base / str(self._generation)
        self._generation += 1
        remove_tree(old)
        copy_tree(self._root, self._copy, self._stop, type(self)._copy_file, shares=self._shares)
        if self._stop.is_set():
            return
        for path, data in self._buffers.items():
            self._underneath.note(path, data)
        unsaved = {path: data for path, data in self._buffers.items() if not self._underneath.is_changed(path)}
        for path, wanted in {**unsaved, **changes}.items():
            self._write(path, wanted)

    def _read(self, path: str) -> bytes | None:
        data = bytes_at(self._copy / path)
        self._underneath.note(path, data)
        return data

    def _write(self, path: str, data: bytes | None) -> None:
        place = self._copy / path
        if not place.parent.resolve().is_relative_to(self._copy.resolve()):
            raise ShadowError(f"{path} lies outside the workspace by a link and is not written.")
        try:
            if data is None:
                place.unlink(missing_ok=True)
                return
            if bytes_at(place) == data:
                return
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.is_symlink() and not place.resolve().is_relative_to(self._copy.resolve()):
                raise ShadowError(f"{path} is a link out of the workspace and is not written.")
            if place.exists() and not place.is_dir() and not place.is_file():
                place.unlink()  # a check put a pipe or a socket there: opening it would wait for ever
            place.write_bytes(data)
        except OSError as error:
            raise ShadowError(f"{path} could not be written in the isolated copy: {why(error, self._copy)}.") from error

    async def _in_thread(self, work: Any, *arguments: Any) -> Any:
        """Work in a thread that `close` can stop and wait for, since a cancelled await does not end it."""
        working = asyncio.get_running_loop().run_in_executor(None, work, *arguments)
        self._working.add(working)
        working.add_done_callback(self._working.discard)
        return await asyncio.shield(working)
