"""Asking tools for fixes in the isolated copy: each question one process, bounded (SPEC D5)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from compile_loop.checks.child_environment import child_environment
from compile_loop.checks.process import run_process
from compile_loop.checks.shadow_sources import ShadowSources, user_lines
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.protocols import Advisers, Shadow
from compile_loop.toolchains.advice import Question
from compile_loop.toolchains.answers import with_answer
from compile_loop.toolchains.language_server.servers import server_question
from compile_loop.toolchains.registry import advisers, language_servers

_SECONDS = 45.0
"""What one question may take; a language service loads a whole project first."""
_SERVER_SECONDS = 30.0
"""What language servers may take in one run: the user waits for a model meanwhile."""
_MOST_LINES = 20_000


class AdvisersInTurn:
    """Several advisers: what the later ones offer comes after."""

    def __init__(self, *advisers: Advisers) -> None:
        self._advisers = advisers

    async def advise(self, shadow: Shadow, diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
        """The same diagnostics, with what all of them offer added."""
        for adviser in self._advisers:
            diagnostics = await adviser.advise(shadow, diagnostics)
        return diagnostics


class ToolAdvisers:
    """The advisers of every toolchain, run with a check's environment; then the user's language servers, where those gave none.

    For one run: a server that failed, or took all its time, is not asked again.
    """

    def __init__(self, environment: Mapping[str, str], secrets: Iterable[str] = ()) -> None:
        self._environment = child_environment(environment, frozenset(secrets), {})
        self._server_seconds = _SERVER_SECONDS
        self._failed: set[int] = set()

    async def advise(self, shadow: Shadow, diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
        """The same diagnostics, with what the tools offer added."""
        advised = list(diagnostics)
        for adviser in advisers():
            for question in adviser(diagnostics, Path(shadow.root)):
                advised = self._with_answer(advised, question, (await self._ask(question, shadow, _SECONDS))[0], shadow)
        return await self._ask_servers(shadow, diagnostics, advised)

    async def _ask_servers(
        self, shadow: Shadow, before: Sequence[Diagnostic], advised: list[Diagnostic]
    ) -> list[Diagnostic]:
        for number, servers in enumerate(language_servers()):
            # What the check itself printed was tried by now; only what is new is a reason not to ask.
            lacking = [now for was, now in zip(before, advised, strict=True) if not _gained(was, now)]
            for question in server_question(servers, lacking, Path(shadow.root)):
                if number in self._failed or self._server_seconds <= 0:
                    continue
                began = time.monotonic()
                lines, answered = await self._ask(question, shadow, min(_SECONDS, self._server_seconds))
                self._server_seconds -= time.monotonic() - began
                if answered:
                    advised = self._with_answer(advised, question, lines, shadow)
                else:
                    self._failed.add(number)
        return advised

    @staticmethod
    def _with_answer(
        advised: Sequence[Diagnostic], question: Question, lines: Sequence[str], shadow: Shadow
    ) -> list[Diagnostic]:
        return with_answer(advised, question, lines, root=shadow.root, sources=ShadowSources(shadow))

    async def _ask(self, question: Question, shadow: Shadow, seconds: float) -> tuple[list[str], bool]:
        """The lines of the answer, and whether the program ended well; no lines where it did not end by itself."""
        lines: list[str] = []

        def keep(more: list[str]) -> list[str]:
            if len(lines) < _MOST_LINES:
                lines.extend(user_lines(shadow, more))
            return []

        argv, cwd = shadow.command(question.command, question.cwd)
        try:
            finished = await run_process(
                argv,
                cwd=cwd,
                env=shadow.environment(self._environment),
                idle_timeout=seconds,
                total_timeout=seconds,
                on_lines=keep,
            )
        except OSError:
            return [], False
        return [] if finished.stopped else lines, finished.exit_code == 0


def _gained(before: Diagnostic, after: Diagnostic) -> bool:
    return any(one.safe for one in after.suggestions if one not in before.suggestions)
