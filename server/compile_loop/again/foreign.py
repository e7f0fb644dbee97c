"""What counts of a record that is not of this machine's store: somebody else wrote it (SPEC Z1, Q26, R1).

How its run went counts: its files, its replies, how many rounds it had. Where anything is sent, what it may cost and what
checks may write to is for this machine's user to say, and so is whether its commands run at all.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from compile_loop.assemble import ConfigurationError, Job
from compile_loop.contracts.checks import Check
from compile_loop.contracts.inline_secrets import MARK
from compile_loop.record.store import Record

Agree = Callable[[Sequence[str]], bool]
"""Shows commands that somebody else wrote, and says whether they may run."""

COURSE = frozenset(
    {
        "check",
        "max_rounds",
        "max_steps",
        "max_holdout_rounds",
        "deadline_seconds",
        "check_idle_timeout_seconds",
        "check_timeout_seconds",
        "question_seconds",
        "context_window",
        "tool_mode",
        "system_prompt",
        "guardrails",
        "plan",
        "suggestions",
        "allow_new_files",
        "repair_memory",
    }
)
"""The settings, by name, that say how a run goes; all others are left to this machine."""
BUDGET = frozenset({"max_tokens_per_run", "max_cost"})
"""They end a run as it ended then, which costs nothing where no model is asked."""


def nobody(_commands: Sequence[str]) -> bool:
    """Nobody is there who could agree."""
    return False


def settings_of(record: Record, *, asks_model: bool) -> dict[str, Any]:
    """The recorded settings that count, by name: of our own record all."""
    if record.own:
        return dict(record.asked.settings)
    taken = COURSE if asks_model else COURSE | BUDGET
    return {name: value for name, value in record.asked.settings.items() if name in taken}


def agreed(record: Record, job: Job, agree: Agree, checks: Sequence[str] = ()) -> Job:
    """The recorded job, with `checks` instead of its own where there are any, once its commands may run.

    Raises `ConfigurationError` where it is somebody else's and nobody agrees to them.
    """
    if checks:
        job = replace(job, checks=(), settings=job.settings.model_copy(update={"check": ""}))
        if not record.own:
            job = replace(job, tasks={})
    kept_back = [] if checks else [line for line in (*job.checks, *job.holdouts, job.settings.check) if MARK in line]
    if kept_back:
        raise ConfigurationError(
            f"A command of run {visible(record.id)} held a secret, which its record does not keep: {visible(kept_back[0])}. "
            "Give the check again (`replay --check`), or start anew with `fix`."
        )
    commands = [] if record.own else commands_of(job)
    if commands and not agree(commands):
        raise ConfigurationError(
            f"Run {visible(record.id)} is not one of this machine's records, so its checks are commands that somebody else "
            f"wrote, and nothing was run: {'; '.join(commands)}. Add --trust-checks once you have looked at them."
        )
    return replace(job, checks=tuple(checks)) if checks else job


def commands_of(job: Job) -> list[str]:
    """Every command that the job brings along, each once, as a person can read it."""
    lines = [*job.checks, *([job.settings.check] if job.settings.check.strip() else []), *job.holdouts]
    texts = [visible(line) for line in lines if line.strip() not in job.tasks]
    return list(dict.fromkeys([*texts, *(_task(check) for check in job.tasks.values())]))


def visible(text: str) -> str:
    """Text of somebody else's for a terminal: nothing in it moves the cursor, hides, or turns what stands beside it."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def _task(check: Check) -> str:
    command = check.command if isinstance(check.command, str) else shlex.join(check.command)
    env: Mapping[str, str] = check.env
    named = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
    where = f" (in {check.cwd})" if check.cwd not in ("", ".") else ""
    return visible(f"{named} {command}".strip() + where)
