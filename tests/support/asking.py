"""Asks a turn generator in tests, with waits that take no time and are kept."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

from compile_loop.contracts.protocols import Message, Reply, TextDelta, ToolSchema, TurnEvent, TurnGenerator
from compile_loop.models.choose import ModelSettings, Timeouts, make_generator
from compile_loop.models.http_turns import HttpTurnGenerator
from compile_loop.models.retry import Timing

QUESTION = (Message("system", "Fix it."), Message("user", "main.c:1: error"))
PUT = ToolSchema(
    "put",
    "Write a text into a file.",
    {"type": "object", "properties": {"p": {"type": "string"}, "text": {"type": "string"}}, "required": ["p"]},
)
READ = ToolSchema("read", "Read a file.", {"type": "object", "properties": {"p": {"type": "string"}}})
PUT_FILE = ToolSchema("put_file", "Write a file.", {"type": "object", "properties": {"p": {"type": "string"}}})
RUN_BUILD = ToolSchema("run_build", "Build.", {"type": "object", "properties": {}})
TOOLS = (PUT, READ, PUT_FILE, RUN_BUILD)
WALL = 1_700_000_000.0
"""The time of day in tests, seconds since the epoch: 14 November 2023."""


@dataclass
class Waits:
    """A sleep that returns at once and keeps what was asked of it."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)

    def timing(self) -> Timing:
        return replace(Timing(), sleep=self, wall=lambda: WALL, chance=lambda: 1.0)


def generator_for(
    base_url: str, waits: Waits | None = None, provider: str = "openai", **settings: Any
) -> HttpTurnGenerator:
    """A generator, of Chat Completions if nothing else is said, with short patience, in seconds, for `base_url`."""
    settings.setdefault("timeouts", Timeouts(connect=2.0, first_byte=5.0, idle=5.0))
    environ = settings.pop("environ", {})
    made = make_generator(ModelSettings(provider, "test-model", base_url=base_url, **settings), environ)
    assert isinstance(made, HttpTurnGenerator)
    made._timing = (waits or Waits()).timing()
    return made


async def all_events(
    generator: TurnGenerator, messages: tuple[Message, ...] = QUESTION, tools: tuple[ToolSchema, ...] = ()
) -> list[TurnEvent]:
    """Every event of one turn; gives the connections back."""
    events: AsyncIterator[TurnEvent] = generator.generate(messages, tools)
    try:
        return [event async for event in events]
    finally:
        await generator.aclose()


def reply_of(events: list[TurnEvent]) -> Reply:
    """The one reply, which comes last."""
    replies = [event for event in events if isinstance(event, Reply)]
    assert len(replies) == 1 and events[-1] is replies[0]
    return replies[0]


def shown_in(events: list[TurnEvent]) -> str:
    """What a user saw streaming in."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))
