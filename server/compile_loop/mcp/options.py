"""What whoever starts the tool decides, and no caller of it can change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from compile_loop.settings import Settings


@dataclass(frozen=True, slots=True)
class Options:
    """`root` is the only folder to work in; None: the client's roots, else the current folder.

    With `checks` those decide, and a caller can name no other command; without `caller_checks` it can name none at all.
    `model_reason` says why it is the settings' model.
    """

    settings: Settings
    root: Path | None = None
    checks: tuple[str, ...] = ()
    model_reason: str = ""
    caller_checks: bool = True

    @property
    def checks_are_given(self) -> bool:
        """Whether a caller has no say in what is run."""
        return bool(self.checks) or not self.caller_checks
