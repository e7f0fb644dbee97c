"""The end of an output that nobody could read: one diagnostic without a file (SPEC D4)."""

from __future__ import annotations

from collections import deque

from compile_loop.contracts.diagnostics import Diagnostic, Phase
from compile_loop.toolchains.terminal import clean

LINES = 20
_WIDEST = 500
_CANNOT_RUN = frozenset({126, 127})


class Tail:
    """Remembers the last lines of an output."""

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=LINES * 2)
        self.add = self.lines.append

    def diagnostics(self, exit_code: int, hint: str) -> list[Diagnostic]:
        """The tail as one diagnostic that names the command."""
        shown = [clean(line[-4096:]).text.rstrip()[:_WIDEST] for line in self.lines]
        lines = [line for line in shown if line][-LINES:]
        text = "\n".join(lines) if lines else "The command printed nothing."
        command = f"`{hint}`" if hint else "The command"
        return [
            Diagnostic(
                message=f"{command} failed with exit code {exit_code}; the end of its output:\n{text}",
                phase=Phase.CONFIGURE if exit_code in _CANNOT_RUN else Phase.TEST,
                rendered=text,
            )
        ]
