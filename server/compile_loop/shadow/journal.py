"""Original bytes of files that are written in place, so that a crash loses nothing (SPEC W1, P1)."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from pathlib import Path

import psutil

from compile_loop.contracts.protocols import ShadowError

_INDEX = "journal.json"


class Journal:
    """One run's originals, on disk before the first byte of a file is changed."""

    def __init__(self, folder: Path) -> None:
        self._place = folder / uuid.uuid4().hex
        self._originals: dict[str, str | None] = {}
        self._written: dict[str, str | None] = {}

    def keep(self, path: Path, new: bytes | None) -> None:
        """Keep a file's bytes, once, before it becomes `new`. Raises `ShadowError` where they cannot be kept."""
        try:
            self._place.mkdir(parents=True, exist_ok=True)
            if str(path) not in self._originals:
                name = None
                if path.exists():
                    name = str(len(self._originals))
                    _write(self._place / name, path.read_bytes())
                self._originals[str(path)] = name
            self._written[str(path)] = _mark(new)
            me = psutil.Process()
            index = {
                "pid": me.pid,
                "created": me.create_time(),
                "originals": self._originals,
                "written": self._written,
            }
            _write(self._place / _INDEX, json.dumps(index).encode())
        except OSError as error:
            raise ShadowError(f"{path} is not edited, because its original could not be kept: {error}.") from error

    def restore(self) -> None:
        """Put every original back."""
        _put_back(self._place, self._originals)

    def discard(self) -> None:
        """The run ended well or was put back: nothing is kept any more."""
        for name in self._originals.values():
            if name is not None:
                (self._place / name).unlink(missing_ok=True)
        (self._place / _INDEX).unlink(missing_ok=True)
        if self._place.exists():
            self._place.rmdir()
        self._originals = {}


def recover(folder: Path) -> list[Path]:
    """Put back what runs of processes that no longer exist left half written; returns the files.

    A file that holds something else than the run last wrote is somebody's later work and stays as it is.
    """
    restored: list[Path] = []
    for index in sorted(folder.glob(f"*/{_INDEX}")):
        try:
            journal = json.loads(index.read_text())
            owner = psutil.Process(journal["pid"])
            if owner.create_time() == journal["created"]:
                continue
        except psutil.NoSuchProcess:
            pass
        except (OSError, ValueError, KeyError, psutil.Error):
            continue
        written = journal.get("written", {})
        originals = {
            path: name for path, name in journal["originals"].items() if _mark(_bytes(Path(path))) == written.get(path)
        }
        _put_back(index.parent, originals)
        restored += [Path(path) for path in originals]
        done = Journal(folder)
        done._place, done._originals = index.parent, journal["originals"]
        done.discard()
    return restored


def _put_back(place: Path, originals: dict[str, str | None]) -> None:
    for path, name in originals.items():
        if name is None:
            Path(path).unlink(missing_ok=True)
        else:
            data = (place / name).read_bytes()
            if not Path(path).exists() or Path(path).read_bytes() != data:
                Path(path).write_bytes(data)


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _mark(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
