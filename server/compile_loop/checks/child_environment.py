"""The environment a check runs in: the user's own, unattended, without model keys (SPEC K3, Z1)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from compile_loop.contracts.secret_names import holds_key

_UNATTENDED = {
    "CI": "1",
    "NO_COLOR": "1",
    "CLICOLOR": "0",
    "CARGO_TERM_COLOR": "never",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
    "PYTHONUNBUFFERED": "1",
    "DEBIAN_FRONTEND": "noninteractive",
}
_OURS = re.compile(r"^(?:COMPILE_LOOP_.*|VSCODE_.*|ELECTRON_RUN_AS_NODE)$")


def model_keys(ours: Mapping[str, str], secrets: Iterable[str]) -> set[str]:
    """The names of variables that hold model keys: by their name, or since the user's settings name them."""
    return {name for name in ours if holds_key(name)} | set(secrets).intersection(ours)


def child_environment(ours: Mapping[str, str], secrets: Iterable[str], extra: Mapping[str, str]) -> dict[str, str]:
    """The check's environment.

    `secrets` are names of variables that hold model keys by the user's settings; `extra` is the check's own.
    """
    keys = model_keys(ours, secrets)
    kept = {name: value for name, value in ours.items() if name not in keys and not _OURS.match(name)}
    return {**kept, **_UNATTENDED, **extra}


def with_project_programs(environment: dict[str, str], root: str, cwd: str) -> dict[str, str]:
    """The project's own virtual environment before the rest of PATH, unless the user has one active.

    An editor that was started from a dock has no shell's PATH. `cwd` is relative to the workspace's root.
    """
    if environment.get("VIRTUAL_ENV"):
        return environment
    folders = [Path(root, at, name) for at in dict.fromkeys((cwd, ".")) for name in (".venv", "venv")]
    found = next((folder for folder in folders if (folder / "pyvenv.cfg").is_file()), None)
    if found is None:
        return environment
    programs = os.path.normpath(found / ("Scripts" if os.name == "nt" else "bin"))
    path = environment.get("PATH")
    return {**environment, "PATH": programs if not path else f"{programs}{os.pathsep}{path}"}
