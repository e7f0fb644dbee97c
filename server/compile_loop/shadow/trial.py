"""Trying each way of making an isolated copy, once per process and file system."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from compile_loop.contracts.protocols import ShadowError
from compile_loop.shadow.clone import clone_file
from compile_loop.shadow.guard import Guard
from compile_loop.shadow.holding import Holding
from compile_loop.shadow.namespaces.wire import NOT_ALLOWED
from compile_loop.shadow.overlay import Layers, mount_plan
from compile_loop.shadow.places import new_folder, temporary_places
from compile_loop.shadow.removal import remove_tree

_SAMPLE = 2000
"""How many entries of a workspace are looked at for owners that an unprivileged overlay cannot keep."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What trying showed. `reason` says in a few words how it works, or why it does not."""

    ok: bool
    reason: str
    layers: Layers | None = None
    place: Path | None = None


def try_overlay(root: Path) -> Trial:
    """Mount an overlay on the workspace, and find out what it can do."""
    if sys.platform != "linux":
        return Trial(False, "only Linux has it")
    privileged = _is_privileged()
    if not privileged and (point := next(_mounted_below(root), None)):
        return Trial(False, f"{point} is mounted inside the workspace, which an unprivileged overlay cannot cover")
    places = [place for place in temporary_places() if not place.resolve().is_relative_to(root)]
    key = (root.stat().st_dev, os.geteuid(), tuple(places))
    trial = _overlays.get(key) or _overlay_on(root, places)
    if trial.ok or NOT_ALLOWED in trial.reason:  # a full disk may have room again
        _overlays[key] = trial
    if trial.ok and not privileged and (stranger := next(_of_others(root), None)):
        return Trial(False, f"{stranger} belongs to another user or group, which an unprivileged overlay cannot copy")
    return trial


_overlays: dict[tuple[int, int, tuple[Path, ...]], Trial] = {}
"""What was found by file system, user and temporary folders."""


def _overlay_on(root: Path, places: list[Path]) -> Trial:
    reasons = []
    for layers in [*map(Layers, places), *(Layers(place, in_memory=True) for place in places[:1])]:
        try:
            found = _ask_apart(layers, "try", None)
            _ask_apart(layers, "mount", root)
        except (ShadowError, OSError) as error:
            reasons.append(str(error).rstrip("."))
            continue
        return Trial(True, _overlay_words(layers, found), layers=layers)
    return Trial(False, reasons[0] if reasons else "every temporary folder lies inside the workspace")


def _ask_apart(layers: Layers, question: str, root: Path | None) -> dict[str, Any]:
    """Put one question to a holder of its own, in a new folder."""
    base = new_folder(layers.place)
    try:
        holding = Holding()
        try:
            if root is None:
                return holding.ask(question, os.fsencode(base), layers.in_memory)  # type: ignore[no-any-return]
            return holding.ask(question, mount_plan(root, base, layers, None))  # type: ignore[no-any-return]
        finally:
            holding.end()
    finally:
        remove_tree(base)


def _overlay_words(layers: Layers, found: dict[str, Any]) -> str:
    words = "overlay on the same path"
    if layers.in_memory:
        words += ", what is written kept in memory"
    words += ", processes apart" if found["pid"] else ", processes not apart (no private /proc)"
    if found["renames"]:
        words += f", existing folders cannot be renamed ({found['renames']})"
    return words


def _is_privileged() -> bool:
    """Whether this process may mount without a user namespace: it has CAP_SYS_ADMIN."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return False
    effective = next(line.split()[1] for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective, 16) >> 21 & 1)


def _mounted_below(root: Path) -> Iterator[str]:
    from compile_loop.shadow.namespaces.mounts import is_below, mount_points

    place = os.fsencode(root)
    return (os.fsdecode(point) for point in mount_points() if point != place and is_below(point, place))


def _of_others(root: Path) -> Iterator[str]:
    """Entries of the workspace that this user can write to but whose owner or group is not this user's own."""
    mine = (os.geteuid(), os.getegid())
    pending, left = [root], _SAMPLE
    while pending and left > 0:
        folder = pending.pop(0)
        try:
            entries = [folder, *folder.iterdir()] if folder == root else list(folder.iterdir())
        except OSError:
            continue
        left -= len(entries)
        for entry in entries[:_SAMPLE]:
            status = entry.lstat()
            if (status.st_uid, status.st_gid) != mine and not entry.is_symlink() and os.access(entry, os.W_OK):
                yield str(entry)
            if entry != root and entry.is_dir() and not entry.is_symlink() and not entry.name.startswith("."):
                pending.append(entry)


def try_clone(root: Path) -> Trial:
    """Clone one of the workspace's files into a folder of ours."""
    reason = "no temporary folder lies on the workspace's file system"
    for place in _clone_places(root):
        base = new_folder(place)
        try:
            source = _some_file(root, base)
            if source is None:
                continue
            clone_file(str(source), base / "clone")
        except OSError as error:
            reason = f"files of {root} cannot be cloned into {place} ({error.strerror or error})"
            continue
        finally:
            remove_tree(base)
        return Trial(True, f"clones of the files in {place}", place=place)
    return Trial(False, reason)


def _clone_places(root: Path) -> list[Path]:
    """Folders that may be on the workspace's file system; one in the user's cache folder is made where it is needed."""
    own = platformdirs.user_cache_path("compile-loop", appauthor=False)
    with contextlib.suppress(OSError):
        parent = next(folder for folder in own.parents if folder.is_dir())
        if not own.is_dir() and parent.stat().st_dev == root.stat().st_dev:
            own.mkdir(parents=True, exist_ok=True)
    return [place for place in temporary_places() if not place.resolve().is_relative_to(root)]


def _some_file(root: Path, base: Path) -> Path | None:
    """A file with bytes in it: one of the workspace's, or of ours where that is on the same file system."""
    for folder, _, names in os.walk(root):
        for name in names:
            place = Path(folder, name)
            if not place.is_symlink() and place.is_file() and place.stat().st_size and os.access(place, os.R_OK):
                return place
        break
    if base.stat().st_dev != root.stat().st_dev:
        return None
    (base / "original").write_bytes(b"1")
    return base / "original"


def try_copy(root: Path) -> Trial:
    """See whether there is a folder to copy to."""
    reason = "every temporary folder lies inside the workspace"
    for place in temporary_places():
        if place.resolve().is_relative_to(root):
            continue
        try:
            remove_tree(new_folder(place))
        except ShadowError as error:
            reason = str(error).rstrip(".")
            continue
        free = shutil.disk_usage(place).free >> 20
        return Trial(True, f"copy in a temporary folder ({place}, {free} MiB free)", place=place)
    return Trial(False, reason)


def try_guard(root: Path) -> Trial:
    """Run a command under a guard, and see that it can write where it may and nowhere else."""
    if sys.platform != "linux":
        return Trial(False, "only Linux has it")
    places = [place for place in temporary_places() if not place.resolve().is_relative_to(root)]
    return _guard_in(places[0]) if places else Trial(False, "every temporary folder lies inside the workspace")


@cache
def _guard_in(place: Path) -> Trial:
    base = new_folder(place)
    try:
        inside, outside = base / "inside", base / "outside"
        inside.mkdir()
        outside.mkdir()
        script = 'echo 1 > "$0/f" && mv "$0/f" "$0/g" && ! (echo 1 > "$1/f") 2>/dev/null'
        command = Guard(("/dev",)).around(["/bin/sh", "-c", script, str(inside), str(outside)], inside)
        done = subprocess.run(command, check=False, capture_output=True, timeout=10, cwd="/")
        ok = done.returncode == 0 and not any(outside.iterdir())
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return Trial(ok, "Landlock" if ok else (said or ["the kernel's Landlock does not hold it back"])[-1])
    except (OSError, subprocess.SubprocessError) as error:
        return Trial(False, str(error))
    finally:
        remove_tree(base)
