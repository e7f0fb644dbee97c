"""Which files a run may write, and which errors it answers for (SPEC Q1, Q4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from compile_loop.contracts.checks import ContractResult
from compile_loop.contracts.diagnostics import Diagnostic, Phase
from compile_loop.engine.request import RunRequest


@dataclass(frozen=True, slots=True)
class TargetSet:
    """`writable` files in their order; in a run over the workspace more are added as they turn out to be needed.

    `focus`: files whose errors must go, None for the whole workspace; `refused` with reasons.
    """

    writable: tuple[str, ...]
    focus: frozenset[str] | None
    refused: tuple[tuple[str, str], ...]


def choose_targets(
    request: RunRequest,
    baseline: ContractResult,
    admit: Callable[[str, bool], str | None],
    tells_only: Callable[[Diagnostic], bool] = lambda _error: False,
) -> TargetSet:
    """The files asked for, plus files that the baseline's errors and their related locations name.

    In a run over files an error counts only if it touches a file asked for, itself or by a related location, or if the
    place it names says little about its cause: that of a failed test, of a link, or none. `tells_only` says that an error
    does not lie in the file it names, which only told of it.
    """
    asked = dict.fromkeys(request.targets)
    touching = [e for e in baseline.errors if _placeless(e) or asked.keys() & set(_files(e))]
    counted = touching if request.scope == "files" else _in_files(baseline)
    in_error = {e.file for e in counted if e.file}
    lies_in = {e.file for e in counted if request.scope != "files" or not (e.phase is Phase.TEST or tells_only(e))}
    writable = dict(asked)
    refused: dict[str, str] = {}
    for path in named_files(counted):
        if path in writable:
            continue
        reason = admit(path, path in lies_in)
        if reason is None:
            writable[path] = None
        else:
            refused[path] = reason
    focus = None
    if request.scope == "files":
        focus = frozenset(asked) | {path for path in in_error if path in writable or path in refused}
    return TargetSet(tuple(writable), focus, tuple(refused.items()))


def _in_files(baseline: ContractResult) -> list[Diagnostic]:
    """The errors; where none lies in a file, all that was said: warnings fail a check too (javac's -Werror)."""
    return list(baseline.errors if named_files(baseline.errors) else baseline.diagnostics)


def _placeless(error: Diagnostic) -> bool:
    return error.file is None or error.phase in (Phase.LINK, Phase.TEST)


def _files(diagnostic: Diagnostic) -> Iterable[str]:
    if diagnostic.file:
        yield diagnostic.file
    for related in diagnostic.related:
        if related.file:
            yield related.file


def named_files(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """Files inside the workspace, errors' own before related ones."""
    listed = list(diagnostics)
    named = dict.fromkeys(d.file for d in listed if d.file)
    named.update(dict.fromkeys(path for d in listed for path in _files(d)))
    return [path for path in named if path and not _absolute(path)]


def _absolute(path: str) -> bool:
    return path.startswith(("/", "\\", "..")) or path[1:2] == ":"
