"""A task of a workspace's `tasks.json` that is to be the check: what it asks first, and what it then runs (SPEC D1)."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from compile_loop.contracts.checks import Check, Hidden
from compile_loop.toolchains.inputs import Input
from compile_loop.toolchains.manifest import text_of
from compile_loop.toolchains.matchers import Contributed
from compile_loop.toolchains.tasks import Task, TaskError, Tasks, as_one, checks_of, inputs_of, tasks_of
from compile_loop.toolchains.variables import Variables

PREFIX = "task:"
"""Before a task's label, where a check is named by a task instead of a command line."""


def label_in(line: str) -> str | None:
    """The label in a check's line that names a task; None for a command line."""
    line = line.strip()
    return line.removeprefix(PREFIX).strip() if line.startswith(PREFIX) else None


def line_of(label: str) -> str:
    """The check's line that names a task."""
    return f"{PREFIX} {label}"


class TaskCheck:
    """One task, not resolved yet. Raises `TaskError` where nobody could answer what it asks."""

    def __init__(self, task: Task, tasks: Tasks, variables: Variables) -> None:
        self.label = task.label
        self.inputs: tuple[Input, ...] = inputs_of(task, tasks)
        self._task = task
        self._tasks = tasks
        self._variables = variables

    def check(self, answers: Mapping[str, str] | None = None, contributed: Contributed | None = None) -> Check:
        """The check that the task is, with `answers` to its inputs by id. Raises `TaskError`.

        Where nobody can tell what extensions have `contributed`, their matchers are done without. A password is in what
        is started and nowhere else: the command shows its variable.
        """
        given, contributed = answers or {}, contributed or Contributed(complete=False)
        passwords = {each.id: given[each.id] for each in self.inputs if each.password and each.id in given}
        check = self._resolved(given, contributed)
        if not passwords:
            return check
        shown = self._resolved({**given, **{name: f"${{input:{name}}}" for name in passwords}}, contributed)
        return replace(shown, hidden=Hidden(check.command, check.env, tuple(passwords.values())))

    def _resolved(self, answers: Mapping[str, str], contributed: Contributed) -> Check:
        variables = replace(self._variables, answers=answers)
        checks = checks_of(self._task, self._tasks, variables, contributed, sys.platform)
        if len(checks) > 1 and os.name != "posix":
            raise TaskError(f"The task “{self.label}” depends on others, which only a POSIX shell can run in one line.")
        return as_one(checks)


def default_task(root: Path, targets: Sequence[Path] = ()) -> TaskCheck | None:
    """The default build task, or the only build task; None where there is none. Raises `TaskError`."""
    tasks = _tasks(root)
    task = tasks.default_build()
    return TaskCheck(task, tasks, _variables(root, targets)) if task else None


def named_task(root: Path, label: str, targets: Sequence[Path] = ()) -> TaskCheck | None:
    """The task with this label; None where there is none. Raises `TaskError`."""
    tasks = _tasks(root)
    task = tasks.tasks.get(label)
    return TaskCheck(task, tasks, _variables(root, targets)) if task else None


def _tasks(root: Path) -> Tasks:
    text = text_of(root / ".vscode" / "tasks.json")
    return tasks_of(text, sys.platform) if text else Tasks()


def _variables(root: Path, targets: Sequence[Path]) -> Variables:
    file = (root / targets[0]).as_posix() if len(targets) == 1 else None
    return Variables(root.as_posix(), file, environment=os.environ, home=Path.home().as_posix())
