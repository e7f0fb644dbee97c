"""Asking tools for fixes in the isolated copy: each question one process, bounded (SPEC D5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from compile_loop.checks.child_environment import child_environment
from compile_loop.checks.process import run_process
from compile_loop.checks.shadow_sources import ShadowSources, user_lines
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.protocols import Shadow
from compile_loop.toolchains.advice import Question
from compile_loop.toolchains.answers import with_answer
from compile_loop.toolchains.registry import advisers

_SECONDS = 45.0
"""What one question may take; a language service loads a whole project first."""
_MOST_LINES = 20_000


class ToolAdvisers:
    """The advisers of every toolchain, run with a check's environment."""

    def __init__(self, environment: Mapping[str, str], secrets: Iterable[str] = ()) -> None:
        self._environment = child_environment(environment, frozenset(secrets), {})

    async def advise(self, shadow: Shadow, diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
        """The same diagnostics, with what the tools offer added."""
        advised = list(diagnostics)
        for adviser in advisers():
            for question in adviser(diagnostics, Path(shadow.root)):
                lines = await self._ask(question, shadow)
                sources = ShadowSources(shadow)
                advised = with_answer(advised, question, lines, root=shadow.root, sources=sources)
        return advised

    async def _ask(self, question: Question, shadow: Shadow) -> list[str]:
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
                idle_timeout=_SECONDS,
                total_timeout=_SECONDS,
                on_lines=keep,
            )
        except OSError:
            return []
        return [] if finished.stopped else lines
