"""What a shell does itself, in thought: `exit`, `set`, `trap`, `wait`, `test` and their like (SPEC Q9)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from compile_loop.checks.hearing import shell_commands as commands
from compile_loop.checks.hearing.judging import Kind
from compile_loop.checks.hearing.ways import (
    MOST_CALLS,
    Around,
    Flow,
    Place,
    Reached,
    State,
    Status,
    Ways,
    Why,
    files,
    one,
    onward,
    perhaps,
)

if TYPE_CHECKING:
    from compile_loop.checks.hearing.heard import Run


class Called(NamedTuple):
    """A command at its place; `spoilt` where a word of it is otherwise because of the failure."""

    command: commands.Command
    state: State
    around: Around
    spoilt: bool
    place: Place
    raw: str

    def on(self, status: Status) -> Ways:
        """The one way on, with an exit code."""
        return one(Flow.ON, self.state._replace(status=status))


def _exit(run: Run, at: Called) -> Ways:
    words = at.command.words
    flow = Flow.RETURN if words[0] == "return" else Flow.EXIT
    run.come_to(at.place)
    if len(words) == 1 or words[1] in ("$?", "${?}"):
        return one(flow, at.state)
    if at.spoilt:
        return one(flow, at.state._replace(status=run.failing))
    if re.fullmatch(r"-?\d+", words[1]) and int(words[1]):
        return one(flow, at.state._replace(status=Status.FAILED if run.new(at.place, at.around) else Status.UNSURE))
    return one(flow, at.state._replace(status=Status.ZERO))


def _false(run: Run, at: Called) -> Ways:
    run.reach(at.place, Reached(at.command.own, Kind.JUDGES, "false", at.state.folder, at.around.why))
    state, fails = run.tried(at.place, at.state)
    if fails:
        return one(Flow.ON, state._replace(status=Status.FAILED, failed=True))
    return at.on(Status.FAILED if run.new(at.place, at.around) else Status.UNSURE)


def _true(run: Run, at: Called) -> Ways:
    return at.on(Status.ZERO)


def _leave(run: Run, at: Called) -> Ways:
    flow = Flow.BREAK if at.command.words[0] == "break" else Flow.CONTINUE
    return one(flow, at.state._replace(status=Status.ZERO))


def _test(run: Run, at: Called) -> Ways:
    """How things stand: what the failure has changed, it may tell either way."""
    run.reach(at.place, Reached(at.command.words, Kind.ASKS, at.raw, at.state.folder, at.around.why))
    state, fails = run.tried(at.place, at.state)
    if fails:
        return one(Flow.ON, state._replace(status=run.failing, failed=True))
    if at.around.answer or at.spoilt:
        state = state._replace(spoilt=state.spoilt | frozenset(at.command.sets))
    if at.spoilt or at.command.names & files(state) or run.new(at.place, at.around):
        return perhaps(state)
    return one(Flow.ON, state._replace(status=Status.UNSURE))


def _set(run: Run, at: Called) -> Ways:
    errexit, pipefail = commands.options_of(at.command.words[1:], at.state.errexit, at.state.pipefail)
    return one(Flow.ON, at.state._replace(errexit=errexit, pipefail=pipefail, status=Status.ZERO))


def _declare(run: Run, at: Called) -> Ways:
    names = frozenset(at.command.sets)
    before = at.state.spoilt
    spoilt = before | names if at.spoilt or at.around.answer else before - names
    return one(Flow.ON, at.state._replace(status=Status.ZERO, spoilt=spoilt))


def _read(run: Run, at: Called) -> Ways:
    state = at.state
    if state.fed or at.spoilt or at.command.reads & state.spoilt:
        state = state._replace(spoilt=state.spoilt | frozenset(at.command.words[1:]))
    return one(Flow.ON, state._replace(status=Status.UNSURE))


def _trap(run: Run, at: Called) -> Ways:
    tree, signals = at.command.trapped
    state = at.state
    if {"EXIT", "0"} & signals:
        state = state._replace(trap=tree)
    if "ERR" in signals:
        state = state._replace(error=tree)
    return one(Flow.ON, state._replace(status=Status.ZERO))


def _wait(run: Run, at: Called) -> Ways:
    named = len(at.command.words) > 1
    run.waits = run.waits or not named
    status = Status.FAILED if named and at.state.behind else Status.ZERO
    return one(Flow.ON, at.state._replace(status=status, behind=at.state.behind and not named))


def _enter(run: Run, at: Called) -> Ways:
    plain = [word for word in at.command.words[1:] if not word.startswith("-")]
    folder = commands.joined(at.state.folder, plain[-1]) if plain else at.state.folder
    return one(Flow.ON, at.state._replace(folder=folder, status=Status.ZERO))


def _source(run: Run, at: Called) -> Ways:
    words = at.command.words
    tree = run.shell.sourced(words[1], at.state.folder) if len(words) > 1 else None
    if tree is None or len(at.around.calls) >= MOST_CALLS:
        run.unread = True
        return at.on(Status.ZERO)
    inside = at.around._replace(calls=(*at.around.calls, at.place.node)).inside(Why.SOURCED, words[1])
    return onward(run.run(tree, at.state, inside), Flow.RETURN)


SPECIAL = frozenset({"exit", "return", ":", "break", "continue", "export", "readonly", "set", "trap", ".", "eval"})
"""What no function can stand in for."""
OWN: dict[str, Callable[[Run, Called], Ways]] = {
    **dict.fromkeys(("exit", "return"), _exit),
    **dict.fromkeys(("true", ":"), _true),
    **dict.fromkeys(("break", "continue"), _leave),
    **dict.fromkeys(("test", "[", "[[", "((", "let"), _test),
    **dict.fromkeys(("export", "local", "declare", "readonly", "typeset"), _declare),
    **dict.fromkeys(("read", "mapfile", "readarray"), _read),
    **dict.fromkeys(("cd", "pushd"), _enter),
    **dict.fromkeys((".", "source"), _source),
    "false": _false,
    "set": _set,
    "trap": _trap,
    "wait": _wait,
}
