"""Models of the editor, asked through it: no key, the user's own consent (SPEC M1)."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence

import anyio

from compile_loop.contracts.protocols import (
    Message,
    ModelErrorKind,
    Reply,
    TextDelta,
    ToolCall,
    ToolSchema,
    TurnEvent,
)
from compile_loop.models.calls_in_text import calls_in_text
from compile_loop.models.failures import kind_of_words
from compile_loop.models.history import object_arguments, valid_messages
from compile_loop.models.model_settings import ModelSettings
from compile_loop.models.refusals import learn
from compile_loop.models.relay import CallPart, Relay, RelayError, RelayMessage, ResultPart, TextPart
from compile_loop.models.retry import RetryPolicy, Timing
from compile_loop.models.retrying import with_retries
from compile_loop.models.thinking import ThinkingFilter, visible_text
from compile_loop.models.tool_calls import with_ids
from compile_loop.models.wire import CallFailedError, Shape, Upstream, UpstreamError

_SENTENCES = {
    "NoPermissions": (
        ModelErrorKind.AUTH,
        "VS Code was not allowed to use {model}. Allow it when asked, or choose another.",
    ),
    "Blocked": (
        ModelErrorKind.QUOTA,
        "VS Code's model {model} is blocked (its quota is used up, or it was refused). Choose another.",
    ),
    "NotFound": (ModelErrorKind.NOT_FOUND, "VS Code offers no model {model} any more. Choose another."),
}


class RelayedGenerator:
    """Asks a model of the editor; `ModelSettings.model` is its id there."""

    def __init__(
        self,
        settings: ModelSettings,
        relay: Relay,
        *,
        policy: RetryPolicy | None = None,
        timing: Timing | None = None,
    ) -> None:
        self._settings = settings
        self._relay = relay
        self._policy = policy or RetryPolicy(retries=settings.retries)
        self._timing = timing or Timing()
        self._shape = Shape(system_as_user=True)

    @property
    def name(self) -> str:
        """`vscode:` and the model's id."""
        return f"vscode:{self._settings.model}"

    async def generate(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()
    ) -> AsyncGenerator[TurnEvent, None]:
        """Stream one reply; see `TurnGenerator.generate`. The editor counts no tokens, so there is no usage."""
        started = self._timing.clock()
        sent: dict[str, object] = {"tools": True} if tools else {}
        events = with_retries(
            lambda: self._call(messages, tools, started),
            self._policy,
            self._timing,
            learn=lambda error: learn(error.upstream, sent, self._shape),
            judge=lambda error: self._failed(RelayError("", error.upstream.message)),
        )
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    async def aclose(self) -> None:
        """Nothing to give back."""

    async def _call(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...], started: float
    ) -> AsyncGenerator[TurnEvent, None]:
        tools = () if "tools" in self._shape.dropped else tools
        pieces = self._relay(self._settings.model, relayed(messages, self._shape), tools)
        shown = ThinkingFilter()
        text: list[str] = []
        calls: list[ToolCall] = []
        patience = self._settings.timeouts.first_byte
        try:
            while True:
                with anyio.move_on_after(patience) as scope:
                    try:
                        part = await anext(pieces)
                    except StopAsyncIteration:
                        break
                if scope.cancelled_caught:
                    raise self._silent(patience)
                patience = self._settings.timeouts.idle
                if isinstance(part, CallPart):
                    calls.append(ToolCall(part.call_id, part.name, json.dumps(dict(part.input), ensure_ascii=False)))
                elif part.text:
                    text.append(part.text)
                    if visible := shown.feed(part.text):
                        yield TextDelta(visible)
        except RelayError as error:
            if not error.code:
                raise UpstreamError(Upstream(400, error.message)) from error
            raise self._failed(error) from error
        finally:
            if (close := getattr(pieces, "aclose", None)) is not None:
                await close()
        if visible := shown.end():
            yield TextDelta(visible)
        said = visible_text("".join(text))
        made = tuple(calls)
        if not made:
            said, made = calls_in_text(said, tools)
        if not said.strip() and not made:
            raise CallFailedError(
                ModelErrorKind.UNAVAILABLE, f"VS Code's model {self._settings.model} gave an empty reply.", passing=True
            )
        finish = "tool_calls" if made else "stop"
        yield Reply(said, finish, None, self._timing.clock() - started, with_ids(made, messages))

    def _silent(self, seconds: float) -> CallFailedError:
        message = f"VS Code's model {self._settings.model} said nothing for {seconds:g} seconds."
        return CallFailedError(ModelErrorKind.UNAVAILABLE, message, passing=True, timed_out=True)

    def _failed(self, error: RelayError) -> CallFailedError:
        model, words = self._settings.model, " ".join(error.message.split())[:300]
        if error.code in _SENTENCES:
            kind, sentence = _SENTENCES[error.code]
            said = f" ({words.rstrip('.')})" if words else ""
            return CallFailedError(kind, f"{sentence.format(model=model)}{said}")
        kind, passing = kind_of_words(words)
        if kind is ModelErrorKind.CONTEXT:
            advice = "Choose fewer files, or a model with a larger context."
            return CallFailedError(kind, f"The conversation is too long for {model} ({words.rstrip('.')}). {advice}")
        return CallFailedError(kind, f"VS Code's model {model} gave no reply: {words.rstrip('.')}.", passing=passing)


def relayed(messages: Sequence[Message], shape: Shape) -> tuple[RelayMessage, ...]:
    """The conversation as the editor takes it: no system role, results in a message of the user."""
    turns: list[tuple[str, list[TextPart | CallPart | ResultPart]]] = []
    for message in valid_messages(messages, shape):
        role = "assistant" if message.role == "assistant" else "user"
        parts: list[TextPart | CallPart | ResultPart] = []
        if message.role == "tool":
            parts.append(ResultPart(message.tool_call_id or "", message.content))
        elif message.content:
            parts.append(TextPart(message.content))
        parts += [CallPart(call.id, call.name, object_arguments(call)) for call in message.tool_calls]
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(parts)
        else:
            turns.append((role, parts))
    return tuple(RelayMessage(role, tuple(parts)) for role, parts in turns)
