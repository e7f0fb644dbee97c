"""What tools may reach of a run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from compile_loop.conversation.recall import Findings
from compile_loop.edits.apply import Target

Refusal = str


class Files(Protocol):
    """The run's files, as the tools see them."""

    @property
    def targets(self) -> list[Target]:
        """Every target as it is now."""
        ...

    async def write(self, changed: dict[str, bytes | None]) -> None:
        """Set targets to new bytes."""
        ...


@dataclass(slots=True)
class ToolContext:
    """What one round's calls share.

    `see` gives a workspace file's bytes, None where there is none, or says why it is not shown to a model. `ask_user`
    and `consult` are None where nobody is there to answer. `nominate` says why "no change needed" is refused, or None
    where it is accepted.
    `open_target` lets a file be edited that is no target yet, or says why not.
    `spilled` are texts too long for the conversation, by handle. `read_before` are reads of this round: (path, first,
    last) → what they gave.
    """

    files: Files
    see: Callable[[str], Awaitable[bytes | Refusal | None]]
    findings: Findings
    nominate: Callable[[str, str], Refusal | None]
    open_target: Callable[[str], Awaitable[Refusal | None]]
    allow_new_files: bool = False
    ask_user: Callable[[str, Sequence[str]], Awaitable[str]] | None = None
    consult: Callable[[str], Awaitable[str]] | None = None
    spilled: dict[str, str] = field(default_factory=dict)
    read_before: dict[tuple[str, int, int], bytes] = field(default_factory=dict)
    before_last_edit: dict[str, bytes | None] = field(default_factory=dict)
