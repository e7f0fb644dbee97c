"""What a run is asked to do, and the parts it does it with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.holdouts import Holdouts
from compile_loop.contracts.honesty import Inspect
from compile_loop.contracts.protected import ProtectedFiles
from compile_loop.contracts.protocols import (
    Advisers,
    AskUser,
    AuthGate,
    Clock,
    Contract,
    FileHold,
    RepairMemory,
    Shadow,
    TurnGenerator,
    Usage,
)
from compile_loop.engine.budget import Budget
from compile_loop.tools.catalogue import ToolMode
from compile_loop.tools.tool import Tool

Scope = Literal["files", "workspace"]
EditMode = Literal["diff", "full"]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One request.

    Paths are workspace-relative with forward slashes; `deadline` is in seconds for the whole run (SPEC L5).

    `encodings` are Python codec names by path, where the face knows better than detection. `reproduce` is the
    diagnostic that the run was asked from; the check must show it at the baseline (SPEC Q1). `context_window` is the
    model's, in tokens. `system` comes before the default system prompt (SPEC C4). `questions_wait` is how long a person
    may take to answer, in seconds (SPEC L12).
    """

    targets: tuple[str, ...] = ()
    scope: Scope = "files"
    spec: str = ""
    lang: str = ""
    system: str = ""
    edit_mode: EditMode = "diff"
    tool_mode: ToolMode = ToolMode.AUTO
    extra_tools: tuple[Tool, ...] = ()
    max_rounds: int = 5
    max_steps: int = 40
    deadline: float = 900.0
    budget: Budget = field(default_factory=Budget)
    context_window: int = 128_000
    suggestions: bool = True
    guardrails: bool = True
    plan: bool = True
    allow_new_files: bool = False
    encodings: Mapping[str, str] = field(default_factory=dict)
    reproduce: Diagnostic | None = None
    from_spec_alone: bool = False
    """Whether targets that are all absent or empty are written from the spec, without a baseline (SPEC P1)."""
    questions_wait: float = 600.0
    max_consults: int = 2
    max_holdout_rounds: int = 2
    minimise: bool = True
    confirm_baseline: bool = True
    """Whether a quick red baseline is run twice, to notice flaky failures (SPEC Q8)."""
    honesty_reports_only: bool = False


def _as_it_is(data: bytes) -> bytes:
    return data


def _all_readable(_path: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one run.

    `generator` None: only the toolchain's suggestions are tried. `admit` says why a path may not become a target, or
    None where it may (SPEC E10, Q4); its second argument tells whether an error of the baseline lies in the file
    itself. `readable` says the same of showing a file to a model, `concealed` of showing even the lines around
    an error; `sources` are the workspace's source files, where they are few enough to be shown at once; `redact` takes
    secrets out of a file that is no target before a model sees it. `price` is a call's cost in the account's currency,
    None where it is not known. `model_reason` says why it is this model, where nobody named it; `advice` how to get one
    where there is none. `advisers` are tools to ask for fixes that no check prints. `hold` keeps runs of other processes
    from the files.
    """

    shadow: Shadow
    contract: Contract
    generator: TurnGenerator | None
    admit: Callable[[str, bool], str | None]
    clock: Clock
    readable: Callable[[str], str | None] = _all_readable
    concealed: Callable[[str], str | None] = _all_readable
    sources: Callable[[], tuple[str, ...]] = tuple
    redact: Callable[[bytes], bytes] = _as_it_is
    tells_only: Callable[[Diagnostic], bool] = lambda _error: False
    consult: TurnGenerator | None = None
    consult_price: Callable[[Usage], float | None] | None = None
    ask_user: AskUser | None = None
    auth: AuthGate | None = None
    price: Callable[[Usage], float | None] | None = None
    memory: RepairMemory | None = None
    holdouts: Holdouts | None = None
    inspect: Inspect | None = None
    protected: ProtectedFiles | None = None
    model_reason: str = ""
    advice: str = "Choose one, as PROVIDER:NAME."
    advisers: Advisers | None = None
    hold: FileHold | None = None

    def may_become_target(self, path: str, has_error: bool) -> str | None:
        """`admit`, and nothing that no model may see."""
        return self.admit(path, has_error) or self.concealed(path)
