"""A run's events as lines on a terminal or in a log, as they happen."""

from __future__ import annotations

import time

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from compile_loop.contracts.checks import CheckResult
from compile_loop.contracts.events import (
    ChannelSwitched,
    CheckFinished,
    CheckStarted,
    Compacted,
    EditApplied,
    EditRefused,
    Event,
    HoldoutFinished,
    Minimised,
    ModelReplied,
    ModelText,
    Pass,
    PlanCompared,
    PlanMade,
    QuestionAsked,
    Regrounded,
    RolledBack,
    RoundFinished,
    RoundStarted,
    RunStarted,
    SuggestionApplied,
    SuggestionDropped,
    Suspected,
    ToolCalled,
    Waiting,
    Warned,
)
from compile_loop.contracts.outcome import Spending

_PASS = {
    Pass.BASELINE: "before",
    Pass.SUGGESTION: "suggested",
    Pass.ROUND: "check",
    Pass.HOLDOUT: "hidden",
    Pass.MINIMISE: "smaller?",
    Pass.FINAL: "confirm",
}


class Progress:
    """A listener that prints. On a terminal a status line also shows what is going on now."""

    def __init__(self, console: Console, show_errors: int = 5) -> None:
        self._console = console
        self._show_errors = show_errors
        self._status: Status | None = console.status("Starting") if console.is_terminal else None
        self._characters = 0
        self._shown_at = 0.0
        self._model = ""
        if self._status:
            self._status.start()

    def close(self) -> None:
        """Take the status line away."""
        if self._status:
            self._status.stop()

    def show(self, event: Event) -> None:
        """Print one event."""
        match event:
            case RunStarted():
                self._model = event.model or ""
                for check in event.checks:
                    command = check.command if isinstance(check.command, str) else " ".join(check.command)
                    self._line("check", f"{escape(command)}  [dim]({escape(check.reason)})[/dim]")
                self._line("model", escape(event.model) if event.model else "none: only what the toolchain suggests")
                self._line("isolation", escape(event.isolation))
            case CheckStarted():
                self._now(f"{_PASS[event.in_pass]}: running {event.check}")
            case CheckFinished():
                self._finished(event.in_pass, event.result)
            case SuggestionApplied():
                self._line(
                    "suggested",
                    f"{escape(event.file)}: {escape(event.message)}  {event.errors_before} → {event.errors_after} errors",
                )
            case SuggestionDropped():
                self._line("dropped", f"{escape(event.file)}: {escape(event.message)} ({event.reason})")
            case RoundStarted():
                self._characters = 0
                self._line(f"round {event.number}/{event.of}", f"asking {escape(self._model)}")
                self._now(f"round {event.number}: waiting for {self._model}")
            case ModelText():
                self._characters += len(event.text)
                if time.monotonic() - self._shown_at > 0.1:
                    self._shown_at = time.monotonic()
                    self._now(f"{self._model} is writing ({self._characters} characters)")
            case ModelReplied():
                self._line("reply", f"{self._characters} characters  [dim]{_tokens(event.spending)}[/dim]")
            case ToolCalled():
                self._line(
                    "tool",
                    f"{escape(event.name)} {escape(event.detail)}{'' if event.ok else '  [yellow]refused[/yellow]'}",
                )
            case PlanMade():
                for line in event.text.splitlines():
                    self._line("plan", escape(line))
            case PlanCompared() if event.left_out or event.unplanned:
                differs = [f"left out {path}" for path in event.left_out] + [
                    f"{path} was not planned" for path in event.unplanned
                ]
                self._line("plan", f"[yellow]{escape('; '.join(differs))}[/yellow]")
            case Regrounded():
                self._line("reground", "the model was told where it stands")
            case ChannelSwitched():
                self._line("channel", f"plain text from here on: {escape(event.reason)}")
            case Compacted():
                self._line("compact", f"{event.turns} oldest turns left out of the conversation")
            case QuestionAsked():
                self._line("question", escape(event.question))
            case EditApplied():
                self._line(
                    "edit", f"{event.blocks} {_plural(event.blocks, 'block')} in {escape(', '.join(event.files))}"
                )
            case EditRefused():
                self._line("refused", escape(event.reason.splitlines()[0]))
            case RoundFinished():
                self._line("", f"{event.errors_before} → {event.errors_after} errors")
            case HoldoutFinished():
                self._line(
                    "hidden",
                    f"{escape(event.name)}: {'passes' if event.ok else f'[red]fails[/red]  {escape(event.told)}'}",
                )
            case Minimised():
                self._line("smaller", f"{event.hunks} of {event.before} hunks are enough")
            case Suspected():
                for line in event.lines:
                    self._line("refused" if event.certain else "suspect", f"[yellow]{escape(line)}[/yellow]")
            case RolledBack():
                self._line("undone", f"{event.errors} errors are worse than {event.best}; back to the best state")
            case Waiting():
                self._line("waiting", f"{event.seconds:.0f} s: {escape(event.reason)}")
            case Warned():
                self._line("note", f"[yellow]{escape(event.message)}[/yellow]")
            case _:
                pass

    def _finished(self, in_pass: Pass, result: CheckResult) -> None:
        errors = len(result.errors)
        verdict = (
            "[green]passes[/green]"
            if result.ok
            else f"[red]{errors} {_plural(errors, 'error')}[/red]"
            if errors
            else f"[red]fails, exit code {result.exit_code}[/red]"
        )
        self._line(_PASS[in_pass], f"{escape(result.check)}  {verdict}  [dim]{result.duration:.1f} s[/dim]")
        if in_pass is Pass.BASELINE:
            for error in result.errors[: self._show_errors]:
                place = f"{error.file}:{error.range.start.line + 1}: " if error.file else ""
                self._line("", f"[dim]{escape(place)}{escape(error.message.splitlines()[0])}[/dim]")
            if errors > self._show_errors:
                self._line("", f"[dim]… and {errors - self._show_errors} more[/dim]")

    def _line(self, label: str, text: str) -> None:
        self._console.print(f"[bold]{label:>10}[/bold]  {text}", highlight=False, soft_wrap=True)

    def _now(self, text: str) -> None:
        if self._status:
            self._status.update(escape(text))


def _tokens(spending: Spending) -> str:
    about = "about " if spending.estimated else ""
    return f"{spending.calls} {_plural(spending.calls, 'call')}, {about}{spending.tokens} tokens so far"


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"
