"""A run's check where that is a task: what it asks somebody is asked, and its matchers are looked up (SPEC D1, D2)."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from compile_loop.assemble import ConfigurationError, Job, tasks_wanted
from compile_loop.contracts.checks import Check
from compile_loop.lsp.protocol import EditorTask, PickItem
from compile_loop.lsp.rpc import Refused
from compile_loop.toolchains.inputs import Input
from compile_loop.toolchains.matchers import Contributed, MatcherError, plainly
from compile_loop.toolchains.task_check import label_in, line_of
from compile_loop.toolchains.tasks import TaskError
from compile_loop.toolchains.variables import Variables

if TYPE_CHECKING:
    from compile_loop.lsp.ui import Ui

ANSWER, LATER = "Answer…", "Not Now"
CHECK: Mapping[str, tuple[str, ...]] = {"Choose Check…": ("compileLoop.chooseCheck",)}
WORKSPACE = "Workspace"
"""What VS Code calls the source of tasks that a `tasks.json` holds."""


def label_of(task: EditorTask) -> str:
    """A task's name as the editor shows it, which tells two of different sources apart."""
    return task.name if task.source in ("", WORKSPACE) else f"{task.source}: {task.name}"


async def with_tasks(
    ui: Ui, job: Job, task: EditorTask | None = None, file: Path | None = None, *, quiet: bool = False
) -> Job:
    """The job with its tasks resolved. Raises `Refused`.

    `task` is the check where it is given, and `file` what its `${file}` means. `quiet`: nobody waits for questions.
    """
    if task is not None:
        job = replace(job, checks=(line_of(label_of(task)),))
    try:
        wanted = await asyncio.to_thread(tasks_wanted, job, file)
        if not wanted:
            return job
        declared = await ui.matchers()
        contributed = Contributed.of(declared.matchers, declared.patterns)
        resolved: dict[str, Check] = {}
        for line, found in wanted.items():
            if found is not None:
                answers = await _answers(ui, found.label, found.inputs, quiet=quiet)
                resolved[line] = found.check(answers, contributed)
            elif (theirs := task or await _of_editor(ui, line)) is not None:
                resolved[line] = _check(theirs, job, file, contributed)
    except (TaskError, ConfigurationError) as error:
        raise Refused(str(error), CHECK) from error
    return replace(job, tasks={**job.tasks, **resolved})


async def _of_editor(ui: Ui, line: str) -> EditorTask | None:
    label = label_in(line)
    return next((each for each in await ui.tasks() if label == label_of(each)), None)


async def _answers(ui: Ui, label: str, inputs: tuple[Input, ...], *, quiet: bool) -> dict[str, str]:
    answers: dict[str, str] = {}
    asks = " and ".join(f"“{_what(each)}”" for each in inputs)
    if inputs and quiet:  # a box that opens by itself would take the keys away from somebody who types
        pressed = await ui.message("info", f"The check is the task “{label}”, which asks {asks}.", ANSWER, LATER)
        if pressed != ANSWER:
            raise Refused(f"The task “{label}” got no answer to {asks}, so nothing was run.")
    for each in inputs:
        answer = await _answer(ui, f"Task {label}", each)
        if answer is None:
            raise Refused(f"The task “{label}” got no answer to “{_what(each)}”, so nothing was run.")
        answers[each.id] = answer
    return answers


async def _answer(ui: Ui, title: str, asked: Input) -> str | None:
    if not asked.choices:
        return await ui.ask(title, _what(asked), asked.default, password=asked.password)
    choices = sorted(
        asked.choices, key=lambda choice: choice.value != asked.default
    )  # the default first, as VS Code has it
    items = [
        PickItem(id=choice.value, label=choice.label, description="" if choice.label == choice.value else choice.value)
        for choice in choices
    ]
    picked = await ui.pick(title, items, placeholder=_what(asked))
    return picked[0] if picked else None


def _what(asked: Input) -> str:
    return asked.description or asked.id


def _check(task: EditorTask, job: Job, active: Path | None, contributed: Contributed) -> Check:
    """A task that only the editor knows: its command line, and its matchers by name. Raises `Refused`."""
    if task.background:
        raise Refused(f"The task “{task.name}” runs in the background and never ends, so it cannot be a check.")
    root = job.root.as_posix()
    file = active or (job.targets[0] if len(job.targets) == 1 else None)
    variables = Variables(root, file.as_posix() if file else None, environment=os.environ, home=Path.home().as_posix())
    try:
        matchers = tuple(plainly(list(task.matchers), variables.resolve, contributed))
        return Check(
            name=label_of(task),
            command=_command_line(task, variables),
            reason="it is a task of the editor",
            matchers=matchers,
        )
    except (MatcherError, ValueError) as error:
        raise Refused(f"The task “{task.name}” cannot be run as a check: {error}", CHECK) from error


def _command_line(task: EditorTask, variables: Variables) -> str:
    """A task's command line for a shell, its variables replaced. Raises `ValueError`."""
    if task.command_line is not None:
        line = variables.resolve(task.command_line)
    elif task.words:
        line = shlex.join(variables.resolve(word) for word in task.words)
    else:
        raise ValueError("its command is known to the extension that made it alone.")
    folder = variables.relative(variables.resolve(task.cwd)) if task.cwd else "."
    exports = [f"export {name}={shlex.quote(variables.resolve(value))}" for name, value in task.env.items()]
    steps = [*([f"cd {shlex.quote(folder)}"] if folder != "." else []), *exports, line]
    return " && ".join(steps) if sys.platform != "win32" else line
