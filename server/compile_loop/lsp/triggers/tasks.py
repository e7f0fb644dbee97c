"""A task of the editor's as a run: it is the check, its folder the workspace (SPEC D1, V3)."""

from __future__ import annotations

from compile_loop.lsp.documents import SafeWorkspace
from compile_loop.lsp.places import root_near
from compile_loop.lsp.protocol import RunParams, TaskEnded
from compile_loop.lsp.rpc import Refused


def task_params(documents: SafeWorkspace, ended: TaskEnded) -> RunParams:
    """The run that makes a task pass. Raises `Refused` for a task that can be seen to be no check."""
    task = ended.task
    if task.background:
        raise Refused(f"The task “{task.name}” runs in the background and never ends, so it cannot be a check.")
    if task.command_line is None and not task.words and "command" not in task.definition:
        raise Refused(
            f"The task “{task.name}” cannot be run as a check: its command is known to the extension that made it alone."
        )
    active = ended.facts.active if (ended.facts.active or "").startswith("file:") else None
    near = [task.folder] if task.folder else [active] if active else []
    if not task.folder:
        root_near(documents, near)
    return RunParams(scope="workspace", uris=near, task=task, file=active, encodings=ended.facts.encodings)
