"""The conversation of a run: append-only, so that a provider's prefix cache holds (SPEC C1, C2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compile_loop.contracts.protocols import Message, ToolCall

KEPT_AT_LEAST = 2
"""Newest turns that compaction never drops: the latest failures stand in the last one."""
SHORTEST = 1_000
"""Characters of a text below which it is never cut."""
_CUT = "\n[… the middle of this text was left out, since it did not fit the model's window …]\n"


class Transcript:
    """Messages in their order; nothing already sent is edited in place until compaction drops whole turns."""

    def __init__(self, system: str, task: str) -> None:
        self._start = [Message("system", system), Message("user", task)]
        self._turns: list[list[Message]] = []
        self._dropped = 0

    @staticmethod
    def of(messages: Sequence[Message]) -> Transcript:
        """A conversation that was written down, to go on with."""
        talk = Transcript("", "")
        first = next((at for at, message in enumerate(messages) if message.role == "assistant"), len(messages))
        talk._start = list(messages[:first])
        for message in messages[first:]:
            if message.role == "assistant":
                talk._turns.append([])
            talk._turns[-1].append(message)
        return talk

    def replied(self, text: str, calls: tuple[ToolCall, ...] = ()) -> None:
        """The model's reply, which opens a turn.

        An empty one is kept as a word, for providers that refuse empty messages.
        """
        self._turns.append([Message("assistant", text if text.strip() or calls else "(no text)", calls)])

    def answered(self, call: ToolCall, text: str) -> None:
        """A tool's answer to a call of the newest reply."""
        self._turns[-1].append(Message("tool", text if text.strip() else "(nothing)", tool_call_id=call.id))

    def tell(self, text: str) -> None:
        """What the model is told next, as the end of the newest turn."""
        (self._turns[-1] if self._turns else self._start).append(Message("user", text))

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages so far."""
        marker = (
            [
                Message(
                    "user", f"[{self._dropped} earlier turns were left out to save room; their edits are in the files.]"
                )
            ]
            if self._dropped
            else []
        )
        return (*self._start, *marker, *(message for turn in self._turns for message in turn))

    def compact(self, room: int) -> int:
        """Drop the oldest whole turns until at most `room` characters are left; returns how many went.

        A turn is a reply with its calls, their results and what was said after, so no call loses its result. The system
        prompt, the task and the newest turns stay.
        """
        return self._drop(room, KEPT_AT_LEAST)

    def shorten(self, room: int) -> int:
        """Come down to about `room` characters, since the model takes no more; returns how many turns went.

        After the oldest turns, all but the newest, the middle of the longest texts goes. The system prompt stays.
        """
        dropped = self._drop(room, 1)
        if size(self.messages) > room:
            limit = self._limit_of_texts(room)
            for messages in (self._start, *self._turns):
                messages[:] = [
                    m if m.role == "system" else replace(m, content=_cut(m.content, limit)) for m in messages
                ]
        return dropped

    def _drop(self, room: int, keep: int) -> int:
        before = self._dropped
        while len(self._turns) > keep and size(self.messages) > room:
            del self._turns[0]
            self._dropped += 1
        return self._dropped - before

    def _limit_of_texts(self, room: int) -> int:
        """The most characters that each text may keep so that all of them have room."""
        lengths = [len(m.content) for m in self.messages if m.role != "system"]
        others = size(self.messages) - sum(lengths)
        low, high = SHORTEST, max([SHORTEST, *lengths])
        while low < high:
            middle = (low + high + 1) // 2
            if others + sum(min(length, middle) for length in lengths) > room:
                high = middle - 1
            else:
                low = middle
        return low


def size(messages: tuple[Message, ...]) -> int:
    """Characters of a request, calls included."""
    return sum(len(m.content) + sum(len(c.name) + len(c.arguments) for c in m.tool_calls) for m in messages)


def _cut(text: str, limit: int) -> str:
    """At most about `limit` characters, whole lines from head and tail where there are any."""
    if len(text) <= limit:
        return text
    head, tail = text[: limit // 3], text[-(limit - limit // 3) :]
    return (head.rpartition("\n")[0] or head) + _CUT + (tail.partition("\n")[2] or tail)
