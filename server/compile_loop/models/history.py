"""Makes a conversation valid before it is sent (SPEC M6)."""

from __future__ import annotations

from compile_loop.contracts.protocols import Message
from compile_loop.models.wire import Shape

_EMPTY = "(nothing)"


def valid_messages(messages: tuple[Message, ...], shape: Shape) -> list[Message]:
    """The messages as the endpoint can take them.

    A blank message gets a placeholder, since providers refuse empty text and to drop it would put two messages of the
    same role side by side; what was sent before stays a prefix of what is sent later (SPEC C2).
    """
    valid = [message if message.content.strip() else Message(message.role, _EMPTY) for message in messages]
    if shape.system_as_user:
        valid = [Message("user" if message.role == "system" else message.role, message.content) for message in valid]
    if shape.system_as_user or shape.alternating:
        valid = _merged(valid)
    return valid


def _merged(messages: list[Message]) -> list[Message]:
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            merged[-1] = Message(message.role, f"{merged[-1].content}\n\n{message.content}")
        else:
            merged.append(message)
    return merged
