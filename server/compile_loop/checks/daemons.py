"""Keeping tools from handing their work to a daemon outside, which would build or write the real tree (SPEC Q14)."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from pathlib import Path

import platformdirs

_SWITCHES = {
    "MVND_NO_DAEMON": "true",
    "NX_DAEMON": "false",
    "PANTS_PANTSD": "false",
    "DISABLE_SPRING": "1",
    "MSBUILDDISABLENODEREUSE": "1",
    "DOTNET_CLI_USE_MSBUILD_SERVER": "0",
    "UseSharedCompilation": "false",
    "WATCHMAN_SOCK": "/nonexistent/watchman",
}
"""Each tool's own switch; watchman has none, so that it is not to be found."""
_PORTS = range(20_000, 32_768)
"""Below those that systems give out by themselves."""
_JVM = "-Dorg.gradle.daemon=false -Dkotlin.compiler.execution.strategy=in-process"
_BAZEL = re.compile(r"\bbazel(?:isk)?\b")


def without_daemons(ours: Mapping[str, str], command: str) -> dict[str, str]:
    """Variables by which the tools of `command` do their work themselves. `ours` is the environment they go on from."""
    found = {
        **_SWITCHES,
        "SCCACHE_SERVER_PORT": str(secrets.choice(_PORTS)),  # a server of this check's own
        "GRADLE_OPTS": f"{ours.get('GRADLE_OPTS', '')} {_JVM}".strip(),
    }
    if _BAZEL.search(command):  # its server is found by the workspace's path: give it a home of its own
        found["TEST_TMPDIR"] = str(Path(platformdirs.user_cache_path("compile-loop", appauthor=False), "bazel"))
    return found
