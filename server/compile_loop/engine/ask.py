"""One reply of the model, told as it streams.

Within budget and window, with a credential that works (SPEC L5, L6, L14).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace

from compile_loop.contracts.events import Compacted, Event, ModelReplied, ModelText, Waiting, Warned
from compile_loop.contracts.outcome import Failure, FailureKind, Spending
from compile_loop.contracts.protocols import (
    Message,
    ModelError,
    ModelErrorKind,
    Notice,
    Reply,
    Retrying,
    TextDelta,
    ToolSchema,
    TurnGenerator,
    Usage,
)
from compile_loop.conversation.transcript import Transcript, size
from compile_loop.engine.course import Course
from compile_loop.engine.gave_up import GaveUp

SHORTENED = 3
"""How often a conversation that the model refused as too long is shortened and sent again."""
WORTH_IT = 0.9
"""What must not remain of a conversation's length for it to be sent again."""
CUT_OFF = (
    "The model's reply was cut off at its length limit; half an edit is never used. Raise the limit (maxTokens, "
    "--max-tokens) if you set one, or choose a model that writes more, or thinks less."
)
REPLY_TOKENS = 500
"""Taken for a reply whose length nobody knows yet, when a budget is held before a request."""

Price = Callable[[Usage], "float | None"]
"""A call's cost in the account's currency, None where it is not known."""


async def ask(course: Course, talk: Transcript, model: TurnGenerator, tools: tuple[ToolSchema, ...]) -> Reply:
    """Stream the next reply of the conversation, shortened where the model's window demands it.

    Raises `ModelError` or `GaveUp`.
    """
    room = course.estimate.room(course.request.context_window)
    if size(talk.messages) > room and (dropped := talk.compact(room)):
        course.emit(Compacted(dropped))
    for shortened in range(SHORTENED + 1):
        try:
            return await _ask_once(course, talk.messages, model, tools)
        except ModelError as error:
            if error.kind is not ModelErrorKind.CONTEXT:
                raise
            if shortened == SHORTENED or not _shorten(course, talk, model):
                tried = " The conversation was shortened as far as it can be." if shortened else ""
                raise ModelError(error.kind, f"{error.message}{tried}") from error
    raise AssertionError("the last attempt returns or raises")


async def _ask_once(
    course: Course, messages: tuple[Message, ...], model: TurnGenerator, tools: tuple[ToolSchema, ...]
) -> Reply:
    _within_budget(course, messages)
    reply = await _with_credential(course, model, messages, tools)
    course.spending = spend(course, messages, reply, course.parts.price)
    if (warning := course.estimate.observe(messages, reply.usage)) is not None:
        course.emit(Warned(warning))
    course.emit(ModelReplied(reply.finish, course.spending))
    if reply.finish == "length" and not course.told_of_cut:
        course.told_of_cut = True
        course.emit(Warned(CUT_OFF))
    return reply


def _within_budget(course: Course, messages: tuple[Message, ...]) -> None:
    prompt = course.estimate.tokens(size(messages))
    price = course.parts.price(Usage(prompt, 0)) if course.parts.price else None
    exceeded = course.request.budget.exceeded(course.spending, prompt + REPLY_TOKENS, price)
    if exceeded is not None:
        raise GaveUp(exceeded.kind, exceeded.message)


def _shorten(course: Course, talk: Transcript, model: TurnGenerator) -> bool:
    """Bring the conversation down to half of its length; False where that gives no room worth another request."""
    before = size(talk.messages)
    dropped = talk.shorten(before // 2)
    if size(talk.messages) > before * WORTH_IT:
        return False
    course.estimate.refused(before)
    if dropped:
        course.emit(Compacted(dropped))
    course.emit(Warned(f"The conversation was too long for {model.name}; it is sent again, shortened."))
    return True


async def _with_credential(
    course: Course, model: TurnGenerator, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...]
) -> Reply:
    """Ask the auth gate before the first call and after each refusal of the credential.

    A wait for a person costs no deadline.
    """
    gate = course.parts.auth
    reason: str | None = None
    while True:
        if gate is not None and (reason is not None or course.spending.calls == 0):
            if reason is not None:
                course.emit(Waiting(reason, course.request.questions_wait))
            if not await course.while_waiting(gate.usable(reason)):
                raise GaveUp(FailureKind.NEEDS_AUTH, reason or "The model needs a credential, and none is there.")
        try:
            return await stream(model, messages, tools, course.emit, lambda lost: _lost(course, messages, lost))
        except ModelError as error:
            if error.kind is not ModelErrorKind.AUTH or gate is None:
                raise
            reason = error.message


async def stream(
    model: TurnGenerator,
    messages: tuple[Message, ...],
    tools: tuple[ToolSchema, ...],
    emit: Callable[[Event], None],
    lost: Callable[[int], None],
) -> Reply:
    """One reply, its pieces told as they come; `lost` hears how many characters of a void one came. Raises `ModelError`."""
    async with aclosing(model.generate(messages, tools)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                emit(ModelText(event.text))
            elif isinstance(event, Retrying):
                emit(Waiting(event.reason, event.seconds))
                if event.lost is not None:
                    lost(event.lost)
            elif isinstance(event, Notice):
                emit(Warned(event.message))
            else:
                return event
    raise ModelError(ModelErrorKind.UNAVAILABLE, f"{model.name} ended without a reply.")


def _lost(course: Course, messages: tuple[Message, ...], characters: int) -> None:
    """A reply that broke off is void, and owed all the same. Raises `GaveUp` where making the call again costs too much."""
    course.spending = replace(
        spend(course, messages, Reply("." * characters), course.parts.price), calls=course.spending.calls
    )
    _within_budget(course, messages)


def spend(course: Course, messages: tuple[Message, ...], reply: Reply, price_of: Price | None) -> Spending:
    """What has been used after one more call; without the provider's figures, an estimate that says so."""
    before = course.spending
    written = len(reply.text) + sum(len(c.arguments) for c in reply.tool_calls)
    usage = reply.usage or Usage(course.estimate.tokens(size(messages)), course.estimate.tokens(written))
    price = price_of(usage) if price_of else None
    return replace(
        before,
        calls=before.calls + 1,
        prompt_tokens=before.prompt_tokens + usage.prompt_tokens,
        completion_tokens=before.completion_tokens + usage.completion_tokens,
        estimated=before.estimated or reply.usage is None,
        model_seconds=before.model_seconds + reply.seconds,
        cost=before.cost if price is None else (before.cost or 0.0) + price,
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


async def consult(course: Course, question: str) -> str:
    """Ask the stronger model; counted and priced with the rest (SPEC L13). Raises `ModelError`."""
    model = course.parts.consult
    if model is None:
        raise ModelError(ModelErrorKind.CONFIGURATION, "No stronger model is set.")
    if course.spending.consults >= course.request.max_consults:
        raise ModelError(
            ModelErrorKind.QUOTA, f"The {course.request.max_consults} consultations of this run are used up."
        )
    messages = (Message("user", question),)
    reply = await stream(model, messages, (), lambda _event: None, lambda lost: _lost(course, messages, lost))
    spent = spend(course, messages, reply, course.parts.consult_price)
    course.spending = replace(spent, consults=course.spending.consults + 1)
    return reply.text


async def ask_user(course: Course, question: str, choices: tuple[str, ...]) -> str:
    """Ask the person; the wait is bounded and costs no deadline (SPEC L12). Raises `TimeoutError`."""
    person = course.parts.ask_user
    if person is None:
        return ""
    try:
        return await course.while_waiting(person.ask(question, choices))
    except asyncio.TimeoutError as error:
        raise TimeoutError from error
