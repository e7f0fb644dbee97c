"""A record as one file, for a bug report, and back (SPEC R1, R2)."""

from __future__ import annotations

import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from compile_loop.record import folder as at
from compile_loop.record.folder import RecordError

ENDING = ".zip"
MOST_BYTES = 1 << 30
MOST_FILES = 20_000
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every entry: the same record gives the same archive."""


def pack(folder: Path, target: Path, redact: Callable[[bytes], bytes]) -> None:
    """Write the record in `folder` to the new file `target`, each file through `redact` once more. Raises `RecordError`."""
    if target.exists():
        raise RecordError(f"{target} exists already. Name another file.")
    fresh = target.with_name(f".{target.name}.new")
    try:
        with zipfile.ZipFile(fresh, "x", zipfile.ZIP_DEFLATED) as archive:
            for place in sorted(folder.rglob("*")):
                if place.is_file() and not place.is_symlink() and not place.name.startswith("."):
                    entry = zipfile.ZipInfo(place.relative_to(folder).as_posix(), _EPOCH)
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(entry, redact(place.read_bytes()))
        fresh.replace(target)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise RecordError(f"{target} cannot be written: {error.strerror or error}.") from error


def unpack(archive: Path, into: Path) -> None:
    """Lay a record out in the existing, empty folder `into`. One that would write elsewhere, or without end, is refused.

    Raises `RecordError`.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [entry for entry in opened.infolist() if not entry.is_dir()]
            if at.RUN not in {entry.filename for entry in entries}:
                raise RecordError(f"{archive} is no record: there is no {at.RUN} in it.")
            if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
                raise RecordError(f"{archive} is larger than any record of ours and is not unpacked.")
            for entry in entries:
                _lay_out(opened, entry, into, archive)
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError, EOFError, zlib.error) as error:
        raise RecordError(f"{archive} cannot be read as a record: {error}.") from error


def _lay_out(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, into: Path, archive: Path) -> None:
    path = PurePosixPath(entry.filename)
    link = stat.S_ISLNK(entry.external_attr >> 16)
    if path.is_absolute() or ".." in path.parts or "\\" in entry.filename or ":" in entry.filename or link:
        raise RecordError(f"{archive} is no record of ours: it names {entry.filename}, outside of itself.")
    place = into / path
    place.parent.mkdir(parents=True, exist_ok=True)
    with opened.open(entry) as source, place.open("xb") as target:
        shutil.copyfileobj(source, target)
