"""Which kind of isolated copy works here: found out by trying, said with its reasons (SPEC W1, Q13)."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from compile_loop.contracts.protocols import Shadow, ShadowError
from compile_loop.shadow.clone import CloneShadow
from compile_loop.shadow.confinement import Confinement, confinement_of
from compile_loop.shadow.copy import CopyShadow
from compile_loop.shadow.guard import Guard, guard_of
from compile_loop.shadow.overlay import OverlayShadow
from compile_loop.shadow.trial import Trial, try_clone, try_copy, try_guard, try_overlay

Wanted = Literal["auto", "overlay", "clone", "copy"]


def choose(
    root: Path,
    buffers: Mapping[str, bytes],
    wanted: Wanted = "auto",
    *,
    confine: bool = True,
    writable: Sequence[str] = (),
    unseen: Sequence[Path] = (),
    asides: bool = True,
    callables: bool = False,
    keep: Sequence[Path] = (),
    environment: Mapping[str, str] = os.environ,
) -> Shadow:
    """The best isolated copy of `root` (absolute, resolved) that works here, not laid out yet.

    `confine` keeps checks from writing elsewhere, temporary folders, caches and the folders `writable` excepted (SPEC
    Q14). `unseen` are folders and files that they cannot read, as far as that can be, and without `asides`
    there is no `aside` (SPEC K5).
    `keep` are folders that checks leave as they are even where they lie in a temporary folder.
    `callables`: checks run in this process, which an overlay cannot reach (SPEC Q15). Trying takes up to a few
    tenths of a second, once per process and file system. Raises `ShadowError` where `wanted` does not work.
    """
    refused: list[str] = []
    for strategy in _order(wanted, callables):
        trial = _TRIALS[strategy](root)
        if trial.ok:
            can_confine = confine and sys.platform == "linux"
            confinement = confinement_of(root, environment, writable, keep) if can_confine else None
            return _make(strategy, trial, root, buffers, confinement, refused, unseen, asides=asides)
        refused.append(f"no {strategy}: {trial.reason}")
    raise ShadowError(f"No isolated copy of {root} can be made: {'; '.join(refused)}.")


def explain(folder: Path) -> list[tuple[str, bool, str]]:
    """Every strategy for the workspace `folder`: its name, whether it works here, and how or why not."""
    root = folder.resolve()
    found = []
    for strategy, attempt in _TRIALS.items():
        trial = attempt(root)
        found.append((strategy, trial.ok, trial.reason))
    return found


_TRIALS = {"overlay": try_overlay, "clone": try_clone, "copy": try_copy}


def _order(wanted: Wanted, callables: bool) -> tuple[str, ...]:
    if wanted != "auto":
        if wanted == "overlay" and callables:
            raise ShadowError("Checks that are functions run in this process, which an overlay is not seen from.")
        return (wanted,)
    return ("clone", "copy") if callables else ("overlay", "clone", "copy")


def _make(
    strategy: str,
    trial: Trial,
    root: Path,
    buffers: Mapping[str, bytes],
    confinement: Confinement | None,
    refused: Sequence[str],
    unseen: Sequence[Path],
    *,
    asides: bool,
) -> Shadow:
    why = f" ({'; '.join(refused)})" if refused else ""
    if strategy == "overlay":
        assert trial.layers is not None
        elsewhere = _CONFINED if confinement is not None else _FREE
        said = f"{trial.reason}; {elsewhere}"
        return OverlayShadow(root, buffers, trial.layers, confinement, said, unseen, asides=asides)
    guard: Guard | None = guard_of(root, confinement, unseen) if try_guard(root).ok else None
    elsewhere = _UNGUARDED if guard is None else _CONFINED if confinement is not None else _FREE
    kind = CloneShadow if strategy == "clone" else CopyShadow
    return kind(root, buffers, place=trial.place, guard=guard, isolation=f"{trial.reason}; {elsewhere}{why}")


_CONFINED = "checks can write only to it, to temporary folders and to caches"
_FREE = "checks can also write outside the workspace"
_UNGUARDED = "what checks write elsewhere is not held back"
