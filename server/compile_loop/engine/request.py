"""What a run is asked to do, and the parts it does it with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.protocols import Clock, Contract, Shadow, TurnGenerator

Scope = Literal["files", "workspace"]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One request.

    Paths are workspace-relative with forward slashes; `deadline` is in seconds for the whole run (SPEC L5).

    `encodings` are Python codec names by path, where the face knows better than detection. `reproduce` is the
    diagnostic that the run was asked from; the check must show it at the baseline (SPEC Q1).
    """

    targets: tuple[str, ...] = ()
    scope: Scope = "files"
    spec: str = ""
    max_rounds: int = 5
    deadline: float = 900.0
    suggestions: bool = True
    allow_new_files: bool = False
    encodings: Mapping[str, str] = field(default_factory=dict)
    reproduce: Diagnostic | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one run.

    `generator` None: only the toolchain's suggestions are tried. `admit` says why a path may not become a target, or
    None where it may (SPEC E10, Q4); its second argument tells whether an error of the baseline lies in the file
    itself.
    """

    shadow: Shadow
    contract: Contract
    generator: TurnGenerator | None
    admit: Callable[[str, bool], str | None]
    clock: Clock
