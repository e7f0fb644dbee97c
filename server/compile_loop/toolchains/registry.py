"""All toolchains: every module in `tools/` that has a `TOOLCHAIN`."""

from __future__ import annotations

import pkgutil
from functools import lru_cache
from importlib import import_module

from compile_loop.toolchains import tools
from compile_loop.toolchains.advice import Adviser
from compile_loop.toolchains.json_documents import JsonShape
from compile_loop.toolchains.language_server.servers import LanguageServer
from compile_loop.toolchains.reader import Reader
from compile_loop.toolchains.toolchain import Toolchain


@lru_cache(maxsize=1)
def toolchains() -> tuple[Toolchain, ...]:
    """Every toolchain, in the order in which they are asked."""
    names = [f"{tools.__name__}.{module.name}" for module in pkgutil.iter_modules(tools.__path__)]
    found = [module.TOOLCHAIN for module in map(import_module, names) if hasattr(module, "TOOLCHAIN")]
    return tuple(sorted(found, key=lambda toolchain: (toolchain.order, toolchain.name)))


@lru_cache(maxsize=1)
def reader_types() -> tuple[type[Reader], ...]:
    """Every reader once, in the order in which they are offered a line."""
    readers = dict.fromkeys(reader for toolchain in toolchains() for reader in toolchain.readers)
    return tuple(sorted(readers, key=lambda reader: reader.order))


@lru_cache(maxsize=1)
def shape_types() -> tuple[type[JsonShape], ...]:
    """Every shape of JSON once, in the order in which they are offered an object."""
    return tuple(dict.fromkeys(shape for toolchain in toolchains() for shape in toolchain.shapes))


def advisers() -> tuple[Adviser, ...]:
    """Every toolchain's way to ask for fixes."""
    return tuple(toolchain.advise for toolchain in toolchains() if toolchain.advise)


def language_servers() -> tuple[tuple[LanguageServer, ...], ...]:
    """Every toolchain's language servers: of each group the first that the user has is asked."""
    return tuple(toolchain.servers for toolchain in toolchains() if toolchain.servers)


def readable_environment() -> dict[str, str]:
    """Variables for a check's processes, so that compilers offer their fixes even inside a user's own build (SPEC D5)."""
    return {name: value for toolchain in toolchains() for name, value in toolchain.environment.items()}


def known_tools() -> list[tuple[str, tuple[str, ...], str]]:
    """For `compile-loop doctor`: (toolchain, its programs, how to get them)."""
    return [
        (toolchain.name, tuple(program.name for program in toolchain.programs), _how(toolchain))
        for toolchain in toolchains()
        if toolchain.programs
    ]


def _how(toolchain: Toolchain) -> str:
    """How to get a toolchain's programs: Debian's packages, and what the others say themselves."""
    ways = list(dict.fromkeys(program.package for program in toolchain.programs))
    return way_to_get(*ways)


def way_to_get(*packages: str) -> str:
    """How to get programs, by their Debian packages' names or sentences (what has a blank in it)."""
    debian = [way for way in packages if " " not in way]
    names = " ".join(debian)
    return "; ".join(
        [*([f"Debian and Ubuntu: apt-get install {names}"] if debian else []), *(w for w in packages if " " in w)]
    )
