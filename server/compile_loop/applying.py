"""A result laid over what the user did meanwhile, and verified again before anything is written (SPEC W3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from compile_loop.assemble import ConfigurationError, Job, contract_and_shadow
from compile_loop.contracts.checks import CheckResult, ContractResult
from compile_loop.contracts.edits import Edit, FileChange
from compile_loop.contracts.events import Pass
from compile_loop.contracts.outcome import Outcome
from compile_loop.contracts.protocols import ShadowError
from compile_loop.edits.rebase import Conflict, rebase
from compile_loop.engine.verdict import judge
from compile_loop.shadow.apply import ApplyError, apply_edit


@dataclass(frozen=True, slots=True)
class Laid:
    """An edit that fits the files as they are now. `moved` are the paths where it was laid over somebody's changes."""

    edit: Edit
    moved: tuple[str, ...]
    conflicts: tuple[Conflict, ...]


def lay_over(edit: Edit, now: Callable[[FileChange], bytes | None]) -> Laid:
    """Rebase every file; `now` gives a file's present bytes. The edit holds the files without a conflict."""
    changes: list[FileChange] = []
    moved: list[str] = []
    conflicts: list[Conflict] = []
    for change in edit.files:
        found = rebase(change, now(change))
        if isinstance(found, Conflict):
            conflicts.append(found)
            continue
        changes.append(found)
        if found is not change:
            moved.append(change.path)
    return Laid(Edit(tuple(changes)), tuple(moved), tuple(conflicts))


async def verify(job: Job, outcome: Outcome, edit: Edit, buffers: Mapping[Path, bytes]) -> str | None:
    """Run the job's contract on the present tree with `edit`; None where it is as good as the outcome was, else why not.

    `buffers` is text that is not saved now.
    """
    try:
        contract, shadow = await asyncio.to_thread(contract_and_shadow, replace(job, buffers=buffers))
        try:
            await shadow.open()
            await shadow.set_caches_apart()
            for change in edit.files:
                await shadow.write(change.path, change.after)
            result = await contract.run(shadow, Pass.FINAL, 0, lambda _event: None)
        finally:
            await shadow.close()
    except (ConfigurationError, ShadowError) as error:
        return f"It could not be verified again: {error}"
    return _why_not(job, outcome, edit, result)


def apply_to_disk(job: Job, outcome: Outcome, journals: Path, *, tries: int = 3) -> Collection[str]:
    """Write an outcome's edit, laid over what was saved meanwhile; returns the paths where that was needed.

    Blocks while the contract runs again. Raises `ApplyError`, with every file as it is.
    """
    root = job.root.resolve()
    edit = outcome.edit
    for left in reversed(range(tries)):
        laid = lay_over(outcome.edit, lambda change: _on_disk(root / change.path))
        if laid.conflicts:
            raise ApplyError(" ".join([*(c.sentence for c in laid.conflicts), "Nothing was written."]))
        edit = laid.edit
        if laid.moved and (reason := asyncio.run(verify(job, outcome, edit, {}))):
            names = ", ".join(laid.moved)
            raise ApplyError(
                f"{names} was changed meanwhile, and with that the edit does not hold: {reason} Nothing was written."
            )
        try:
            apply_edit(root, edit, journals)
        except ApplyError:
            if not left or not lay_over(edit, lambda change: _on_disk(root / change.path)).moved:
                raise
            continue
        return laid.moved
    return ()


def _why_not(job: Job, outcome: Outcome, edit: Edit, result: ContractResult) -> str | None:
    if result.environment:
        return f"It could not be verified again: {result.environment}"
    known = CheckResult("before", ok=False, exit_code=1, diagnostics=outcome.tally.remaining)
    focus = None
    if job.scope == "files":
        root = job.root.resolve()
        asked = {path.resolve().relative_to(root).as_posix() for path in job.targets}
        focus = frozenset(asked | set(edit.paths))
    verdict = judge(result, ContractResult((known,)), focus)
    allowed = 0 if outcome.ok else outcome.tally.errors_after
    if verdict.green or (not outcome.ok and 0 < len(verdict.blocking) <= allowed):
        return None
    first = next(iter(verdict.blocking), None)
    if first is None:
        failing = ", ".join(f"“{r.check}”" for r in result.results if not r.ok)
        return f"the check {failing} fails."
    where = f"{first.file}:{first.range.start.line + 1}: " if first.file else ""
    return f"{where}{first.message.splitlines()[0].rstrip('.')}."


def _on_disk(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None
