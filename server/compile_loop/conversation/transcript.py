"""The conversation of a run: append-only, so that a provider's prefix cache holds (SPEC C1, C2)."""

from __future__ import annotations

from compile_loop.contracts.protocols import Message


class Transcript:
    """Messages in their order; nothing already sent is edited in place."""

    def __init__(self, system: str, task: str) -> None:
        self._messages: list[Message] = [Message("system", system), Message("user", task)]

    def replied(self, text: str) -> None:
        """The model's reply. An empty one is kept as a word, for providers that refuse empty messages."""
        self._messages.append(Message("assistant", text if text.strip() else "(no text)"))

    def tell(self, text: str) -> None:
        """What the model is told next."""
        self._messages.append(Message("user", text))

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages so far."""
        return tuple(self._messages)
