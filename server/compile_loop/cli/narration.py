"""What each event says on a terminal or in a log: (label, text with rich markup)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from rich.markup import escape

from compile_loop.contracts import events as e
from compile_loop.contracts.checks import CheckResult
from compile_loop.contracts.counting import MOST_ERRORS, at_least, count, went
from compile_loop.contracts.events import Pass
from compile_loop.contracts.outcome import Spending

Line = tuple[str, str]

PASS = {
    Pass.BASELINE: "before",
    Pass.SUGGESTION: "tried",
    Pass.ROUND: "check",
    Pass.HOLDOUT: "hidden",
    Pass.MINIMISE: "smaller?",
    Pass.AGAIN: "steady?",
    Pass.FINAL: "confirm",
}
_SHOWN_ERRORS = 5


@singledispatch
def narrate(event: e.Event) -> Iterable[Line]:
    """The lines for one event; most pieces of a reply have none."""
    return ()


@narrate.register
def _(event: e.RunStarted) -> Iterable[Line]:
    for check in event.checks:
        yield "check", f"{escape(check.line)}  [dim]({escape(check.reason)})[/dim]"
    why = f"  [dim]({escape(event.model_reason)})[/dim]" if event.model_reason else ""
    yield "model", f"{escape(event.model)}{why}" if event.model else "none: only what the toolchain suggests"
    yield "isolation", escape(event.isolation)


@narrate.register
def _(event: e.CheckFinished) -> Iterable[Line]:
    result = event.result
    yield PASS[event.in_pass], f"{escape(result.check)}  {verdict(result)}  [dim]{result.duration:.1f} s[/dim]"


def verdict(result: CheckResult) -> str:
    """A check's end in a word or two."""
    found = len(result.errors)
    if result.ok:
        return "[green]passes[/green]"
    return f"[red]{count(found, 'error')}[/red]" if found else f"[red]fails, exit code {result.exit_code}[/red]"


def first_errors(result: CheckResult) -> Iterable[Line]:
    """The first errors of a baseline, so that a reader knows what is wrong."""
    for error in result.errors[:_SHOWN_ERRORS]:
        place = f"{error.file}:{error.range.start.line + 1}: " if error.file else ""
        first, *rest = error.message.splitlines()
        yield "", f"[dim]{escape(place)}{escape(first)}[/dim]"
        for line in () if error.file else rest:  # the end of an output that nobody could read
            yield "", f"[dim]  {escape(line)}[/dim]"
    if len(result.errors) > _SHOWN_ERRORS:
        more = ("at least " if len(result.errors) >= MOST_ERRORS else "") + str(len(result.errors) - _SHOWN_ERRORS)
        yield "", f"[dim]… and {more} more[/dim]"


@narrate.register
def _(event: e.SuggestionApplied) -> Iterable[Line]:
    yield "kept", f"{escape(event.file)}: {escape(event.message)}"


@narrate.register
def _(event: e.SuggestionDropped) -> Iterable[Line]:
    yield "dropped", f"{escape(event.file)}: {escape(event.message)} ({escape(event.reason)})"


@narrate.register
def _(event: e.ModelReplied) -> Iterable[Line]:
    yield "reply", f"[dim]{_spent(event.spending)}[/dim]"


@narrate.register
def _(event: e.PlanMade) -> Iterable[Line]:
    return [("plan", escape(line)) for line in event.text.splitlines()]


@narrate.register
def _(event: e.PlanCompared) -> Iterable[Line]:
    differs = [f"left out {path}" for path in event.left_out] + [f"{path} was not planned" for path in event.unplanned]
    if differs:
        yield "plan", f"[yellow]{escape('; '.join(differs))}[/yellow]"


@narrate.register
def _(event: e.ToolCalled) -> Iterable[Line]:
    yield "tool", f"{escape(event.name)} {escape(event.detail)}{'' if event.ok else '  [yellow]refused[/yellow]'}"


@narrate.register
def _(event: e.EditApplied) -> Iterable[Line]:
    yield "edit", f"{count(event.blocks, 'block')} in {escape(', '.join(event.files))}"


@narrate.register
def _(event: e.EditRefused) -> Iterable[Line]:
    yield "refused", escape(event.short or event.reason.splitlines()[0])


@narrate.register
def _(event: e.RoundFinished) -> Iterable[Line]:
    yield "", went(event.errors_before, event.errors_after)


@narrate.register
def _(event: e.RolledBack) -> Iterable[Line]:
    yield "undone", f"{count(event.errors, 'error')} after {at_least(event.best)}: worse, so back to the best state"


@narrate.register
def _(event: e.HoldoutFinished) -> Iterable[Line]:
    yield "hidden", f"{escape(event.name)}: {'passes' if event.ok else f'[red]fails[/red]  {escape(event.told)}'}"


@narrate.register
def _(event: e.Minimised) -> Iterable[Line]:
    yield "smaller", f"{event.hunks} of {event.before} hunks are enough"


@narrate.register
def _(event: e.Suspected) -> Iterable[Line]:
    return [("refused" if event.certain else "suspect", f"[yellow]{escape(line)}[/yellow]") for line in event.lines]


@narrate.register
def _(event: e.ProtectedCompared) -> Iterable[Line]:
    for path in event.broken:
        yield "refused", f"[yellow]{escape(path)} decides whether the code is right, and was changed[/yellow]"


@narrate.register
def _(event: e.Regrounded) -> Iterable[Line]:
    yield "reground", "the model was told where it stands"


@narrate.register
def _(event: e.ChannelSwitched) -> Iterable[Line]:
    yield "channel", f"plain text from here on: {escape(event.reason)}"


@narrate.register
def _(event: e.NotAsked) -> Iterable[Line]:
    lines = count(len(event.prompt.splitlines()), "line")
    yield (
        "not asked",
        f"no model is set; one would be sent the files, the errors and the check's output ({lines})",
    )


@narrate.register
def _(event: e.Compacted) -> Iterable[Line]:
    yield "compact", f"{count(event.turns, 'oldest turn')} left out of the conversation"


@narrate.register
def _(event: e.QuestionAsked) -> Iterable[Line]:
    yield "question", escape(event.question)


@narrate.register
def _(event: e.Waiting) -> Iterable[Line]:
    yield "waiting", f"{event.seconds:.0f} s: {escape(event.reason)}"


@narrate.register
def _(event: e.Warned) -> Iterable[Line]:
    yield "note", f"[yellow]{escape(event.message)}[/yellow]"


def _spent(spending: Spending) -> str:
    about = "about " if spending.estimated else ""
    cost = f", {spending.cost:.4f} spent" if spending.cost is not None else ""
    return f"{count(spending.calls, 'call')}, {about}{spending.tokens} tokens so far{cost}"
