"""Where the parts of a shadow that lie on a disk may lie: folders of our own, never in the user's tree.

Their names say whose they are, from the moment they exist: `compile-loop-SYSTEM-PROCESS-START-RANDOM`.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import platformdirs
import psutil

from compile_loop.contracts.protocols import ShadowError

PREFIX = "compile-loop-"
_ELSEWHERE_KEPT = 24 * 3600.0
"""Seconds that a folder of a process in another container is left alone: it cannot be asked whether it runs."""


def temporary_places() -> list[Path]:
    """Existing folders that may hold ours, the preferred one first."""
    wanted = [Path(tempfile.gettempdir()), platformdirs.user_cache_path("compile-loop", appauthor=False)]
    if os.name == "posix":
        wanted.append(Path("/var/tmp"))
    return [place for place in dict.fromkeys(wanted) if os.path.isdir(place)]  # noqa: PTH112 # a folder that may not be looked into is none


def own_name() -> str:
    """This process's name among all that ever run here, `SYSTEM-PROCESS-START`."""
    return f"{_system()}-{os.getpid()}-{_start_of(os.getpid())}"


def is_running(name: str) -> bool:
    """Whether the process at the beginning of `name` runs. One in another container counts as running."""
    system, process, start = name.split("-")[:3]
    return system != _system() or not process.isdecimal() or _start_of(int(process)) == start


def new_folder(place: Path) -> Path:
    """A new folder of our own in `place`. Raises `ShadowError`."""
    try:
        return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{own_name()}-", dir=place)).resolve()
    except OSError as error:
        raise ShadowError(f"No temporary folder can be made in {place}: {error.strerror}.") from error


def abandoned(place: Path) -> list[Path]:
    """This user's folders in `place` whose process no longer runs."""
    return [folder for folder in place.glob(PREFIX + "*-*-*-*") if _is_mine(folder) and _is_abandoned(folder)]


def _is_mine(folder: Path) -> bool:
    try:
        return os.name != "posix" or folder.lstat().st_uid == os.geteuid()
    except OSError:
        return False


def _is_abandoned(folder: Path) -> bool:
    name = folder.name[len(PREFIX) :]
    system, process, _ = name.split("-", 2)
    if process.isdecimal() and system != _system():
        return time.time() - folder.stat().st_mtime > _ELSEWHERE_KEPT
    return not is_running(name)


def _system() -> str:
    """A name for the set of process numbers that this process lives in."""
    try:
        return Path("/proc/self/ns/pid").readlink().name.strip("pid:[]")
    except OSError:
        return "0"


def _start_of(process: int) -> str | None:
    """When a process started, in a measure that no clock change moves; None where it does not run."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return None if fields[0] in "ZX" else fields[19]
    except OSError:
        pass
    try:
        return str(int(psutil.Process(process).create_time()))
    except psutil.Error:
        return None
