"""What is known on the ways through a shell's text: exit codes, where they lead, what a failure has spoilt (SPEC Q9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import NamedTuple

from compile_loop.checks.hearing.judging import Kind
from compile_loop.checks.hearing.shell_tree import Node

MOST_CALLS = 8
SHOWN = "cat"
"""Stands for the text of loops and branches that only show what they are given."""
SAYS = "echo"
"""Stands for the text of branches that only say something, or count."""


class Status(IntEnum):
    """An exit code: zero, zero because of the failure, failing because of it, or either with nothing to do with it."""

    ZERO = 0
    ANSWERED = 1
    FAILED = 2
    UNSURE = 3


class Flow(IntEnum):
    """Where a command leads."""

    ON = 0
    EXIT = 1
    RETURN = 2
    BREAK = 3
    CONTINUE = 4


class Why(Enum):
    """What stands between a command and the exit code."""

    FOLLOWED = "what comes after it"
    PIPE = "a pipe"
    JUDGED = "a pipe to what judges its output"
    HANDLED = "what is done instead"
    BRANCH = "a branch"
    LOOP = "a loop"
    WAITING = "the condition of a loop"
    SOURCED = "a file that the shell reads in"
    OUTPUT = "its output is all that is used"
    BACKGROUND = "the background"
    EACH = "a program that runs it for each of many"


class TooMuchError(Exception):
    """A text with more ways through it than are gone."""


@dataclass
class Patience:
    """How many commands may still be looked at."""

    left: int

    def take(self) -> None:
        """Count one. Raises `TooMuchError` where none is left."""
        self.left -= 1
        if self.left < 0:
            raise TooMuchError


class Place(NamedTuple):
    """A command as it is come to: the calls of functions above it, and itself."""

    calls: tuple[int, ...]
    node: int


@dataclass(frozen=True, slots=True)
class Reached:
    """A command that may fail: its own words, where it runs, and what stands around it, the innermost first."""

    words: tuple[str, ...]
    kind: Kind
    raw: str
    folder: str
    around: tuple[tuple[Why, str], ...]
    drops: bool = False
    """Code of its own that starts a program, and goes on whatever that says."""

    def within(self, why: Why) -> bool:
        """Whether it stands in such a thing."""
        return any(each is why for each, _ in self.around)


class State(NamedTuple):
    """What is known between two commands. `spoilt` are variables and files that are otherwise because of the failure."""

    status: Status = Status.ZERO
    failed: bool = False
    spoilt: frozenset[str] = frozenset()
    fed: bool = False
    errexit: bool = False
    pipefail: bool = False
    behind: bool = False
    """Something in the background failed."""
    trap: Node | None = None
    """What is done at the end."""
    error: Node | None = None
    """What is done at each failure."""
    folder: str = "."
    tries: int = 0
    """How often the command that is looked at was tried."""


Ways = dict[tuple[Flow, Status, bool], State]


class Around(NamedTuple):
    """Where in the text a command stands: `tested` where its failure ends no shell, `answer` where it is done only
    because of the failure, `negated` behind a `!`; `why` are the things that it stands in, the innermost first;
    `turns` are the variables of the loops around, each with the first word that its loop goes through."""

    calls: tuple[int, ...] = ()
    arguments: tuple[str, ...] = ()
    tested: bool = False
    answer: bool = False
    negated: bool = False
    why: tuple[tuple[Why, str], ...] = ()
    turns: tuple[tuple[str, str], ...] = ()

    @property
    def asked(self) -> bool:
        """Whether what a command says is asked for, by `!` or `if`, and not shown."""
        return self.negated or (bool(self.why) and self.why[0][0] is Why.BRANCH)

    def inside(self, why: Why, raw: str = "") -> Around:
        """The same within one thing more."""
        return self._replace(why=((why, raw), *self.why))


@dataclass
class Shell:
    """How a shell is started, and how it gets at files that it reads in."""

    errexit: bool = False
    pipefail: bool = False
    arguments: tuple[str, ...] = ()
    sourced: Callable[[str, str], Node | None] = lambda word, folder: None


@dataclass
class Hearing:
    """What a text comes to, each with whether its failure is heard; `waits` where it waits
    for all without a name; `trapped` are those whose failure a trap takes away."""

    reached: dict[Place, Reached] = field(default_factory=dict)
    heard: set[Place] = field(default_factory=set)
    waits: bool = False
    trapped: set[Place] = field(default_factory=set)
    unread: bool = False
    """It reads in a file that is not there."""


NEGATED = {
    Status.ZERO: Status.UNSURE,
    Status.UNSURE: Status.UNSURE,
    Status.FAILED: Status.ANSWERED,
    Status.ANSWERED: Status.FAILED,
}


def one(flow: Flow, state: State) -> Ways:
    """A single way."""
    return {(flow, state.status, state.failed): state}


def add(ways: Ways, flow: Flow, state: State) -> None:
    """Add a way; ways that end alike become one that may be either."""
    key = (flow, state.status, state.failed)
    other = ways.get(key)
    if other is not None and other != state:
        state = state._replace(
            spoilt=state.spoilt | other.spoilt,
            errexit=state.errexit or other.errexit,
            pipefail=state.pipefail or other.pipefail,
            behind=state.behind or other.behind,
            fed=state.fed or other.fed,
            trap=state.trap or other.trap,
            error=state.error or other.error,
            tries=max(state.tries, other.tries),
        )
    ways[key] = state


def perhaps(state: State) -> Ways:
    """Failing because of the failure, or not."""
    found = one(Flow.ON, state._replace(status=Status.FAILED))
    add(found, Flow.ON, state._replace(status=Status.ANSWERED))
    return found


def onward(ways: Ways, ending: Flow) -> Ways:
    """Ways in which what ends one thing leads on behind it."""
    found: Ways = {}
    for (flow, _, _), now in ways.items():
        add(found, Flow.ON if flow is ending else flow, now)
    return found


def ended(ways: Ways) -> Ways:
    """Ways behind which the shell ends."""
    found: Ways = {}
    for now in ways.values():
        add(found, Flow.EXIT, now)
    return found


def taken(status: Status, sign: str) -> tuple[bool, bool]:
    """Whether what stands behind `&&` or `||` is done, and whether it is left out."""
    if status is Status.UNSURE:
        return True, True
    failing = status is Status.FAILED
    return (failing, not failing) if sign == "||" else (not failing, failing)


def files(state: State) -> frozenset[str]:
    """The files that the failure has spoilt."""
    return frozenset(name for name in state.spoilt if name.startswith("file:"))


def is_spoilt(names: Iterable[str], state: State) -> bool:
    """Whether one of these variables is otherwise because of the failure."""
    asked = {*names}
    if asked & state.spoilt:
        return True
    return "?" in asked and state.status in (Status.FAILED, Status.ANSWERED)
