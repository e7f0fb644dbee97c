"""What a check that is a task asks: answered by `--input`, else by whoever is at the terminal (SPEC D1)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

import typer

from compile_loop.assemble import ConfigurationError, Job, tasks_wanted
from compile_loop.toolchains.inputs import Input
from compile_loop.toolchains.tasks import TaskError

HELP = "Answer to a question of the check, where that is a task of tasks.json: ID=VALUE. Give it again for more."


def with_tasks(job: Job, given: Sequence[str]) -> Job:
    """The job with its tasks resolved. Raises `ConfigurationError` that names the option for what nobody answered."""
    answers = _parsed(given)
    tasks = {line: task for line, task in tasks_wanted(job).items() if task is not None}
    known = {each.id for task in tasks.values() for each in task.inputs}
    if surplus := sorted(answers.keys() - known):
        raise ConfigurationError(f"No check of this run asks for {', '.join(surplus)} (--input).")
    try:
        resolved = {
            line: task.check({each.id: _answer(task.label, each, answers) for each in task.inputs})
            for line, task in tasks.items()
            if task.inputs or line
        }
    except TaskError as error:
        raise ConfigurationError(str(error)) from error
    return replace(job, tasks=resolved)


def _parsed(given: Sequence[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in given]
    if wrong := next((name for name, sign, _ in pairs if not sign or not name), None):
        raise ConfigurationError(f"--input {wrong} names no value. Write it as ID=VALUE.")
    return {name: value for name, _, value in pairs}


def _answer(label: str, asked: Input, answers: Mapping[str, str]) -> str:
    value = answers.get(asked.id)
    if value is None:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            what = f" ({asked.description})" if asked.description else ""
            raise ConfigurationError(
                f"The task “{label}” asks for ${{input:{asked.id}}}{what}. "
                f"Answer with --input {asked.id}=VALUE, or give another check with --check."
            )
        value = _asked(label, asked)
    if (reason := asked.refused(value)) is not None:
        raise ConfigurationError(reason)
    return value


def _asked(label: str, asked: Input) -> str:
    """Ask at the terminal. Enter takes the default."""
    typer.echo(f"The task “{label}” asks: {asked.description or asked.id}", err=True)
    if not asked.choices:
        shown = bool(asked.default) and not asked.password
        return str(
            typer.prompt(asked.id, default=asked.default, hide_input=asked.password, show_default=shown, err=True)
        )
    for number, choice in enumerate(asked.choices, 1):
        typer.echo(
            f"  {number}  {choice.label}{'' if choice.label == choice.value else f' ({choice.value})'}", err=True
        )
    values = [choice.value for choice in asked.choices]
    usual = values.index(asked.default) + 1 if asked.default in values else 1
    chosen: int = typer.prompt(asked.id, type=int, default=usual, err=True)
    return values[chosen - 1] if 1 <= chosen <= len(values) else str(chosen)
