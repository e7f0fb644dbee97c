"""Original bytes of files that are written where they are, so that a crash loses nothing (SPEC W1, W4, P1)."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import stat
import uuid
from pathlib import Path

from compile_loop.contracts.protocols import ShadowError
from compile_loop.shadow.full_disk import is_full, why
from compile_loop.shadow.places import is_running, own_name

_INDEX = "journal.json"
_AS_IT_IS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT"))
"""A link is not followed, a pipe not waited for, and bytes stay bytes."""


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
        self._fresh: dict[str, str] = {}

    def write(self, path: Path, data: bytes | None) -> None:
        """Set a file's bytes, its original kept; None removes it. Owner, mode, attributes and further names stay.

        Raises `ShadowError` where the original cannot be kept or the file is write-protected, `OSError` where it cannot be
        written.
        """
        if data is not None and is_write_protected(path):
            raise ShadowError(f"{path} is write-protected. Make it writable first")
        self._keep(path, data)
        try:
            if data is None:
                path.resolve().unlink(missing_ok=True)
            else:
                replace_file(path.resolve(), data, Path(self._fresh[str(path)]))
        except OSError as error:  # of a write the system names no file, of a new one our name for it
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error

    def restore(self) -> None:
        """Put every original back. Raises `OSError`."""
        _put_back(self._place, self._originals, self._made, self._fresh)

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
        self._originals, self._written, self._made, self._fresh = {}, {}, [], {}

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
                self._fresh[str(path)] = str(_fresh(path.resolve()))
            # Until the new bytes are there, the file still holds the ones before them.
            self._written[str(path)] = [*self._written.get(str(path), [])[-1:], _mark(new)]
            if new is not None:
                _write(self._place / "new", new)
            self._save(str(path) if new is not None and not _can_be_replaced(path.resolve()) else None)
        except OSError as error:
            raise ShadowError(
                f"{path} is not edited, because its original could not be kept in {why(error, self._place.parent)}"
                f"{', or make the folder writable' if is_full(error) else '. Make the folder writable'}."
            ) from error

    def _save(self, torn: str | None) -> None:
        index = {
            "originals": self._originals,
            "written": self._written,
            "made": self._made,
            "torn": torn,
            "fresh": self._fresh,
        }
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
    fresh = index.get("fresh", {})
    for path, name in index["originals"].items():
        if path in fresh and _is_ours(
            Path(fresh[path]), [place / "new", *([place / name] if name is not None else [])]
        ):
            Path(fresh[path]).unlink()
    ours = {
        path: name
        for path, name in index["originals"].items()
        if _mark(_bytes(Path(path))) in written[path] or (path == index.get("torn") and _is_torn(place, Path(path)))
    }
    _put_back(place, ours, index["made"], fresh)
    return [Path(path) for path in ours]


def _is_ours(fresh: Path, sources: list[Path]) -> bool:
    """Whether a file that was to take another's place is there, and holds the beginning of what was written to it."""
    try:
        descriptor = os.open(fresh, os.O_RDONLY | _AS_IT_IS)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        data = file.read()
    return any(source.is_file() and source.read_bytes().startswith(data) for source in sources)


def _is_torn(place: Path, path: Path) -> bool:
    """Whether a file that was being written where it is holds the beginning of its new bytes, and no more."""
    now = _bytes(path)
    return now is not None and (place / "new").read_bytes().startswith(now)


def _put_back(place: Path, originals: dict[str, str | None], made: list[str], fresh: dict[str, str]) -> None:
    for path, name in sorted(originals.items(), key=lambda item: _grown(place, *item), reverse=True):
        if name is None:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                Path(path).unlink()
        else:
            data = (place / name).read_bytes()
            if _bytes(Path(path)) != data:
                at = Path(path).resolve()
                _replace_or_overwrite(at, data, Path(fresh[path]) if path in fresh else _fresh(at))
    for folder in sorted(made, key=len, reverse=True):
        with contextlib.suppress(OSError):  # somebody put something into it
            Path(folder).rmdir()


def _grown(place: Path, path: str, name: str | None) -> int:
    """How many bytes putting a file back frees: on a full disk the others need them."""
    now = Path(path).stat().st_size if Path(path).is_file() else 0
    return now - ((place / name).stat().st_size if name is not None else 0)


def _replace_or_overwrite(place: Path, data: bytes, fresh: Path) -> None:
    """Put bytes back, where the file is if the disk has no room for a second one."""
    try:
        replace_file(place, data, fresh)
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


def replace_file(place: Path, data: bytes, fresh: Path | None = None) -> None:
    """Set a file's bytes, its mode, owner and attributes kept: in one step, or where it is if it has further names.

    `fresh` is the name in the same folder that the new bytes have meanwhile, one of its own by default. What stands there
    already is nobody's to follow or remove: `FileExistsError`.
    """
    fresh = fresh or _fresh(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    if not _can_be_replaced(place):
        _write(place, data)
        return
    exists = place.exists()
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _AS_IT_IS, 0o600 if exists else 0o666)
    replaced = False
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            dressed = not exists or _dressed(descriptor if os.name == "posix" else fresh, place)
            os.fsync(descriptor)
        if dressed:
            fresh.replace(place)
            replaced = True
        else:
            _write(place, data)
    finally:
        if not replaced:
            with contextlib.suppress(OSError):
                fresh.unlink(missing_ok=True)


def _dressed(fresh: int | Path, place: Path) -> bool:
    """Give a new file what the old one had; whether that was possible."""
    try:
        _dress(fresh, place)
    except OSError:
        return False
    return True


def _dress(fresh: int | Path, place: Path) -> None:
    was, now = place.stat(), os.stat(fresh)  # noqa: PTH116 # an open file, where the system can
    if os.name == "posix" and (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
        os.chown(fresh, was.st_uid, was.st_gid)
    if hasattr(os, "listxattr"):
        for name in os.listxattr(place):
            os.setxattr(fresh, name, os.getxattr(place, name))
    os.chmod(fresh, stat.S_IMODE(was.st_mode))  # noqa: PTH101


def _fresh(place: Path) -> Path:
    """Where a file's new bytes are written before they take its place: a name that nobody can have taken beforehand."""
    return place.with_name(f".compile-loop-{secrets.token_hex(16)}")


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _mark(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _write(path: Path, data: bytes) -> None:
    """Set the bytes of a file whose path is resolved: a link that takes its place at this moment is not followed."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _AS_IT_IS, 0o666), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
