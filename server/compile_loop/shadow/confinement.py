"""What a check may write to outside the workspace (SPEC Q14): temporary folders, and listed caches of its tools."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from compile_loop.shadow.caches import caches, make_caches

_TEMPORARY = re.compile(r"^(?:\w*TMPDIR|XDG_RUNTIME_DIR)$", re.IGNORECASE)
_PRIVATE = (".ssh", ".gnupg", ".aws", ".kube")
"""Folders of the home folder that are not written to even in a layer that is thrown away."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """What checks may write to besides the workspace; every path exists and is resolved.

    `home` gets a layer of its own that is thrown away; None where the workspace holds it. `open_places`, folders and a
    few lock files, stay as they are, `closed_folders` become read-only.

    `caches` are those open places that are folders of caches, and `allowed` what lies in them and stays open when they get
    a layer that is thrown away. `layered` are folders in open places with files of the user's that checks must not reach:
    they get such a layer, too.
    """

    home: Path | None
    open_places: tuple[Path, ...]
    closed_folders: tuple[Path, ...]
    caches: tuple[Path, ...] = ()
    allowed: tuple[Path, ...] = ()
    layered: tuple[Path, ...] = ()


def confinement_of(
    root: Path, environment: Mapping[str, str], extra: Iterable[str] = (), keep: Iterable[Path] = ()
) -> Confinement:
    """The places for checks of the workspace `root` (resolved). `extra` are folders that the user allows.

    `keep` are folders that checks are to leave as they are, though they may lie in a temporary one.

    Makes the empty cache folders of tools that have their own folder already.
    """
    home = Path.home().resolve()
    make_caches(home, environment)
    temporary = _temporary(environment)
    more = [Path(os.path.expanduser(folder)) for folder in extra]  # noqa: PTH111
    listed = [place for place in caches(home, environment) if not home.is_relative_to(place)]
    wanted = [place for place in (*temporary, *more, *listed) if _exists(place)]
    wanted = [place for place in wanted if place.resolve() not in (home, Path(home.anchor))]
    usable = {place.resolve() for place in _outermost(wanted)}
    usable = {place for place in usable if not place.is_relative_to(root)}
    ours = {place.resolve() for place in (*temporary, *more) if _exists(place)}
    sealable = {place.resolve() for place in listed if _exists(place)} & usable - ours
    apart = tuple(sorted(place for place in sealable if not root.is_relative_to(place)))
    allowed = tuple(sorted(place for place in ours if any(place.is_relative_to(cache) for cache in apart)))
    closed = tuple(home / name for name in _PRIVATE if _exists(home / name) and not (home / name).is_symlink())
    keeps_home = home.is_relative_to(root) or not home.is_dir() or home == Path("/")
    layered = tuple(sorted(_outermost(_to_be_layered(keep, root, usable))))
    return Confinement(
        None if keeps_home else home, tuple(sorted(usable)), () if keeps_home else closed, apart, allowed, layered
    )


def _to_be_layered(keep: Iterable[Path], root: Path, usable: Iterable[Path]) -> Iterable[Path]:
    """Those folders that checks could write to otherwise, and in which nothing lies that they are to write to."""
    for place in (folder.resolve() for folder in keep if folder.is_dir()):
        reachable = any(place.is_relative_to(folder) for folder in usable)
        if reachable and not place.is_relative_to(root) and not any(each.is_relative_to(place) for each in usable):
            yield place


def temporary_folders(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The folders for what is temporary, which exist and are resolved."""
    return tuple(sorted({place.resolve() for place in _outermost(filter(_exists, _temporary(environment)))}))


def _temporary(environment: Mapping[str, str]) -> list[Path]:
    found = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"), Path(f"/run/user/{os.getuid()}")]
    named = [Path(value) for name, value in environment.items() if _TEMPORARY.match(name) and value.startswith("/")]
    return [*found, *named]


def _outermost(places: Iterable[Path]) -> list[Path]:
    """The places that lie in no other one.

    What lies in a folder that checks write to may be a link that a check has laid: where it leads is not allowed by it.
    """
    normal = {Path(os.path.normpath(place)) for place in places}
    return [place for place in normal if not normal & set(place.parents)]


def _exists(place: Path) -> bool:
    return os.path.isdir(place) or os.path.isfile(place)  # noqa: PTH112, PTH113 - these raise for nothing
