"""Makes a conversation valid before it is sent (SPEC M6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compile_loop.contracts.json_text import value_in
from compile_loop.contracts.protocols import Message, ToolCall
from compile_loop.models.wire import Shape

_EMPTY = "(nothing)"
_INTERRUPTED = "(interrupted: this call was not run)"


def valid_messages(messages: Sequence[Message], shape: Shape) -> list[Message]:
    """The messages as the endpoint can take them.

    A blank message gets a placeholder, since providers refuse empty text and to drop it would put two messages of the
    same role side by side; what was sent before stays a prefix of what is sent later (SPEC C2). Every call is followed
    by its result, one that never ran by a note that says so; a result without its call is left out. Arguments are a
    JSON object's text.
    """
    valid = _answered([_filled(message) for message in messages])
    if "tools" in shape.dropped:
        valid = [_told(message) for message in valid]
    if shape.system_as_user:
        valid = [replace(message, role="user") if message.role == "system" else message for message in valid]
    if shape.system_as_user or shape.alternating or "tools" in shape.dropped:
        valid = _merged(valid)
    return valid


def object_arguments(call: ToolCall) -> dict[str, object]:
    """A call's arguments; none where they are no JSON object, which the model has been told of (SPEC M4)."""
    try:
        value = value_in(call.arguments or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _filled(message: Message) -> Message:
    calls = tuple(
        call if object_arguments(call) and call.arguments.strip() else replace(call, arguments="{}")
        for call in message.tool_calls
    )
    blank = not message.content.strip()
    content = message.content if not blank else "" if calls else _EMPTY
    return replace(message, content=content, tool_calls=calls)


def _answered(messages: list[Message]) -> list[Message]:
    """Each assistant's calls followed at once by their results, in the calls' order."""
    answered: list[Message] = []
    for at, message in enumerate(messages):
        if message.role == "tool":
            continue
        answered.append(message)
        if message.tool_calls:
            results = _results_after(messages, at)
            missing = Message("tool", _INTERRUPTED)
            answered += [replace(results.get(call.id, missing), tool_call_id=call.id) for call in message.tool_calls]
    return answered


def _results_after(messages: list[Message], at: int) -> dict[str, Message]:
    """The results between the assistant's message at `at` and its next one, by the call that they answer."""
    results: dict[str, Message] = {}
    for message in messages[at + 1 :]:
        if message.role == "assistant":
            break
        if message.role == "tool" and message.tool_call_id is not None:
            results.setdefault(message.tool_call_id, message)
    return results


def _told(message: Message) -> Message:
    """Calls and results as plain text, for an endpoint that takes no tools."""
    if message.role == "tool":
        return Message("user", f"Result of {message.tool_call_id}:\n{message.content}")
    if not message.tool_calls:
        return message
    calls = [f"(called {call.name} as {call.id} with {call.arguments})" for call in message.tool_calls]
    return Message(message.role, "\n".join([message.content, *calls] if message.content else calls))


def _merged(messages: list[Message]) -> list[Message]:
    """Neighbours of one role joined, save around tool calls, whose results each stand alone."""
    merged: list[Message] = []
    for message in messages:
        last = merged[-1] if merged else None
        if last is None or last.role != message.role or message.role == "tool":
            merged.append(message)
            continue
        content = "\n\n".join(text for text in (last.content, message.content) if text)
        merged[-1] = replace(last, content=content, tool_calls=last.tool_calls + message.tool_calls)
    return merged
