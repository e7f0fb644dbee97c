"""The contract over real commands: every check runs, its output is read as it comes (SPEC K2, L4, D4)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath

from compile_loop.checks.child_environment import child_environment, with_project_programs
from compile_loop.checks.console import console_encoding
from compile_loop.checks.daemons import without_daemons
from compile_loop.checks.expectation import suspicious, unmet
from compile_loop.checks.masked import masked
from compile_loop.checks.process import CMD, Finished, Stop, run_process
from compile_loop.checks.shadow_sources import ShadowSources, user_lines
from compile_loop.checks.test_counts import count_tests
from compile_loop.checks.tool_trouble import Advise, cannot_start, stuck, trouble
from compile_loop.checks.validate import ContractError, validate
from compile_loop.contracts.checks import Check, CheckResult, ContractResult, Hidden
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.events import CheckFinished, CheckStarted, DiagnosticFound, Event, Pass
from compile_loop.contracts.inline_secrets import secrets_of_vector, without_secrets
from compile_loop.contracts.protocols import Shadow
from compile_loop.toolchains.advice import is_inside
from compile_loop.toolchains.matchers import MatcherError, matchers_of
from compile_loop.toolchains.missing import advice
from compile_loop.toolchains.reading import OutputReader
from compile_loop.toolchains.registry import readable_environment

SHORTEST_PASSWORD = 4
"""Characters; what is shorter is left in a check's output, which would be unreadable without it."""


class CommandContract:
    """Checks that are commands. Raises `ContractError` on a contract that could not tell red from green."""

    def __init__(
        self,
        checks: Sequence[Check],
        environment: Mapping[str, str],
        secrets: Iterable[str] = (),
        redact: Callable[[str], str] = str,
    ) -> None:
        """`secrets` are names of variables that hold model keys; `redact` takes secrets out of what a check prints."""
        validate(checks)
        shown = [with_secrets_hidden(check) for check in checks]
        self.checks = tuple(replace(check, hidden=None) for check in shown)  # events and prompts are made of these
        self._hidden = {check.name: check.hidden for check in shown if check.hidden is not None}
        try:
            self._matchers = {check.name: matchers_of(check.matchers) for check in shown}
        except MatcherError as error:
            raise ContractError(str(error)) from error
        self._environment = dict(environment)
        self._secrets = frozenset(secrets)
        self._redact = redact
        self._masks: dict[str, tuple[str, ...]] = {}

    async def run(self, shadow: Shadow, in_pass: Pass, number: int, emit: Callable[[Event], None]) -> ContractResult:
        """Run every check in its order, also after one failed."""
        results = []
        for check in self.checks:
            emit(CheckStarted(check.name, in_pass, number))
            result = await self._run_one(check, shadow, emit)
            emit(CheckFinished(in_pass, number, result))
            results.append(result)
        return ContractResult(tuple(results))

    def _variables(self, check: Check, root: str) -> dict[str, str]:
        hidden = self._hidden.get(check.name)
        own_env = hidden.env if hidden else check.env
        readable = {name: value for name, value in readable_environment().items() if name not in self._environment}
        own = {**readable, **without_daemons(self._environment, _hint(check)), **own_env}
        return with_project_programs(child_environment(self._environment, self._secrets, own), root, check.cwd)

    def _redacting(self, hidden: Hidden | None) -> Callable[[str], str]:
        """What takes secrets and the check's own passwords out of its output."""
        if hidden is None:
            return self._redact
        passwords = [each for each in hidden.passwords if len(each) >= SHORTEST_PASSWORD]

        def redact(text: str) -> str:
            for password in passwords:
                text = text.replace(password, "[redacted]")
            return self._redact(text)

        return redact

    async def _run_one(self, check: Check, shadow: Shadow, emit: Callable[[Event], None]) -> CheckResult:
        hidden = self._hidden.get(check.name)
        command = hidden.command if hidden else check.command
        argv, cwd = shadow.command(shell_vector(command), check.cwd)
        redact = self._redacting(hidden)
        reader = OutputReader(
            root=shadow.root,
            cwd=_user_directory(shadow.root, check.cwd),
            sources=ShadowSources(shadow),
            hint=_hint(check),
            matchers=self._matchers[check.name],
        )
        variables = self._variables(check, shadow.root)
        root = Path(shadow.root)
        advise = partial(advice, directory=root / check.cwd, root=root)
        found: list[Diagnostic] = []
        told: set[tuple[object, ...]] = set()

        def tell(diagnostics: Iterable[Diagnostic]) -> None:
            """Once each; what comes to one that was told at a pause is in the result."""
            for one in diagnostics:
                complaint = (one.file, one.range.start, one.code, one.message.split("\n", 1)[0])
                if complaint not in told:
                    told.add(complaint)
                    emit(DiagnosticFound(check.name, one))

        def take(diagnostics: Sequence[Diagnostic]) -> None:
            found.extend(diagnostics)
            tell(diagnostics)

        def on_lines(lines: list[str]) -> list[str]:
            lines = _redacted(user_lines(shadow, lines), redact)
            for line in lines:
                if diagnostics := reader.feed(line):
                    take(diagnostics)
            return lines

        try:
            finished = await run_process(
                argv,
                cwd=cwd,
                env=shadow.environment(variables),
                idle_timeout=check.idle_timeout,
                total_timeout=check.total_timeout,
                on_lines=on_lines,
                on_pause=lambda: tell(reader.so_far()),
                encoding=console_encoding(),
            )
        except OSError as error:
            sentence = cannot_start(argv[0], error, variables.get("PATH", ""), advise)
            return CheckResult(check.name, ok=False, exit_code=-1, stderr=sentence, environment=sentence)
        take(reader.close(finished.exit_code))
        masks = await self._masked(check, root) if finished.stopped is None and finished.exit_code == 0 else ()
        return _result(check, finished, tuple(found), variables.get("PATH", ""), advise, masks)

    async def _masked(self, check: Check, root: Path) -> tuple[str, ...]:
        """Why it would pass whatever its programs say; looked for once."""
        if check.name not in self._masks:
            self._masks[check.name] = await asyncio.to_thread(masked, check, root)
        return self._masks[check.name]


def with_secrets_hidden(check: Check) -> Check:
    """The check with the secrets of its own command known to its process alone (SPEC R1)."""
    if check.hidden is not None or not (secrets := secrets_of_vector(check.command)):
        return check
    name = without_secrets(check.name)
    shown = without_secrets(check.command)
    return replace(check, name=str(name), command=shown, hidden=Hidden(check.command, check.env, tuple(secrets)))


def _redacted(lines: list[str], redact: Callable[[str], str]) -> list[str]:
    text = "\n".join(lines)
    kept = redact(text)
    return lines if kept == text else kept.split("\n")


def _result(
    check: Check,
    finished: Finished,
    diagnostics: tuple[Diagnostic, ...],
    path: str,
    advise: Advise,
    masks: tuple[str, ...],
) -> CheckResult:
    if finished.stopped is not None:
        sentence = _timeout(check, finished)
        return CheckResult(
            check.name,
            ok=False,
            exit_code=-1,
            stdout=finished.stdout,
            stderr=f"{finished.stderr}{sentence}\n",
            duration=finished.seconds,
            diagnostics=diagnostics,
            timeout=sentence,
        )
    missing = unmet(check.expect, finished.exit_code, finished.stdout, finished.stderr)
    located = sum(d.is_error and d.file is not None for d in diagnostics)
    ours = any(d.is_error and is_inside(d.file) for d in diagnostics)
    return CheckResult(
        check.name,
        ok=missing is None,
        exit_code=finished.exit_code,
        stdout=finished.stdout,
        stderr=finished.stderr + (f"Expected otherwise: {missing}.\n" if missing and finished.exit_code == 0 else ""),
        duration=finished.seconds,
        diagnostics=diagnostics,
        environment=trouble(finished.exit_code, finished.stdout, finished.stderr, ours, path, advise)
        if missing
        else None,
        tests=count_tests(f"{finished.stdout}\n{finished.stderr}"),
        suspicious=suspicious(finished.stdout, finished.stderr, located, check.line, check.expect, masks)
        if missing is None
        else (),
    )


def _timeout(check: Check, finished: Finished) -> str:
    if finished.stopped is Stop.IDLE:
        limit = f"idle timeout of {check.idle_timeout:g} s (setting checkIdleTimeoutSeconds)"
    else:
        limit = f"total timeout of {check.total_timeout:g} s (setting checkTimeoutSeconds)"
    return f"“{check.name}” was ended by its {limit}.{stuck(finished.last_line)}"


def shell_vector(command: str | tuple[str, ...], platform: str = sys.platform) -> Sequence[str]:
    """A command as a vector; a line goes to the platform's one shell, as it is (SPEC K1)."""
    if not isinstance(command, str):
        return command
    return (*CMD, command) if platform == "win32" else ("/bin/sh", "-c", command)


def _user_directory(root: str, cwd: str) -> str:
    return str(PurePath(root, cwd))


def _hint(check: Check) -> str:
    return check.command if isinstance(check.command, str) else " ".join(check.command)
