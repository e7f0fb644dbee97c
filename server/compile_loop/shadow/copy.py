"""The copy strategy: the workspace copied to a temporary folder. Works everywhere; costs a copy."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from compile_loop.contracts.protocols import ShadowError
from compile_loop.shadow.copying import copy_tree
from compile_loop.shadow.leftovers import PREFIX, claim


class CopyShadow:
    """A copy of `root` with unsaved `buffers` (bytes by workspace-relative path) laid over it."""

    isolation = "copy in a temporary folder"

    def __init__(self, root: Path, buffers: Mapping[str, bytes]) -> None:
        self._root = root
        self._buffers = dict(buffers)
        self._base: Path | None = None
        self._generation = 0
        self._stop = threading.Event()
        self._working: asyncio.Future[None] | None = None

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
        await self._lay_out_in_thread({})

    async def renew(self, changes: dict[str, bytes | None]) -> None:
        """Copy the workspace anew, and lay the buffers and `changes` over it. Raises `ShadowError`."""
        await self._lay_out_in_thread(changes)

    async def read(self, path: str) -> bytes | None:
        """A file's bytes in the copy."""
        return await asyncio.to_thread(_read, self._copy / path)

    async def write(self, path: str, data: bytes | None) -> None:
        """Set a file's bytes in the copy."""
        await asyncio.to_thread(self._write, path, data)

    async def close(self) -> None:
        """Remove the copy."""
        self._stop.set()
        if self._working is not None:
            await asyncio.wait([self._working])
        if self._base is not None:
            await asyncio.to_thread(_remove, self._base)
            self._base = None

    def command(self, argv: Sequence[str], cwd: str) -> tuple[list[str], str]:
        """Commands run as they are, inside the copy."""
        return list(argv), str(self._copy / cwd)

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
        return _read(self._inside(path))

    def find(self, name: str) -> list[str]:
        """Files of the copy whose path ends in `name`."""
        wanted = Path(name)
        found = (p for p in self._copy.rglob(wanted.name) if p.parts[-len(wanted.parts) :] == wanted.parts)
        return [str(self._root / p.relative_to(self._copy)) for p in sorted(found)]

    def _inside(self, path: str) -> Path:
        given = Path(path)
        return self._copy / given.relative_to(self._root) if given.is_relative_to(self._root) else given

    def _lay_out(self, changes: Mapping[str, bytes | None]) -> None:
        if self._base is None:
            self._base = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
            claim(self._base)
        old = self._base / str(self._generation)
        self._generation += 1
        _remove(old)
        copy_tree(self._root, self._copy, self._stop)
        if self._stop.is_set():
            return
        for path, data in {**self._buffers, **changes}.items():
            self._write(path, data)

    def _write(self, path: str, data: bytes | None) -> None:
        place = self._copy / path
        if not place.parent.resolve().is_relative_to(self._copy.resolve()):
            raise ShadowError(f"{path} lies outside the workspace by a link and is not written.")
        try:
            if data is None:
                place.unlink(missing_ok=True)
                return
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.is_symlink() and not place.resolve().is_relative_to(self._copy.resolve()):
                raise ShadowError(f"{path} is a link out of the workspace and is not written.")
            place.write_bytes(data)
        except OSError as error:
            raise ShadowError(f"{path} could not be written in the isolated copy: {error}.") from error

    async def _lay_out_in_thread(self, changes: Mapping[str, bytes | None]) -> None:
        """Copy in a thread that `close` can stop and wait for, since a cancelled await does not end it."""
        self._working = asyncio.get_running_loop().run_in_executor(None, self._lay_out, changes)
        await asyncio.shield(self._working)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None


def _remove(folder: Path) -> None:
    """Remove a folder with everything in it, read-only folders too; links are not followed."""
    if not folder.exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for place, _, _ in os.walk(folder):
            Path(place).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
