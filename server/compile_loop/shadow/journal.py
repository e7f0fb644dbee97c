"""Original bytes of files that are written where they are, so that a crash loses nothing (SPEC W1, W4, P1)."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import uuid
from pathlib import Path

from compile_loop.contracts.protocols import ShadowError
from compile_loop.shadow.places import is_running, own_name

_INDEX = "journal.json"


class Journal:
    """One run's originals, on disk before the first byte of a file is changed.

    Its folder's name says whose it is. The index is the last thing made and the first removed: where there is none, there
    is nothing to put back.
    """

    def __init__(self, folder: Path) -> None:
        self._place = folder / f"{own_name()}-{uuid.uuid4().hex}"
        self._originals: dict[str, str | None] = {}
        self._written: dict[str, list[str | None]] = {}
        self._made: list[str] = []

    def write(self, path: Path, data: bytes | None) -> None:
        """Set a file's bytes, its original kept; None removes it. Owner, mode, attributes and further names stay.

        Raises `ShadowError` where the original cannot be kept or the file is write-protected, `OSError` where it cannot be
        written.
        """
        if data is not None and is_write_protected(path):
            raise ShadowError(f"{path} is write-protected. Make it writable first")
        self._keep(path, data)
        if data is None:
            path.resolve().unlink(missing_ok=True)
        else:
            replace_file(path.resolve(), data)

    def restore(self) -> None:
        """Put every original back. Raises `OSError`."""
        _put_back(self._place, self._originals, self._made)

    def restore_ours(self) -> None:
        """Put back the originals of files that still hold what was last written here; others stay. Raises `OSError`."""
        if (self._place / _INDEX).exists():
            _recover_one(self._place)

    def release(self, path: Path) -> None:
        """A file holds somebody else's work too: its original is not put back any more. Raises `OSError`."""
        if self._originals.pop(str(path), None) is not None or str(path) in self._written:
            del self._written[str(path)]
            self._save(None)

    def discard(self) -> None:
        """The run ended well or was put back: nothing is kept any more."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            (self._place / _INDEX).unlink()
        shutil.rmtree(self._place, ignore_errors=True)
        self._originals, self._written, self._made = {}, {}, []

    def _keep(self, path: Path, new: bytes | None) -> None:
        try:
            self._place.mkdir(parents=True, exist_ok=True)
            if str(path) not in self._originals:
                name = None
                if path.exists():
                    name = uuid.uuid4().hex
                    _write(self._place / name, path.read_bytes())
                self._made += [str(folder) for folder in path.parents if not folder.exists()]
                self._originals[str(path)] = name
            # Until the new bytes are there, the file still holds the ones before them.
            self._written[str(path)] = [*self._written.get(str(path), [])[-1:], _mark(new)]
            torn = None
            if new is not None and not _can_be_replaced(path.resolve()):
                _write(self._place / "new", new)
                torn = str(path)
            self._save(torn)
        except OSError as error:
            raise ShadowError(f"{path} is not edited, because its original could not be kept: {error}.") from error

    def _save(self, torn: str | None) -> None:
        index = {"originals": self._originals, "written": self._written, "made": self._made, "torn": torn}
        fresh = self._place / "fresh"
        _write(fresh, json.dumps(index).encode())
        fresh.replace(self._place / _INDEX)


def recover(folder: Path) -> list[Path]:
    """Put back what runs of processes that no longer exist left half written; returns the files.

    A file that holds something else than the run last wrote is somebody's later work and stays as it is. A journal that
    cannot be put back now, since a disk is away or full, is kept for the next time.
    """
    restored: list[Path] = []
    for place in sorted(folder.glob("*-*-*-*")):
        if is_running(place.name):
            continue
        with contextlib.suppress(OSError, ValueError, KeyError):
            if (place / _INDEX).exists():
                restored += _recover_one(place)
                (place / _INDEX).unlink()
            shutil.rmtree(place, ignore_errors=True)
    return restored


def _recover_one(place: Path) -> list[Path]:
    index = json.loads((place / _INDEX).read_text())
    written = index["written"]
    for path in index["originals"]:
        _fresh(Path(path).resolve()).unlink(missing_ok=True)
    ours = {
        path: name
        for path, name in index["originals"].items()
        if _mark(_bytes(Path(path))) in written[path] or (path == index.get("torn") and _is_torn(place, Path(path)))
    }
    _put_back(place, ours, index["made"])
    return [Path(path) for path in ours]


def _is_torn(place: Path, path: Path) -> bool:
    """Whether a file that was being written where it is holds the beginning of its new bytes, and no more."""
    now = _bytes(path)
    return now is not None and (place / "new").read_bytes().startswith(now)


def _put_back(place: Path, originals: dict[str, str | None], made: list[str]) -> None:
    for path, name in sorted(originals.items(), key=lambda item: _grown(place, *item), reverse=True):
        if name is None:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                Path(path).unlink()
        else:
            data = (place / name).read_bytes()
            if _bytes(Path(path)) != data:
                _replace_or_overwrite(Path(path).resolve(), data)
    for folder in sorted(made, key=len, reverse=True):
        with contextlib.suppress(OSError):  # somebody put something into it
            Path(folder).rmdir()


def _grown(place: Path, path: str, name: str | None) -> int:
    """How many bytes putting a file back frees: on a full disk the others need them."""
    now = Path(path).stat().st_size if Path(path).is_file() else 0
    return now - ((place / name).stat().st_size if name is not None else 0)


def _replace_or_overwrite(place: Path, data: bytes) -> None:
    """Put bytes back, where the file is if the disk has no room for a second one."""
    try:
        replace_file(place, data)
    except OSError:
        if not place.is_file():
            raise
        _write(place, data)


def is_write_protected(path: Path) -> bool:
    """Whether a file's owner has taken the right to write to it away, also from an administrator."""
    return path.is_file() and not (path.stat().st_mode & 0o222 and os.access(path, os.W_OK))


def _can_be_replaced(place: Path) -> bool:
    """Whether a new file can stand for this one: it has no other name, and an owner that we can give."""
    if not place.is_file():
        return True
    was = place.stat()
    ours = os.name != "posix" or os.geteuid() == 0 or (was.st_uid == os.geteuid() and was.st_gid == os.getegid())
    return was.st_nlink == 1 and ours and os.access(place.parent, os.W_OK)


def replace_file(place: Path, data: bytes) -> None:
    """Set a file's bytes, its mode, owner and attributes kept: in one step, or where it is if it has further names."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if not _can_be_replaced(place):
        _write(place, data)
        return
    fresh = _fresh(place)
    try:
        _write(fresh, data)
        if place.exists() and not _dressed(fresh, place):
            _write(place, data)
            return
        fresh.replace(place)
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)


def _dressed(fresh: Path, place: Path) -> bool:
    """Give a new file what the old one had; whether that was possible."""
    try:
        _dress(fresh, place)
    except OSError:
        return False
    return True


def _dress(fresh: Path, place: Path) -> None:
    was, now = place.stat(), fresh.stat()
    if os.name == "posix" and (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
        os.chown(fresh, was.st_uid, was.st_gid)
    if hasattr(os, "listxattr"):
        for name in os.listxattr(place):
            os.setxattr(fresh, name, os.getxattr(place, name))
    fresh.chmod(was.st_mode)


def _fresh(place: Path) -> Path:
    """Where a file's new bytes are written before they take its place."""
    return place.with_name(f".{place.name[:200]}.compile-loop")


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _mark(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
