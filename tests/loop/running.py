"""Runs over real parts: a real folder, real processes, a real copy; only the model's replies are scripted."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from compile_loop.assemble import Job, start
from compile_loop.contracts.events import Event, RunFinished
from compile_loop.contracts.outcome import Outcome
from compile_loop.models.scripted import ScriptedGenerator, ScriptedReply
from compile_loop.settings import Settings

E = TypeVar("E", bound=Event)


@dataclasses.dataclass
class Told:
    """What a run told, and how it ended."""

    events: list[Event]
    model: ScriptedGenerator

    @property
    def outcome(self) -> Outcome:
        last = self.events[-1]
        assert isinstance(last, RunFinished)
        return last.outcome

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def asked(self) -> list[str]:
        """The last message of each request, as the model got it."""
        return [messages[-1].content for messages in self.model.requests]


def workspace(root: Path, **files: str) -> Path:
    """Write files; `a_c` names `a.c`, `sub__a_c` names `sub/a.c`."""
    for name, text in files.items():
        path = root / (name.replace("__", "/").rpartition("_")[0] + "." + name.rpartition("_")[2])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return root


def block(search: str, replace: str) -> str:
    return f"<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


async def fix(
    root: Path,
    replies: Sequence[str | ScriptedReply] = (),
    *,
    targets: Sequence[str] = (),
    settings: dict[str, Any] | None = None,
    **job: Any,
) -> Told:
    """Run to the end with scripted replies."""
    model = ScriptedGenerator(replies)
    run = start(
        Job(
            root=root,
            targets=tuple(root / t for t in targets),
            settings=Settings(**(settings or {})),
            scope="files" if targets else "workspace",
            generator=model,
            **job,
        )
    )
    return Told([event async for event in run], model)


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file below `root` with its bytes."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}
