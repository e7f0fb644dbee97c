"""One reply of the model, told as it streams (SPEC L6, M3)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace

from compile_loop.contracts.events import Event, ModelText, Waiting, Warned
from compile_loop.contracts.outcome import Failure, FailureKind, Spending
from compile_loop.contracts.protocols import (
    Message,
    ModelError,
    ModelErrorKind,
    Notice,
    Reply,
    Retrying,
    TextDelta,
    TurnGenerator,
    Usage,
)

CHARACTERS_PER_TOKEN = 4
"""The usual estimate for source code and English; corrected by the provider's own figures where it gives them."""


async def ask(generator: TurnGenerator, messages: tuple[Message, ...], emit: Callable[[Event], None]) -> Reply:
    """Stream one reply. Raises `ModelError`."""
    async with aclosing(generator.generate(messages)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                emit(ModelText(event.text))
            elif isinstance(event, Retrying):
                emit(Waiting(event.reason, event.seconds))
            elif isinstance(event, Notice):
                emit(Warned(event.message))
            else:
                return event
    raise ModelError(ModelErrorKind.UNAVAILABLE, f"{generator.name} ended without a reply.")


def spend(before: Spending, messages: tuple[Message, ...], reply: Reply) -> Spending:
    """What has been used after one more call; without the provider's figures, an estimate that says so."""
    usage = reply.usage or Usage(
        sum(len(m.content) for m in messages) // CHARACTERS_PER_TOKEN, len(reply.text) // CHARACTERS_PER_TOKEN
    )
    return replace(
        before,
        calls=before.calls + 1,
        prompt_tokens=before.prompt_tokens + usage.prompt_tokens,
        completion_tokens=before.completion_tokens + usage.completion_tokens,
        estimated=before.estimated or reply.usage is None,
        model_seconds=before.model_seconds + reply.seconds,
    )


_KINDS = {
    ModelErrorKind.AUTH: FailureKind.NEEDS_AUTH,
    ModelErrorKind.CONFIGURATION: FailureKind.CONFIGURATION,
    ModelErrorKind.NOT_FOUND: FailureKind.CONFIGURATION,
    ModelErrorKind.BAD_REQUEST: FailureKind.CONFIGURATION,
}


def failure_of(error: ModelError) -> Failure:
    """A model's trouble as the run's failure."""
    return Failure(_KINDS.get(error.kind, FailureKind.MODEL_UNAVAILABLE), error.message)
