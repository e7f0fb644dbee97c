"""The overlay strategy (Linux): a writable layer over the workspace, on the same path, in private namespaces.

Nothing is copied; paths and build caches stay valid; the user's own tree is out of reach of every check (SPEC W1, Q13).
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from compile_loop.contracts.protected import AS_THE_USERS, FileMark, Marks
from compile_loop.contracts.protocols import LARGEST_SHOWN, ShadowError, Sight
from compile_loop.shadow.confinement import Confinement, temporary_folders
from compile_loop.shadow.copying import DAEMON_FILES
from compile_loop.shadow.full_disk import disk_of
from compile_loop.shadow.holding import Holding, program
from compile_loop.shadow.leftovers import end_inhabitants, label_of
from compile_loop.shadow.marks import files_below, mark_of
from compile_loop.shadow.places import new_folder
from compile_loop.shadow.removal import remove_tree
from compile_loop.shadow.repository import folders_outside
from compile_loop.shadow.sight import sight_of
from compile_loop.shadow.underneath import Underneath


@dataclass(frozen=True, slots=True)
class Layers:
    """Where an overlay's layers lie: below `place`, or, with `in_memory`, in memory that is mounted on a folder there."""

    place: Path
    in_memory: bool = False


def mount_plan(
    root: Path,
    base: Path,
    layers: Layers,
    confinement: Confinement | None,
    unseen: Sequence[Path] = (),
    *,
    asides: bool = False,
) -> dict[str, Any]:
    """What the holder is told to mount: the overlay on `root`, its layers in the folder `base` of ours.

    The folders among `unseen` are covered; files are the run's to take out of the workspace.
    """
    folders = confinement or Confinement(None, (), ())
    return {
        "root": os.fsencode(root),
        "base": os.fsencode(base),
        "label": label_of(base),
        "in_memory": layers.in_memory,
        "others": [os.fsencode(folder) for folder in folders_outside(root)],
        "confine": confinement is not None,
        "home": os.fsencode(folders.home) if folders.home is not None else b"",
        "open": [os.fsencode(place) for place in folders.open_places],
        "closed": [os.fsencode(folder) for folder in folders.closed_folders],
        "layered": [os.fsencode(folder) for folder in folders.layered],
        "asides": asides,
        "covered": [os.fsencode(place.resolve()) for place in unseen if place.is_dir()],
    }


class OverlayShadow:
    """An overlay on `root` with unsaved `buffers` (bytes by workspace-relative path) written into it."""

    def __init__(
        self,
        root: Path,
        buffers: Mapping[str, bytes],
        layers: Layers,
        confinement: Confinement | None,
        isolation: str = "overlay on the same path",
        unseen: Sequence[Path] = (),
        *,
        asides: bool = True,
    ) -> None:
        self.isolation = isolation
        self._root = root
        self._buffers = dict(buffers)
        self._layers = layers
        self._confinement = confinement
        self._unseen = tuple(unseen)
        self._asides = asides
        self._underneath = Underneath(root)
        self._base: Path | None = None
        self._holding: Holding | None = None
        self._flags = ""
        self._find_anew = True
        self._caches_apart = False
        self._aside = ""
        """The name of the layer that is thrown away in the end, while there is one."""
        self._removing: list[Thread] = []
        self._working: set[asyncio.Future[Any]] = set()

    @property
    def root(self) -> str:
        """The workspace's absolute path, the same inside."""
        return str(self._root)

    async def open(self) -> None:
        """Mount it, and write the unsaved buffers into it. Raises `ShadowError`."""
        await self._in_thread(self._mount, {})

    async def renew(self, changes: dict[str, bytes | None]) -> None:
        """Mount it anew over the tree as it is now, holding only buffers that are still unsaved and `changes`."""
        await self._in_thread(self._mount, changes)

    async def read(self, path: str) -> bytes | None:
        """A file's bytes; from now on it stays as it was read, whatever is saved underneath."""
        data: bytes | None = await self._in_thread(self._ask, "take", self._inside(path))
        await asyncio.to_thread(self._underneath.note, path, data)
        return data

    async def original(self, path: str) -> bytes | None:
        """The unsaved text, else the file in the user's tree."""
        if path in self._buffers and not self._underneath.is_changed(path):
            return self._buffers[path]
        return await asyncio.to_thread(self._underneath.on_disk, path)

    async def write(self, path: str, data: bytes | None) -> None:
        """Set a file's bytes; None removes it. A file that has these bytes keeps its time. Raises `ShadowError`."""
        await self._in_thread(self._write, path, data)

    async def set_caches_apart(self) -> None:
        """Lay a layer over each cache, now and at each `renew`: an edit's checks see the caches as they are now."""
        self._caches_apart = True
        await self._in_thread(self._seal)

    @asynccontextmanager
    async def aside(self) -> AsyncIterator[None]:
        """A layer over the workspace, temporary folders and caches, thrown away at the end."""
        await self._in_thread(self._set_aside)
        try:
            yield
        finally:
            await self._in_thread(self._back)

    async def close(self) -> None:
        """End what runs in it, and remove it."""
        if self._working:
            await asyncio.wait(self._working)
        await asyncio.to_thread(self._remove)

    def changed_underneath(self) -> tuple[str, ...]:
        """Files that were read and have since been changed in the user's tree (SPEC Q13)."""
        return self._underneath.changed()

    async def marks(self, concerns: Callable[[str], bool]) -> Marks:
        """Such files that a write in the copy has reached."""
        return await self._in_thread(self._marks, concerns)  # type: ignore[no-any-return]

    async def watch(self, paths: Sequence[str]) -> bool:
        """From now on, notice whether the bytes of these files are written; False where the system does not tell."""
        return await self._in_thread(self._ask, "watch", [os.fsencode(path) for path in paths])  # type: ignore[no-any-return]

    async def written(self) -> frozenset[str]:
        """Those of the watched files whose bytes were written since."""
        return frozenset(map(os.fsdecode, await self._in_thread(self._ask, "written")))

    async def watch_arrivals(self) -> None:
        """From now on, notice which files come into the copy."""
        await self._in_thread(self._ask, "watch arrivals")

    async def arrivals(self) -> frozenset[str]:
        """Files that came since, also where they are gone again."""
        return frozenset(map(os.fsdecode, await self._in_thread(self._ask, "arrivals")))

    def command(self, argv: Sequence[str], cwd: str) -> tuple[list[str], str]:
        """Enter the namespaces first; the directory is the user's own path."""
        self._ask("there")
        self._find_anew = True
        directory = os.path.normpath(self._root / cwd)
        flags = self._flags + ("i" if self._aside else "")
        started_in = directory if Path(directory).is_dir() else "/"
        return program("enter", str(self._held().pid), flags or "-", directory, *argv), started_in

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """A check's variables mean the same inside; Git may look for its folder beyond the overlay."""
        return {"GIT_DISCOVERY_ACROSS_FILESYSTEM": "1", **variables}

    def user_text(self, text: str) -> str:
        """Paths are the user's already."""
        return text

    def peek(self, path: str) -> bytes | None:
        """What a tool sees at an absolute path."""
        try:
            data: bytes | None = self._ask("read", os.fsencode(path))
        except (ShadowError, ValueError):
            return None
        return data

    def look(self, path: str) -> Sight:
        """What lies at a workspace-relative path inside, and where its links lead."""
        return sight_of(self._ask("look", self._inside(path), LARGEST_SHOWN), self._root, self._root)

    def find(self, name: str) -> list[str]:
        """Files of the workspace whose path ends in `name`."""
        found = self._ask("find", os.fsencode(name), self._find_anew)
        self._find_anew = False
        return sorted(os.fsdecode(path) for path in found)

    def _held(self) -> Holding:
        if self._holding is None:
            raise ShadowError("The isolated copy is not laid out yet.")
        return self._holding

    def _inside(self, path: str) -> bytes:
        return os.fsencode(self._root / path)

    def _ask(self, name: str, *arguments: Any) -> Any:
        try:
            return self._held().ask(name, *arguments)
        except OSError as error:
            raise ShadowError(f"The isolated copy could not be used: {error.strerror}.") from error

    def _mount(self, changes: Mapping[str, bytes | None]) -> None:
        self._let_go()
        if not self._root.is_dir():
            raise ShadowError(f"{self._root} is not there any more.")
        self._base = new_folder(self._layers.place)
        self._holding = Holding()
        plan = mount_plan(self._root, self._base, self._layers, self._confinement, self._unseen, asides=self._asides)
        done = self._ask("mount", plan)
        if self._confinement is not None and done["unconfined"] and done["unconfined"] not in self.isolation:
            self.isolation += f", but {done['unconfined']}"
        if self._caches_apart:
            self._seal()
        self._flags = ("u" if done["user"] else "") + ("p" if done["pid"] else "")
        for path, data in self._buffers.items():
            self._underneath.note(path, data)
        unsaved = {path: data for path, data in self._buffers.items() if not self._underneath.is_changed(path)}
        daemons = dict.fromkeys((name for name in DAEMON_FILES if (self._root / name).exists()), None)
        for path, wanted in {**daemons, **unsaved, **changes}.items():
            self._write(path, wanted)

    def _seal(self) -> None:
        if self._confinement is not None:
            caches, allowed = self._confinement.caches, self._confinement.allowed
            self._ask("seal", [os.fsencode(place) for place in caches], [os.fsencode(place) for place in allowed])

    def _set_aside(self) -> None:
        places = self._confinement.open_places if self._confinement is not None else temporary_folders(os.environ)
        self._aside = os.fsdecode(self._ask("aside", [os.fsencode(place) for place in places]))
        self._find_anew = True

    def _back(self) -> None:
        """Leave the layer, and remove it while work goes on."""
        name, self._aside = self._aside, ""
        self._find_anew = True
        self._ask("back", self._layers.in_memory)
        if self._base is not None and not self._layers.in_memory:
            self._remove_later(self._base / name)

    def _remove_later(self, folder: Path) -> None:
        thread = Thread(target=remove_tree, args=(folder,), name="compile-loop-removal")
        thread.start()
        self._removing.append(thread)

    def _write(self, path: str, data: bytes | None) -> None:
        place = self._inside(path)
        try:
            if data is None or self._held().ask("read", place) != data:
                self._held().ask("write", place, data)
        except OSError as error:
            words = self._no_room() if error.errno == errno.ENOSPC else error.strerror
            raise ShadowError(f"{path} could not be written in the isolated copy: {words}.") from error

    def _no_room(self) -> str:
        if self._layers.in_memory:
            return "there is no room left in memory, where it is kept since no temporary folder takes it"
        return f"the disk at {disk_of(self._layers.place)} is full. Make room there"

    def _marks(self, concerns: Callable[[str], bool]) -> Marks:
        changed: dict[str, tuple[int, ...]] = {}
        for raw, gone, trace in self._ask("changed"):
            path = os.fsdecode(raw)
            changed[path] = trace
            if gone and (self._root / path).is_dir():
                for below in files_below(self._root / path):
                    changed.setdefault(f"{path}/{below}", trace)
        found = {}
        for path in sorted(filter(concerns, changed)):
            digest, head = self._ask("mark", self._inside(path))
            same = digest == mark_of(self._root / path).digest
            found[path] = FileMark(AS_THE_USERS.digest if same else digest, head, changed[path])
        return found

    def _let_go(self) -> None:
        """Give up the present mount, processes included; its layers are removed while work goes on."""
        base, self._base = self._base, None
        holding, self._holding = self._holding, None
        if base is not None:
            end_inhabitants([base])
        if holding is not None:
            holding.end()
        self._aside = ""
        if base is not None:
            self._remove_later(base)

    def _remove(self) -> None:
        self._let_go()
        for thread in self._removing:
            thread.join()
        self._removing = []

    async def _in_thread(self, work: Any, *arguments: Any) -> Any:
        """Work in a thread that `close` waits for, since a cancelled await does not end it."""
        working = asyncio.get_running_loop().run_in_executor(None, work, *arguments)
        self._working.add(working)
        working.add_done_callback(self._working.discard)
        return await asyncio.shield(working)
