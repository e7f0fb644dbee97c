"""Where build tools keep what they have downloaded and built: the folders of the home folder that checks may write to.

Only caches: never a folder whose files start by themselves, are on a search path, or configure a tool (SPEC Q14).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool's own folder: below the home folder at `place`, or where `variable` says; `caches` are its parts."""

    variable: str
    place: str
    caches: tuple[str, ...]
    files: tuple[str, ...] = ()
    """Locks, by which a check and the same tool outside wait for each other."""


_TOOLS = (
    _Tool("XDG_CACHE_HOME", ".cache", (".",)),
    _Tool("CARGO_HOME", ".cargo", ("registry", "git"), (".package-cache", ".package-cache-mutate")),
    _Tool("GOPATH", "go", ("pkg",)),
    _Tool("npm_config_cache", ".npm", ("_cacache", "_logs")),
    _Tool("YARN_GLOBAL_FOLDER", ".yarn/berry", ("cache", "index", "metadata")),
    _Tool("", ".pnpm-store", (".",)),
    _Tool("", ".local/share/pnpm/store", (".",)),
    _Tool("BUN_INSTALL", ".bun", ("install/cache",)),
    _Tool("DENO_DIR", ".deno", ("deps", "gen", "npm", "remote")),
    _Tool("GRADLE_USER_HOME", ".gradle", ("caches", "daemon", "native", "notifications", "workers", ".tmp")),
    _Tool("", ".m2", ("repository",)),
    _Tool("", ".ivy2", ("cache",)),
    _Tool("", ".sbt", ("boot",)),
    _Tool("KONAN_DATA_DIR", ".konan", ("cache",)),
    _Tool("ANDROID_USER_HOME", ".android", ("cache", "build-cache")),
    _Tool("NUGET_PACKAGES", ".nuget/packages", (".",)),
    _Tool("", ".local/share/NuGet", ("http-cache", "v3-cache", "plugins-cache")),
    _Tool("CCACHE_DIR", ".ccache", (".",)),
    _Tool("CABAL_DIR", ".cabal", ("packages",)),
    _Tool("STACK_ROOT", ".stack", ("pantry", "snapshots")),
    _Tool("OPAMROOT", ".opam", ("download-cache",)),
    _Tool("COMPOSER_HOME", ".composer", ("cache",)),
    _Tool("BUNDLE_USER_HOME", ".bundle", ("cache",)),
    _Tool("PUB_CACHE", ".pub-cache", ("hosted", "hosted-hashes", "git", "_temp")),
    _Tool("HEX_HOME", ".hex", ("packages",)),
    _Tool("JULIA_DEPOT_PATH", ".julia", ("registries", "packages", "artifacts", "compiled", "logs")),
    _Tool("CONAN_HOME", ".conan2", ("p",)),
    _Tool("", ".conan", ("data",)),
)
_CACHE_NAMED_BY = re.compile(r"^\w*CACHE(?:_?(?:DIR|HOME|ROOT|FOLDER|PREFIX|LOCATION))?$|^CARGO_TARGET_DIR$", re.I)
"""Variables that name a cache and nothing else: `GOCACHE`, `PIP_CACHE_DIR`, but not `CCACHE_PATH`, which lists programs."""


def caches(home: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Every cache that a tool may have in `home` or by `environment`; many of them do not exist."""
    known = {tool.variable.lower() for tool in _TOOLS}
    for tool in _TOOLS:
        for folder in (home / tool.place, *_named(environment, tool.variable)):
            yield from (folder / name for name in (*tool.caches, *tool.files))
    for name in environment:
        if _CACHE_NAMED_BY.match(name) and name.lower() not in known:
            yield from _named(environment, name)


def make_caches(home: Path, environment: Mapping[str, str]) -> None:
    """Make the empty cache folders of tools that are at home here: a check cannot make them beside what it may not write."""
    for tool in _TOOLS:
        for folder in (home / tool.place, *_named(environment, tool.variable)):
            for name in tool.caches:
                with contextlib.suppress(OSError):
                    if folder.is_dir():
                        (folder / name).mkdir(parents=True, exist_ok=True)


def _named(environment: Mapping[str, str], variable: str) -> list[Path]:
    """The absolute folders that a variable lists."""
    parts = environment.get(variable, "").split(":") if variable else []
    return [Path(part) for part in parts if part.startswith("/")]
