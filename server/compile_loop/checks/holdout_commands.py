"""Holdouts that are commands: their files are laid in only for their own run (SPEC K5)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from compile_loop.checks.contract import CommandContract
from compile_loop.checks.missing_modules import missing_module
from compile_loop.checks.process import run_process
from compile_loop.contracts.checks import CheckResult
from compile_loop.contracts.events import CheckStarted, Event, Pass
from compile_loop.contracts.holdouts import Holdout, HoldoutResult, Reveals
from compile_loop.contracts.protocols import Shadow

_OBSERVED = 2000
_CHMOD_SECONDS = 60.0
_NOT_FOUND = re.compile(r"“([^”]+)” was not found")


class CommandHoldouts:
    """All holdouts of a run.

    `files` are the hidden files' bytes, read from the user's tree before the shadow was made. `in_sight` are the holdouts
    by name that have none, `programs` the files that may be executed.
    """

    def __init__(
        self,
        holdouts: Sequence[Holdout],
        files: Mapping[str, bytes],
        environment: Mapping[str, str],
        secrets: Sequence[str],
        redact: Callable[[str], str] = str,
        in_sight: Sequence[str] = (),
        programs: Sequence[str] = (),
    ) -> None:
        self.in_sight = tuple(in_sight)
        self._holdouts = tuple(holdouts)
        self._files = dict(files)
        self._programs = tuple(programs)
        self._path = environment.get("PATH", os.defpath)
        self._contract = CommandContract([h.check for h in holdouts], environment, secrets, redact)

    @property
    def hidden(self) -> Sequence[str]:
        """Files that must be absent from the shadow."""
        return tuple(self._files)

    async def run(
        self, shadow: Shadow, in_pass: Pass, number: int, emit: Callable[[Event], None]
    ) -> Sequence[HoldoutResult]:
        """Run every holdout with its files laid in, and take them out again, also when cancelled."""
        for path, data in self._files.items():
            await shadow.write(path, data)
        try:
            await self._make_executable(shadow)
            results = await self._contract.run(shadow, in_pass, number, _silent(emit))
        finally:
            for path in self._files:
                await shadow.write(path, None)
        return self._results(results.results, shadow.root)

    async def _make_executable(self, shadow: Shadow) -> None:
        """Give programs the mode that they have in the user's tree: a file that was away comes back as a plain one."""
        if not self._programs or os.name != "posix":
            return
        command, directory = shadow.command(("chmod", "+x", "--", *self._programs), ".")
        await run_process(
            command,
            cwd=directory,
            env=shadow.environment({"PATH": self._path}),
            idle_timeout=_CHMOD_SECONDS,
            total_timeout=_CHMOD_SECONDS,
            on_lines=lambda lines: lines,
        )

    def _results(self, results: Sequence[CheckResult], root: str) -> Sequence[HoldoutResult]:
        return [
            _judged(result, "" if result.ok else _told(holdout, result), root)
            for holdout, result in zip(self._holdouts, results, strict=True)
        ]


def _silent(emit: Callable[[Event], None]) -> Callable[[Event], None]:
    """Tell of starts only: a holdout's output and diagnostics reach no listener that a model could read."""

    def pass_on(event: Event) -> None:
        if isinstance(event, CheckStarted):
            emit(event)

    return pass_on


def _judged(result: CheckResult, told: str, root: str) -> HoldoutResult:
    """With what no edit can mend; a program of the workspace that is not there yet is what a build makes."""
    if result.environment is None:
        module = None if result.ok else missing_module(f"{result.stdout}\n{result.stderr}", Path(root))
        return HoldoutResult(result, told, module is not None, module or "", module is not None)
    found = _NOT_FOUND.search(result.environment)
    missing = found[1] if found else ""
    ours = "/" in missing and (missing.startswith(f"{root}/") or not missing.startswith("/"))
    return HoldoutResult(result, told, not ours, "" if "/" in missing else missing)


def _told(holdout: Holdout, result: CheckResult) -> str:
    """What may be said of a failure: what its author wrote, never its command, files or code."""
    if holdout.reveals is Reveals.NOTHING:
        return "a hidden check failed"
    output = f"{result.stdout}\n{result.stderr}"
    guidance = next((text for mark, text in holdout.guidance_for.items() if mark in output), holdout.guidance)
    if holdout.reveals is Reveals.GUIDANCE:
        return guidance or "a hidden check failed"
    return f"{guidance or 'A hidden check failed'}: {output.strip()[-_OBSERVED:]}"
