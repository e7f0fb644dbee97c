"""What a run was asked for, as a record keeps it: enough to ask for the same again (SPEC R2, W4)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from compile_loop.contracts.checks import UNKNOWN, Check
from compile_loop.contracts.counting import some
from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range, Severity
from compile_loop.record.event_lines import diagnostic


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a face.

    `root` is the workspace's absolute path; `targets`, `buffers` and the keys of `encodings` count from it. `settings`
    are by name, without keys. `buffers` are the paths that had unsaved text. `tasks` are checks that were resolved from
    tasks, by their line; what they are started with where that holds a password is not kept.
    """

    root: str
    targets: tuple[str, ...]
    scope: str = "files"
    checks: tuple[str, ...] = ()
    holdouts: tuple[str, ...] = ()
    spec: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    encodings: Mapping[str, str] = field(default_factory=dict)
    buffers: tuple[str, ...] = ()
    reproduce: Diagnostic | None = None
    tasks: Mapping[str, Check] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What the run was about, for people: its files, or its folder."""
        return some(self.targets) or f"{Path(self.root).name}/"

    def out(self) -> dict[str, Any]:
        """As JSON."""
        value = asdict(replace(self, tasks={}))
        value["tasks"] = {line: _task_out(check) for line, check in self.tasks.items()}
        value["reproduce"] = None if self.reproduce is None else diagnostic(self.reproduce)
        return value


def asked_in(value: Mapping[str, Any]) -> Asked:
    """Read it back. Raises `KeyError`, `TypeError` or `ValueError` where it is not what `out` gave."""
    lists = {name: tuple(str(each) for each in value[name]) for name in ("targets", "checks", "holdouts", "buffers")}
    _usable(value["root"], *value["encodings"], *(each for many in lists.values() for each in many))
    return Asked(
        root=str(value["root"]),
        scope=str(value["scope"]),
        spec=str(value["spec"]),
        settings=dict(value["settings"]),
        encodings={str(path): str(name) for path, name in value["encodings"].items()},
        reproduce=None if value["reproduce"] is None else _diagnostic(value["reproduce"]),
        tasks={str(line): _task_in(each) for line, each in value.get("tasks", {}).items()},
        **lists,
    )


def _task_out(check: Check) -> dict[str, Any]:
    named = {"name": check.name, "command": check.command, "cwd": check.cwd, "env": dict(check.env)}
    return {**named, "reason": check.reason, "matchers": list(check.matchers), "password": check.hidden is not None}


def _task_in(value: Mapping[str, Any]) -> Check:
    """A task's check; one that had a password is not whole without it."""
    command = value["command"]
    _usable(*([command] if isinstance(command, str) else command), value["cwd"], *value["env"], *value["env"].values())
    return Check(
        name=str(value["name"]),
        command=command if isinstance(command, str) else tuple(map(str, command)),
        cwd=str(value["cwd"]),
        env={str(name): str(text) for name, text in value["env"].items()},
        reason=str(value["reason"]),
        matchers=tuple(dict(each) for each in value["matchers"]),
        hidden=UNKNOWN if value["password"] else None,
    )


def _diagnostic(value: Mapping[str, Any]) -> Diagnostic:
    start, end = value["range"]["start"], value["range"]["end"]
    return Diagnostic(
        message=str(value["message"]),
        file=None if value["file"] is None else str(value["file"]),
        range=Range.of(*(int(at[name]) for at in (start, end) for name in ("line", "character"))),
        severity=Severity(value["severity"]),
        code=value["code"],
        source=value["source"],
        phase=Phase[value["phase"].upper()],
    )


def _usable(*names: object) -> None:
    """No path and no command has a NUL in it, or half a character, which no system takes. Raises `ValueError`."""
    if any(b"\0" in os.fsencode(str(name)) for name in names):
        raise ValueError("name of a file or command")
