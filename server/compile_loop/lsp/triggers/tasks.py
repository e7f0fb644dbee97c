"""A task of the editor's as a run: its command line is the check, its folder the workspace (SPEC D1, V3)."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from compile_loop.lsp.documents import SafeWorkspace
from compile_loop.lsp.places import file_of, root_near
from compile_loop.lsp.protocol import EditorTask, RunParams, TaskEnded
from compile_loop.lsp.rpc import Refused
from compile_loop.toolchains.variables import Variables


def task_params(documents: SafeWorkspace, ended: TaskEnded) -> RunParams:
    """The run that makes a task pass. Raises `Refused` for a task that cannot be run as a check."""
    task = ended.task
    if task.background:
        raise Refused(f"The task “{task.name}” runs in the background and never ends, so it cannot be a check.")
    active = ended.facts.active
    near = [task.folder] if task.folder else [active] if active and active.startswith("file:") else []
    root = file_of(task.folder) if task.folder else root_near(documents, near)
    return RunParams(
        scope="workspace",
        uris=[task.folder] if task.folder else near,
        check=command_line(task, root, active),
        encodings=ended.facts.encodings,
    )


def command_line(task: EditorTask, root: Path, active: str | None) -> str:
    """A task's command line for a shell, its variables replaced. Raises `Refused` with the one that has no value here."""
    file = file_of(active).as_posix() if active and active.startswith("file:") else None
    variables = Variables(root.as_posix(), file, environment=os.environ, home=Path.home().as_posix())
    try:
        if task.command_line is not None:
            line = variables.resolve(task.command_line)
        elif task.words:
            line = shlex.join(variables.resolve(word) for word in task.words)
        else:
            raise ValueError("its command is known to the extension that made it alone.")
        folder = variables.relative(variables.resolve(task.cwd)) if task.cwd else "."
        exports = [f"export {name}={shlex.quote(variables.resolve(value))}" for name, value in task.env.items()]
    except ValueError as error:
        raise Refused(f"The task “{task.name}” cannot be run as a check: {error}") from error
    steps = [*([f"cd {shlex.quote(folder)}"] if folder != "." else []), *exports, line]
    return " && ".join(steps) if sys.platform != "win32" else line
