"""Whose failure a shell's text hears: each command is made to fail in thought, and the text's exit code looked at (SPEC Q9).

Nothing is run. All that cannot be told without running (a file that is there or not) is taken both ways. A command is
heard where any way leads from its failure to a failing exit code: by `&&`, `set -e`, `pipefail`, `|| exit 1`, a variable
that is looked at later, or a program that judges what it printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum

from compile_loop.checks.hearing import shell_commands as commands
from compile_loop.checks.hearing.judging import Kind
from compile_loop.checks.hearing.own_commands import OWN, SPECIAL, Called
from compile_loop.checks.hearing.shell_tree import (
    AndOr,
    Case,
    Function,
    Group,
    If,
    Loop,
    Node,
    Pipeline,
    Sequence,
    Simple,
    Word,
)
from compile_loop.checks.hearing.ways import (
    MOST_CALLS,
    NEGATED,
    SAYS,
    SHOWN,
    Around,
    Flow,
    Hearing,
    Patience,
    Place,
    Reached,
    Shell,
    State,
    Status,
    Ways,
    Why,
    add,
    ended,
    files,
    is_spoilt,
    one,
    onward,
    perhaps,
    taken,
)


def hear(tree: Node, shell: Shell, wanted: Callable[[Reached], bool], patience: Patience) -> Hearing:
    """Try each `wanted` command of a tree. Raises `TooMuchError`."""
    plain = Run(shell, patience)
    plain.outcome(tree)
    hearing = Hearing(plain.reached, waits=plain.waits, unread=plain.unread)
    for place, reached in plain.reached.items():
        if wanted(reached):
            once = Run(shell, patience, place, plain)
            if _heard(once, tree) or _heard_otherwise(once, tree, reached):
                hearing.heard.add(place)
            elif once.trapped:
                hearing.trapped.add(place)
    return hearing


def _heard(run: Run, tree: Node) -> bool:
    ways = run.outcome(tree)
    return any(failed and status is Status.FAILED for (_, status, failed) in ways)


def _heard_otherwise(once: Run, tree: Node, reached: Reached) -> bool:
    """Whether it is heard where it succeeds although it should not, or fails each time that it is tried again."""
    if _heard(once.again(Fails.INVERTED), tree):
        return True
    if not (reached.within(Why.LOOP) or reached.within(Why.WAITING)):
        return False
    always, never = once.again(Fails.ALWAYS), once.again(Fails.NEVER)
    heard = _heard(always, tree)
    never.outcome(tree)
    return heard and always.tries > never.tries


class Fails(Enum):
    """How the command that is looked at ends."""

    ONCE = "failing the first time"
    ALWAYS = "failing each time"
    NEVER = "never failing"
    INVERTED = "succeeding where it should not: `! ./a`, `if ./a; then exit 1; fi`"


class Run:
    """One way of thought through a text, in which the command at `target` fails."""

    def __init__(
        self,
        shell: Shell,
        patience: Patience,
        target: Place | None = None,
        plain: Run | None = None,
        fails: Fails = Fails.ONCE,
    ) -> None:
        self.shell, self.patience, self.target, self.plain, self.fails = shell, patience, target, plain, fails
        self.reached: dict[Place, Reached] = {}
        self.places: set[Place] = set()
        self.functions: dict[str, Node] = {}
        self.waits = self.trapped = self.unread = False
        self.tries = 0
        """How often the target is tried on the way on which it is tried most."""
        self.known: dict[tuple[int, tuple[str, ...], tuple[tuple[str, str], ...]], commands.Command] = (
            plain.known if plain else {}
        )
        """What each simple command is, with the trees of texts in it: a place is told by its node."""

    def again(self, fails: Fails) -> Run:
        """The same with another failure."""
        return Run(self.shell, self.patience, self.target, self.plain, fails)

    def outcome(self, tree: Node) -> Ways:
        """All ways to the end of the text, its trap included."""
        start = State(errexit=self.shell.errexit, pipefail=self.shell.pipefail)
        around = Around(arguments=self.shell.arguments)
        return self._ended(self.run(tree, start, around), around)

    def _ended(self, ways: Ways, around: Around) -> Ways:
        """A shell's end: its trap may set another exit code."""
        found: Ways = {}
        for (_, status, _), state in ways.items():
            if state.trap is None:
                add(found, Flow.ON, state)
                continue
            after = self.run(state.trap, state._replace(trap=None, errexit=False), around)
            for (flow, _, _), last in after.items():
                self.trapped = self.trapped or (
                    status is Status.FAILED and flow is Flow.EXIT and last.status is Status.ZERO
                )
                add(found, Flow.ON, last if flow is Flow.EXIT else last._replace(status=status))
        return found

    def run(self, node: Node | None, state: State, around: Around) -> Ways:
        """All ways through one command."""
        self.patience.take()
        match node:
            case Simple():
                return self._stops(self._simple(node, state, around), around)
            case Sequence():
                return self._sequence(node, state, around)
            case AndOr():
                return self._and_or(node, state, around)
            case Pipeline():
                ways = self._pipeline(node, state, around)
                return ways if node.negated else self._stops(ways, around)
            case If():
                return self._if(node, state, around)
            case Loop():
                return self._loop(node, state, around)
            case Case():
                return self._case(node, state, around)
            case Group():
                return self._group(node, state, around)
            case Function():
                self.functions[node.name] = node.body
        return one(Flow.ON, state._replace(status=Status.ZERO))

    def _stops(self, ways: Ways, around: Around) -> Ways:
        """`set -e` and `trap … ERR`: a failure that nothing asks about ends the shell, or does what was set."""
        if around.tested:
            return ways
        found: Ways = {}
        for (flow, status, _), state in ways.items():
            if flow is not Flow.ON or status is not Status.FAILED:
                add(found, flow, state)
                continue
            for leads, last in self._at_failure(state, around):
                add(found, Flow.EXIT if last.errexit and last.status is Status.FAILED else leads, last)
        return found

    def _at_failure(self, state: State, around: Around) -> Iterator[tuple[Flow, State]]:
        if state.error is None:
            yield Flow.ON, state
            return
        after = self.run(state.error, state._replace(error=None), around._replace(answer=True))
        for (flow, status, _), last in after.items():
            self.trapped = self.trapped or (flow is Flow.EXIT and status is Status.ZERO)
            yield (
                (flow, last) if flow is Flow.EXIT else (Flow.ON, last._replace(status=state.status, error=state.error))
            )

    # --- lists

    def _sequence(self, node: Sequence, state: State, around: Around) -> Ways:
        done: Ways = {}
        waiting: Ways = one(Flow.ON, state._replace(status=Status.ZERO) if not node.items else state)
        last = len(node.items) - 1
        for at, (each, background) in enumerate(node.items):
            after: Ways = {}
            inside = around if at == last else around.inside(Why.FOLLOWED, commands.raw_of(node.items[at + 1][0]))
            for before in waiting.values():
                ways = self._background(each, before, inside) if background else self.run(each, before, inside)
                for (flow, _, _), now in ways.items():
                    add(after if flow is Flow.ON else done, flow, now)
            waiting = after
        for now in waiting.values():
            add(done, Flow.ON, now)
        return done

    def _background(self, node: Node, state: State, around: Around) -> Ways:
        ways = self._apart(node, state, around.inside(Why.BACKGROUND))
        failed = any(each.failed for each in ways.values())
        behind = state.behind or any(status is Status.FAILED for (_, status, _) in ways)
        return one(Flow.ON, state._replace(status=Status.ZERO, failed=failed, behind=behind))

    def _and_or(self, node: AndOr, state: State, around: Around) -> Ways:
        tested = around._replace(tested=True)
        rest = " ".join(f"{sign} {raw}" for sign, _, raw in node.rest if sign == "||")
        first = tested.inside(Why.HANDLED, rest) if rest else tested
        done: Ways = {}
        waiting = self.run(node.first, state, first)
        for at, (sign, each, _) in enumerate(node.rest):
            after: Ways = {}
            own = around if at == len(node.rest) - 1 else first
            for (flow, status, _), now in waiting.items():
                if flow is not Flow.ON:
                    add(done, flow, now)
                    continue
                runs, skips = taken(status, sign)
                inside = own._replace(answer=own.answer or status in (Status.FAILED, Status.ANSWERED))
                if runs:
                    for (leads, _, _), then in self.run(each, now, inside).items():
                        add(after if leads is Flow.ON else done, leads, then)
                if skips:
                    left = self._without([each], now) if inside.answer else now
                    if sign == "||" and self.fails is Fails.INVERTED:
                        left = left._replace(
                            status=Status.ZERO
                        )  # a failure is reckoned with: nothing should not succeed
                    add(after, Flow.ON, left)
            waiting = after
        for now in waiting.values():
            add(done, Flow.ON, now)
        return done

    def _pipeline(self, node: Pipeline, state: State, around: Around) -> Ways:
        around = around._replace(negated=node.negated)
        if len(node.parts) == 1:
            ways = self.run(node.parts[0], state, around._replace(tested=True))
        else:
            ways = self._piped(node, state, around)
        if not node.negated:
            return ways
        found: Ways = {}
        for (flow, status, _), now in ways.items():
            add(found, flow, now._replace(status=NEGATED[status]) if flow is Flow.ON else now)
        return found

    def _piped(self, node: Pipeline, state: State, around: Around) -> Ways:
        now, broken = state._replace(fed=state.fed), False
        last = node.parts[-1]
        judged = isinstance(last, Simple) and self._judges_input(self._command(last, around), around)
        before = around.inside(Why.JUDGED if judged else Why.PIPE, commands.raw_of(last))
        for part in node.parts[:-1]:
            ways = self._apart(part, now, before)
            failed = any(each.failed for each in ways.values())
            broken = broken or any(status is Status.FAILED for (_, status, _) in ways)
            spoilt = now.spoilt.union(*(files(each) for each in ways.values()))
            now = now._replace(failed=failed, fed=now.fed or (failed and not now.failed) or broken, spoilt=spoilt)
        found: Ways = {}
        for (_, status, _), after in self._apart(last, now, around).items():
            bad = broken or status is Status.FAILED
            spoilt = state.spoilt | files(after) | ({"PIPESTATUS"} if bad else frozenset())
            whole = Status.FAILED if broken and state.pipefail else status
            add(found, Flow.ON, state._replace(status=whole, failed=after.failed, spoilt=spoilt))
        return found

    def _apart(self, node: Node, state: State, around: Around) -> Ways:
        """A command in a shell of its own: how it ends, and nothing of its variables, comes out."""
        return self._ended(self.run(node, state._replace(trap=None), around), around)

    def _without(self, nodes: Iterable[Node], state: State) -> State:
        """A state in which commands are left out because of the failure."""
        return state._replace(spoilt=state.spoilt.union(*(commands.set_in(node, self.functions) for node in nodes)))

    # --- compound commands

    def _if(self, node: If, state: State, around: Around) -> Ways:
        found: Ways = {}
        states: list[tuple[State, bool]] = [(state, around.answer)]
        bodies = [body for _, body in node.branches] + ([node.otherwise] if node.otherwise else [])
        says = SAYS if all(commands.only_says(body) for body in bodies) else ""
        for condition, body in node.branches:
            left: list[tuple[State, bool]] = []
            for before, answer in states:
                asked = around._replace(tested=True, answer=answer).inside(Why.BRANCH, says)
                for (flow, status, _), now in self.run(condition, before, asked).items():
                    if flow is not Flow.ON:
                        add(found, flow, now)
                        continue
                    caused = answer or status in (Status.FAILED, Status.ANSWERED)
                    spoilt = self._without(bodies, now) if caused else now
                    if status is not Status.FAILED:
                        inside = around._replace(answer=caused)
                        for (after, _, _), then in self.run(body, spoilt, inside).items():
                            add(found, after, then)
                    if status in (Status.FAILED, Status.UNSURE):
                        left.append((spoilt, caused))
                    elif status is Status.ZERO and not caused:  # what else is asked may be otherwise
                        left.append((now, caused))
            states = left
        for before, answer in states:
            if node.otherwise is None:
                add(found, Flow.ON, before._replace(status=Status.ZERO))
                continue
            for (flow, _, _), then in self.run(node.otherwise, before, around._replace(answer=answer)).items():
                add(found, flow, then)
        return found

    def _loop(self, node: Loop, state: State, around: Around) -> Ways:
        if node.condition is None:
            state, _ = self._outputs(node.words, state, around)
            if any(is_spoilt(word.names, state) for word in node.words):
                state = state._replace(spoilt=state.spoilt | {node.variable})
        done: Ways = {}
        waiting = one(Flow.ON, state)
        for _ in range(2):
            after: Ways = {}
            for before in waiting.values():
                for (flow, _, _), now in self._turn(node, before, around).items():
                    if flow in (Flow.ON, Flow.CONTINUE):
                        add(after, Flow.ON, now)
                    else:
                        add(done, Flow.ON if flow is Flow.BREAK else flow, now)
            failed = {key: now for key, now in after.items() if now.failed}
            waiting = failed if failed and not state.failed else after  # the first turn is the one that fails
        for now in waiting.values():
            add(done, Flow.ON, now)
        return done

    def _turn(self, node: Loop, state: State, around: Around) -> Ways:
        if node.condition is None:
            inside = around.inside(Why.LOOP)
            if node.words:
                inside = inside._replace(turns=((node.variable, node.words[0].text), *around.turns))
            return self.run(node.body, state, inside)
        found: Ways = {}
        left = any(each.raw == "break" for each in commands.simple_in(node.body))
        asked = around._replace(tested=True).inside(Why.BRANCH if left else Why.WAITING)
        for (flow, status, _), now in self.run(node.condition, state, asked).items():
            if flow is not Flow.ON:
                add(found, flow, now)
                continue
            caused = status in (Status.FAILED, Status.ANSWERED)
            inside = around._replace(answer=around.answer or caused).inside(Why.LOOP)
            for (after, _, _), then in self.run(node.body, now, inside).items():
                add(found, after, then)
            if caused:
                add(found, Flow.ON, self._without([node.body], now._replace(status=Status.ZERO)))
        return found

    def _case(self, node: Case, state: State, around: Around) -> Ways:
        shows = SHOWN if all(commands.only_says(branch) for branch in node.branches) else ""
        state, _ = self._outputs((node.word,), state, around, shows)
        caused = around.answer or is_spoilt(node.word.names, state)
        found = one(Flow.ON, state._replace(status=Status.ZERO))
        for branch in node.branches:
            for (flow, _, _), now in self.run(branch, state, around._replace(answer=caused)).items():
                add(found, flow, now)
        return found

    def _group(self, node: Group, state: State, around: Around) -> Ways:
        shows = SHOWN if isinstance(node.body, Loop) and commands.only_says(node.body.body) else ""
        state, fed = self._outputs([each.target for each in node.redirects], state, around, shows)
        inner = state._replace(fed=state.fed or fed or bool(commands.read(node.redirects) & state.spoilt))
        ways = (self._apart if node.subshell else self.run)(node.body, inner, around)
        found: Ways = {}
        for (flow, status, _), now in ways.items():
            made = commands.written(node.redirects) if now.failed and not state.failed else frozenset()
            if node.subshell:
                add(
                    found,
                    flow,
                    state._replace(status=status, failed=now.failed, spoilt=state.spoilt | files(now) | made),
                )
            else:
                add(found, flow, now._replace(fed=state.fed, spoilt=now.spoilt | made))
        return self._stops(found, around) if node.subshell else found

    # --- simple commands

    def _outputs(self, words: Iterable[Word], state: State, around: Around, raw: str = "") -> tuple[State, bool]:
        """The state after the commands in words, and whether one of them failed, so that the words are others."""
        bad, failed = False, state.failed
        status = state.status
        for word in words:
            for node in (*word.outputs, *word.into):
                why = around.inside(Why.OUTPUT, raw)
                ways = self._apart(node, state._replace(failed=failed, errexit=False), why)
                now_failed = any(each.failed for each in ways.values())
                bad = bad or any(s is Status.FAILED for (_, s, _) in ways) or (now_failed and not failed)
                failed = failed or now_failed
                status = Status.FAILED if any(s is Status.FAILED for (_, s, _) in ways) else Status.ZERO
        return state._replace(failed=failed, status=status), bad

    def _simple(self, node: Simple, state: State, around: Around) -> Ways:
        before = state.status
        values = [value for _, value in node.assigned]
        targets = [redirect.target for redirect in node.redirects]
        state, bad = self._outputs([*node.words, *values, *targets], state, around, node.raw)
        command = self._command(node, around)
        if not command.words:
            holds = any(value.outputs for value in values)
            own = state.status if holds else Status.ZERO
            state = state._replace(status=state.status if holds else before)
            for name, value in node.assigned:
                state = self._assign(name, value, state, bad, around)
            return one(Flow.ON, state._replace(status=own))
        state = state._replace(status=before)
        spoilt = bad or any(is_spoilt(word.names, state) for word in (*node.words, *targets))
        ways = self._called(node, command, state, around, spoilt)
        return ended(ways) if command.replaces else ways

    def _command(self, node: Simple, around: Around) -> commands.Command:
        key = (id(node), around.arguments, around.turns)
        if key not in self.known:
            self.known[key] = commands.in_turns(commands.command_of(node, around.arguments), around.turns)
        return self.known[key]

    def _assign(self, name: str, value: Word, state: State, bad: bool, around: Around) -> State:
        if around.answer or bad or is_spoilt(value.names, state):
            return state._replace(spoilt=state.spoilt | {name})
        return state._replace(spoilt=state.spoilt - {name})

    def _called(self, node: Simple, command: commands.Command, state: State, around: Around, spoilt: bool) -> Ways:
        name = command.words[0]
        place = Place(around.calls, id(node))
        if name in self.functions and name not in SPECIAL and len(around.calls) < MOST_CALLS:
            inside = around._replace(calls=(*around.calls, id(node)), arguments=command.words[1:])
            if spoilt:
                state = state._replace(spoilt=state.spoilt | {str(n) for n in range(1, 10)} | {"@", "*"})
            return onward(self.run(self.functions[name], state, inside), Flow.RETURN)
        if own := OWN.get(name):
            return own(self, Called(command, state, around, spoilt, place, node.raw))
        if (text := command.handed) is not None:
            return self._other_shell(command, text, state, around)
        return self._program(node, command, state, around, spoilt, place)

    def _other_shell(self, command: commands.Command, handed: commands.Handed, state: State, around: Around) -> Ways:
        """`sh -c '…'`, `eval '…'`, a shell with its text as a here-document."""
        if handed.here:
            return self.run(handed.tree, state, around)
        if handed.dropped:
            around = around.inside(Why.EACH, command.words[0])
        inner = state._replace(errexit=handed.errexit, pipefail=handed.pipefail, status=Status.ZERO)
        arguments = command.words[handed.at :] if handed.at else ()
        ways = self._apart(handed.tree, inner, around._replace(tested=False, arguments=tuple(arguments[1:])))
        after: Ways = {}
        for (_, how, _), now in ways.items():
            written = command.writes if now.failed and not state.failed else frozenset()
            status = Status.ZERO if handed.dropped else how
            add(
                after,
                Flow.ON,
                state._replace(status=status, failed=now.failed, spoilt=state.spoilt | files(now) | written),
            )
        return after

    def _program(
        self, node: Simple, command: commands.Command, state: State, around: Around, spoilt: bool, place: Place
    ) -> Ways:
        """A program: the one that fails, one that fails because of it, or another."""
        if command.each:
            around = around.inside(Why.EACH, command.words[0])
        self.reach(place, Reached(command.own, command.kind, node.raw, state.folder, around.why, command.drops))
        state, fails = self.tried(place, state)
        if fails:
            status = Status.ZERO if command.each or command.drops else self.failing
            return one(Flow.ON, state._replace(status=status, failed=True, spoilt=state.spoilt | command.writes))
        reads = state.fed or command.reads & state.spoilt or (command.names & files(state))
        judges = self._judges_input(command, around)
        if (reads or spoilt) and (judges or (spoilt and command.kind in (Kind.JUDGES, Kind.UNKNOWN))):
            return perhaps(state._replace(spoilt=state.spoilt | command.writes))
        if reads:
            state = state._replace(spoilt=state.spoilt | command.writes | command.copies)
        if command.kind is Kind.SHOWS:
            return one(Flow.ON, state._replace(status=Status.ZERO))
        if self.new(place, around) and self.fails is not Fails.INVERTED:
            found = perhaps(state)
            if self.unread and command.kind is Kind.UNKNOWN:  # perhaps a function that ends the shell
                add(found, Flow.EXIT, state._replace(status=Status.FAILED))
            return found
        return one(Flow.ON, state._replace(status=Status.UNSURE if command.kind is Kind.ASKS else Status.ZERO))

    @property
    def failing(self) -> Status:
        """The exit code of the command that fails."""
        return Status.ANSWERED if self.fails is Fails.INVERTED else Status.FAILED

    def _judges_input(self, command: commands.Command, around: Around) -> bool:
        return command.judges_input or (around.asked and command.kind is Kind.ASKS)

    def reach(self, place: Place, reached: Reached) -> None:
        """Note a command that may fail."""
        if self.plain is None:
            self.reached.setdefault(place, reached)
        self.come_to(place)

    def come_to(self, place: Place) -> None:
        """Note a place where something is decided."""
        self.places.add(place)

    def tried(self, place: Place, state: State) -> tuple[State, bool]:
        """The state after a command was tried, and whether this is where the failure is."""
        if place != self.target:
            return state, False
        state = state._replace(tries=state.tries + 1)
        self.tries = max(self.tries, state.tries)
        return state, self.fails is Fails.ALWAYS or (self.fails is not Fails.NEVER and not state.failed)

    def new(self, place: Place, around: Around) -> bool:
        """Whether something is come to only because of the failure."""
        return around.answer or (self.plain is not None and place not in self.plain.places)
