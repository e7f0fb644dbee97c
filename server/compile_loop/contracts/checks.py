"""A check is a command with an expectation; the contract is all checks of a run (SPEC K1, K2)."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from compile_loop.contracts.counting import some
from compile_loop.contracts.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Expectation:
    """What makes a finished command pass; every part given must hold."""

    exit_zero: bool = True
    output_contains: tuple[str, ...] = ()
    json_equals: Mapping[str, object] = field(default_factory=dict)
    """JSON pointer (RFC 6901) into standard output → the value it must equal."""

    @property
    def empty(self) -> bool:
        """Whether it asserts nothing at all."""
        return not (self.exit_zero or self.output_contains or self.json_equals)


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a check is started with where that holds `passwords`, of which people, models and records see only names."""

    command: str | tuple[str, ...]
    env: Mapping[str, str]
    passwords: tuple[str, ...]


UNKNOWN = Hidden("", {}, ())
"""Of a check in a record: what it was started with is not kept."""


@dataclass(frozen=True, slots=True)
class Unrun:
    """Tests that lie beside the files, which a check that was found does not run; `line` is a command that would."""

    files: tuple[str, ...]
    line: str

    @property
    def sentence(self) -> str:
        """For whoever chose no check: what was left out, and what would not leave it out."""
        were = "was" if len(self.files) == 1 else "were"
        return f"{some(self.files, 3)} {were} not run; the check `{self.line}` would."


@dataclass(frozen=True, slots=True)
class Check:
    """A named command.

    `command` is an argument vector or, as one string, a line for the system's shell. `cwd` is relative to the workspace
    root. Timeouts are in seconds: `idle_timeout` without output and without processor use, `total_timeout` over all.
    `reason` says why this check was chosen, for people. `matchers` are problem matchers as plain data, for lines that no
    toolchain's reader takes. `hidden` stands in for `command` and `env` when the process is started.
    `unrun` are tests that a check that was found leaves out.
    """

    name: str
    command: str | tuple[str, ...]
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict)
    idle_timeout: float = 120.0
    total_timeout: float = 600.0
    expect: Expectation = field(default_factory=Expectation)
    reason: str = "as asked"
    matchers: tuple[Mapping[str, object], ...] = ()
    hidden: Hidden | None = field(default=None, repr=False)
    unrun: Unrun | None = None

    @property
    def line(self) -> str:
        """The command as one line, for people and for a POSIX shell."""
        return self.command if isinstance(self.command, str) else shlex.join(self.command)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How one check ended.

    `exit_code` is −1 where the command could not start or was ended by a timeout (then `stderr` holds the reason).
    `environment` is a sentence where the tool itself could not do its work (SPEC L3, Q7), so that no model is blamed
    for it; `timeout` is one where a timeout ended it. `stdout` and `stderr` are bounded excerpts; paths in them are the
    user's, never the shadow's. `duration` is in seconds. `tests` is how many tests ran, None where it does not tell.
    """

    check: str
    ok: bool
    exit_code: int
    stdout: str = ""
    stderr: str = ""
    duration: float = 0.0
    diagnostics: tuple[Diagnostic, ...] = ()
    environment: str | None = None
    timeout: str | None = None
    suspicious: tuple[str, ...] = ()
    tests: int | None = None

    @property
    def timed_out(self) -> bool:
        """Whether a timeout ended it; then nothing is known about the code (SPEC Q7)."""
        return self.timeout is not None

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that stand in the way of green."""
        return tuple(d for d in self.diagnostics if d.is_error)


@dataclass(frozen=True, slots=True)
class ContractResult:
    """All checks of one pass, in their order (SPEC L4: all run, also after one failed)."""

    results: tuple[CheckResult, ...]

    @property
    def ok(self) -> bool:
        """Whether every check met its expectation."""
        return bool(self.results) and all(r.ok for r in self.results)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Every error of every check."""
        return tuple(d for r in self.results for d in r.errors)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Every diagnostic of every check."""
        return tuple(d for r in self.results for d in r.diagnostics)

    @property
    def environment(self) -> str | None:
        """The first check's reason why it could not do its work, if any."""
        return next((r.environment for r in self.results if r.environment), None)

    @property
    def unfinished(self) -> str | None:
        """Why nothing is known about the code: a check could not do its work, or a timeout ended one (SPEC Q7)."""
        return self.environment or next((r.timeout for r in self.results if r.timed_out), None)

    @property
    def duration(self) -> float:
        """Seconds that all checks took together."""
        return sum(r.duration for r in self.results)

    @property
    def exit_code(self) -> int:
        """The first failing check's exit code, else 0."""
        return next((r.exit_code for r in self.results if not r.ok), 0)
