"""A person's recorded answers, for a run that is done once more (SPEC L12, R2)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from compile_loop.contracts.protocols import AskUser
from compile_loop.models.turn_log import Turn
from compile_loop.tools.ask_user import ASK_USER, DISMISSED, LATE


class RecordedAnswers:
    """Answers in their order; after the last one `live` is asked, if anybody is there."""

    def __init__(self, turns: Sequence[Turn], live: AskUser | None = None) -> None:
        self._answers = deque(_answers(turns))
        self._live = live

    async def ask(self, question: str, choices: Sequence[str]) -> str:
        """The recorded answer; a question that nobody answered in time is late again."""
        if not self._answers:
            return await self._live.ask(question, choices) if self._live is not None else ""
        answer = self._answers.popleft()
        if answer == LATE:
            raise asyncio.TimeoutError
        return "" if answer == DISMISSED else answer


def asks(turns: Sequence[Turn]) -> bool:
    """Whether the model was offered to ask somebody."""
    return any(ASK_USER.name in turn.tools for turn in turns)


def _answers(turns: Sequence[Turn]) -> list[str]:
    """What stands in the requests as answers to questions, each once."""
    asked: set[str] = set()
    answered: dict[str, str] = {}
    for turn in turns:
        for message in turn.messages:
            asked.update(call.id for call in message.tool_calls if call.name == ASK_USER.name)
            if message.tool_call_id in asked:
                answered.setdefault(str(message.tool_call_id), message.content)
    return list(answered.values())
