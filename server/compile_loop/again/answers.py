"""Recorded answers of people and of stronger models, for a run that is done once more (SPEC L12, L13, R2)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from compile_loop.contracts.protocols import (
    AskUser,
    Message,
    ModelError,
    ModelErrorKind,
    Reply,
    ToolSchema,
    TurnEvent,
    TurnGenerator,
)
from compile_loop.models.turn_log import Turn
from compile_loop.tools.ask_user import ASK_USER, DISMISSED, LATE
from compile_loop.tools.consult import CONSULT, FAILED, WITHOUT_IT
from compile_loop.tools.tool import Tool


class RecordedAnswers:
    """Answers in their order; after the last one `live` is asked, if anybody is there."""

    def __init__(self, turns: Sequence[Turn], live: AskUser | None = None) -> None:
        self._answers = deque(_answers(turns, ASK_USER))
        self._live = live

    async def ask(self, question: str, choices: Sequence[str]) -> str:
        """The recorded answer; a question that nobody answered in time is late again."""
        if not self._answers:
            return await self._live.ask(question, choices) if self._live is not None else ""
        answer = self._answers.popleft()
        if answer == LATE:
            raise asyncio.TimeoutError
        return "" if answer == DISMISSED else answer


class RecordedAdvice:
    """A stronger model's answers in their order; after the last one `live` is asked, if there is one."""

    def __init__(self, turns: Sequence[Turn], live: TurnGenerator | None = None) -> None:
        self._answers = deque(_answers(turns, CONSULT))
        self._live = live

    @property
    def name(self) -> str:
        """The live model's."""
        return self._live.name if self._live is not None else "replay:consult"

    async def generate(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()
    ) -> AsyncGenerator[TurnEvent, None]:
        """The recorded answer; one that failed fails again."""
        if self._answers:
            answer = self._answers.popleft()
            if answer.startswith(FAILED) and answer.endswith(WITHOUT_IT):
                raise ModelError(ModelErrorKind.UNAVAILABLE, answer.removeprefix(FAILED).removesuffix(WITHOUT_IT))
            yield Reply(answer)
            return
        if self._live is None:
            raise ModelError(ModelErrorKind.CONFIGURATION, "No further answer of the stronger model is recorded.")
        async with aclosing(self._live.generate(messages, tools)) as events:
            async for event in events:
                yield event

    async def aclose(self) -> None:
        """Close the live model."""
        if self._live is not None:
            await self._live.aclose()


def asks(turns: Sequence[Turn], tool: Tool = ASK_USER) -> bool:
    """Whether the model was offered to ask somebody: a person, or with `CONSULT` a stronger model."""
    return any(tool.name in turn.tools for turn in turns)


def _answers(turns: Sequence[Turn], tool: Tool) -> list[str]:
    """What stands in the requests as answers to calls of this tool, each once."""
    asked: set[str] = set()
    answered: dict[str, str] = {}
    for turn in turns:
        for message in turn.messages:
            asked.update(call.id for call in message.tool_calls if call.name == tool.name)
            if message.tool_call_id in asked:
                answered.setdefault(str(message.tool_call_id), message.content)
    return list(answered.values())
