"""Which folders outside the workspace a check may write to (SPEC Q14): temporary ones and its tools' caches."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_NAMED_BY = re.compile(
    r"^(?:\w*CACHE\w*|\w+_HOME|\w*TMPDIR|XDG_RUNTIME_DIR|GOPATH|CARGO_TARGET_DIR|NVM_DIR|DENO_DIR|CABAL_DIR|STACK_ROOT|"
    r"OPAMROOT|BUN_INSTALL|KONAN_DATA_DIR|NUGET_PACKAGES|BUNDLE_PATH|YARN_GLOBAL_FOLDER)$",
    re.IGNORECASE,
)
"""Variables by which tools are told where their caches lie."""
_UNHIDDEN_CACHES = ("go",)
_PRIVATE = (".ssh", ".gnupg", ".aws", ".kube")
"""Folders of the home folder that no build writes to."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """What checks may write to besides the workspace; every path is an existing, resolved folder.

    `home` gets a layer of its own that is thrown away; None where the workspace holds it. `open_folders` stay as they
    are, `closed_folders` become read-only.
    """

    home: Path | None
    open_folders: tuple[Path, ...]
    closed_folders: tuple[Path, ...]


def confinement_of(root: Path, environment: Mapping[str, str], extra: Iterable[str] = ()) -> Confinement:
    """The folders for checks of the workspace `root` (resolved). `extra` are folders that the user allows."""
    home = Path.home().resolve()
    wanted = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"), Path(f"/run/user/{os.getuid()}")]
    for name, value in environment.items():
        if _NAMED_BY.match(name):
            wanted += [Path(part) for part in value.split(os.pathsep) if Path(part).is_absolute()]
    wanted += [Path(os.path.expanduser(folder)) for folder in extra]  # noqa: PTH111
    wanted += [home / name for name in _UNHIDDEN_CACHES]
    with contextlib.suppress(OSError):
        wanted += [place for place in home.iterdir() if place.name.startswith(".") and place.name not in _PRIVATE]
    usable = {place.resolve() for place in wanted if _is_folder(place)}
    usable = {place for place in usable if not place.is_relative_to(root) and place not in (home, Path(home.anchor))}
    closed = tuple(home / name for name in _PRIVATE if _is_folder(home / name) and not (home / name).is_symlink())
    keeps_home = home.is_relative_to(root) or not home.is_dir() or home == Path("/")
    return Confinement(None if keeps_home else home, tuple(sorted(usable)), () if keeps_home else closed)


def _is_folder(place: Path) -> bool:
    try:
        return place.is_dir()
    except OSError:
        return False
