"""The texts of all that decides about green: the check's line, what it runs and reads, tests and configuration (SPEC K6).

They are read when an edit is weighed, once a run.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path

from compile_loop.checks.expectations import SOURCE
from compile_loop.checks.followed import text_of
from compile_loop.checks.led_to import LedTo
from compile_loop.checks.protected import is_configuration, is_protected
from compile_loop.contracts.checks import Check

COMMAND = "the check’s command"
_MOST_TEXTS = 4000


class Role(Enum):
    """What a text has to say. A program that no name says checks may be the code itself."""

    RUNS = "runs"
    CONFIGURES = "configures"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Deciding:
    """A text that decides, and the workspace-relative path that it has; the check's own line has `COMMAND` for one."""

    path: str
    text: str
    role: Role


class DecidingTexts:
    """The texts of one run's checks; `of_checks` are programs that say by their names that they check."""

    def __init__(self, root: Path, checks: Sequence[Check], led: LedTo, of_checks: Collection[str]) -> None:
        self._root = root
        self._checks = checks
        self._led = led
        self._of_checks = of_checks

    @cached_property
    def all(self) -> tuple[Deciding, ...]:
        """Each of them, the check's own lines first."""
        lines = [Deciding(COMMAND, check.line, Role.RUNS) for check in self._checks]
        roles: dict[str, Role] = dict.fromkeys(sorted(self._led.texts), Role.RUNS)
        for path in sorted(self._led.programs):
            roles.setdefault(path, Role.RUNS if self.checks(path) else Role.PLAIN)
        for path in (*sorted(self._led.files), *self._led.protected):
            if is_configuration(path):
                roles.setdefault(path, Role.CONFIGURES)
            elif SOURCE.search(path):
                roles.setdefault(path, Role.RUNS)
        return (*lines, *(Deciding(path, self.text_of(path), role) for path, role in [*roles.items()][:_MOST_TEXTS]))

    @cached_property
    def sources(self) -> tuple[Deciding, ...]:
        """The code's own texts."""
        known = {each.path for each in self.all}
        return tuple(
            Deciding(path, self.text_of(path), Role.PLAIN)
            for path in self._led.sources[:_MOST_TEXTS]
            if path not in known
        )

    @property
    def programs(self) -> tuple[Deciding, ...]:
        """Programs that a check runs, and that are its own."""
        return tuple(each for each in self.all if each.path in self._led.programs and each.role is Role.RUNS)

    def checks(self, program: str) -> bool:
        """Whether a program that a check runs is the check's own, by its name or since it looks at the code."""
        return program in self._led.files or program in self._of_checks or is_protected(program)

    def text_of(self, path: str) -> str:
        """A file's text as the user has it; empty where there is none."""
        return text_of(self._root / path)
