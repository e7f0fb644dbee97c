"""Asking a tool for fixes that its output for people does not hold (SPEC D5).

Language services and linters know fixes that no compiler prints. A toolchain's `advise` turns a check's diagnostics into
questions: a command to run in the isolated copy, and how to read its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from compile_loop.contracts.diagnostics import Diagnostic, Suggestion
from compile_loop.toolchains.sources import Sources

Offered = Mapping[Diagnostic, tuple[Suggestion, ...]]
"""What is offered, by the diagnostic that it is for."""
ReadAnswer = Callable[[Sequence[str], str, Sources], Offered]
"""Lines of both streams, the workspace's root and the files as the tool saw them → what is offered."""


@dataclass(frozen=True, slots=True)
class Question:
    """A command to run in `cwd`, relative to the workspace's root, for the diagnostics `about`.

    Without `read` the command is the same tool in its machine-readable mode.
    """

    command: tuple[str, ...]
    about: tuple[Diagnostic, ...]
    read: ReadAnswer | None = None
    cwd: str = "."


Adviser = Callable[[Sequence[Diagnostic], Path], Iterator[Question]]
"""The diagnostics of a check and the workspace's root → what to ask. Pure but for looking for programs and manifests."""


def lacking(diagnostics: Sequence[Diagnostic], *sources: str) -> list[Diagnostic]:
    """The errors of `sources` in files of the workspace; none where any of them came with an offer.

    A tool that printed one offer printed all that it has.
    """
    theirs = [one for one in diagnostics if one.source in sources and one.is_error and is_inside(one.file)]
    return [] if any(one.suggestions for one in theirs) else theirs


def is_inside(file: str | None) -> bool:
    """Whether a diagnostic's file lies in the workspace."""
    return file is not None and not file.startswith("/") and file[1:2] != ":"
