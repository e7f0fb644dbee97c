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
LONGEST_REPLY = 4_000_000
"""Characters of one reply; no model means more."""
MOST_PER_TOKEN = 8
"""Characters that a token holds at most over a whole prompt or reply; code and prose have 2 to 5, Chinese 1 to 2."""
REPLY_TOKENS = 500
"""Taken for a reply whose length nobody knows yet, when a budget is held before a request."""

Owe = Callable[[int, bool], None]
"""Hears of a void reply's characters, and whether its call is made again."""
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
    _within_budget(course, messages, course.parts.price)
    reply = await _with_credential(course, model, messages, tools)
    course.spending = spend(course, messages, reply, course.parts.price)
    warning = course.estimate.observe(messages, reply.usage) or _doubt(messages, reply)
    if warning is not None and not course.told_of_figures:
        course.told_of_figures = True
        course.emit(Warned(warning))
    course.emit(ModelReplied(reply.finish, course.spending))
    if reply.finish == "length" and not course.told_of_cut:
        course.told_of_cut = True
        course.emit(Warned(CUT_OFF))
    return reply


def _within_budget(course: Course, messages: tuple[Message, ...], price_of: Price | None) -> None:
    """Raises `GaveUp` where the next request is not."""
    prompt = course.estimate.tokens(size(messages))
    price = price_of(Usage(prompt, 0)) if price_of else None
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
                course.emit(Waiting(reason, course.request.questions_wait, person=True))
            if not await course.while_waiting(gate.usable(reason)):
                raise GaveUp(FailureKind.NEEDS_AUTH, reason or "The model needs a credential, and none is there.")
        try:
            return await stream(
                model,
                messages,
                tools,
                course.emit,
                lambda characters, again: _owe(course, messages, characters, course.parts.price, again),
                lambda: _within_budget(course, messages, course.parts.price),
            )
        except ModelError as error:
            if error.kind is not ModelErrorKind.AUTH or gate is None:
                raise
            reason = error.message


async def stream(
    model: TurnGenerator,
    messages: tuple[Message, ...],
    tools: tuple[ToolSchema, ...],
    emit: Callable[[Event], None],
    owe: Owe = lambda _characters, _again: None,
    may_go_on: Callable[[], None] = lambda: None,
) -> Reply:
    """One reply, its pieces told as they come. Raises `ModelError`.

    `owe` hears how many characters of a reply came that was then void, by a cancel too, and whether the call is made again;
    `may_go_on` raises where that would cost too much.
    """
    written = 0
    try:
        async with aclosing(model.generate(messages, tools)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    written += len(event.text)
                    emit(ModelText(event.text))
                    if written > LONGEST_REPLY:
                        raise ModelError(
                            ModelErrorKind.BAD_REQUEST,
                            f"{model.name} wrote more than {LONGEST_REPLY} characters without coming to an end; "
                            "nothing of it is used. Choose another model.",
                        )
                elif isinstance(event, Retrying):
                    emit(Waiting(event.reason, event.seconds))
                    written = 0
                    if event.lost is not None:
                        owe(event.lost, True)
                        may_go_on()
                elif isinstance(event, Notice):
                    emit(Warned(event.message))
                else:
                    written = 0
                    return event
    except BaseException as error:
        lost = error.lost if isinstance(error, ModelError) else None
        if written or lost:
            owe(max(written, lost or 0), False)
        if not isinstance(error, Exception) or isinstance(error, (ModelError, GaveUp)):
            raise
        raise ModelError(ModelErrorKind.UNAVAILABLE, f"{model.name} failed: {error!r}.") from error
    raise ModelError(ModelErrorKind.UNAVAILABLE, f"{model.name} ended without a reply.")


def _owe(course: Course, messages: tuple[Message, ...], characters: int, price_of: Price | None, again: bool) -> None:
    """A reply that broke off is void, and owed all the same; with one that is made `again` it is one call."""
    calls = course.spending.calls + (not again)
    course.spending = replace(spend(course, messages, Reply("." * characters), price_of), calls=calls)


def spend(course: Course, messages: tuple[Message, ...], reply: Reply, price_of: Price | None) -> Spending:
    """What has been used after one more call.

    Without the provider's figures, and where they are too low to be, an estimate that says so.
    """
    before = course.spending
    sent, written = size(messages), _written(reply)
    counted = reply.usage or Usage(0, 0)
    usage = counted
    if not _can_be(counted.prompt_tokens, sent):
        usage = Usage(max(counted.prompt_tokens, course.estimate.tokens(sent)), counted.completion_tokens)
    if not _can_be(counted.completion_tokens, written):
        usage = replace(usage, completion_tokens=max(counted.completion_tokens, course.estimate.tokens(written)))
    price = price_of(usage) if price_of else None
    return replace(
        before,
        calls=before.calls + 1,
        prompt_tokens=before.prompt_tokens + usage.prompt_tokens,
        completion_tokens=before.completion_tokens + usage.completion_tokens,
        estimated=before.estimated or reply.usage is None or usage != counted,
        model_seconds=before.model_seconds + reply.seconds,
        cost=before.cost if price is None else (before.cost or 0.0) + price,
    )


def _written(reply: Reply) -> int:
    """Characters of a reply, calls included."""
    return len(reply.text) + sum(len(call.arguments) for call in reply.tool_calls)


def _can_be(tokens: int, characters: int) -> bool:
    """Whether so many characters can be so few tokens: nothing comes of nothing, and no model's tokens are that long."""
    return tokens >= characters / MOST_PER_TOKEN and (tokens > 0 or characters == 0)


def _doubt(messages: tuple[Message, ...], reply: Reply) -> str | None:
    """The warning for figures that are too low to be (SPEC C3); what was not counted at all is only estimated."""
    if reply.usage is None:
        return None
    for what, tokens, characters in (
        ("prompt", reply.usage.prompt_tokens, size(messages)),
        ("reply", reply.usage.completion_tokens, _written(reply)),
    ):
        if tokens > 0 and not _can_be(tokens, characters):
            return (
                f"The provider counted {tokens} tokens of a {what} of {characters} characters, which cannot be; "
                "the budget goes by an estimate of our own."
            )
    return None


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
    price_of = course.parts.consult_price
    try:
        _within_budget(course, messages, price_of)
    except GaveUp as end:
        raise ModelError(ModelErrorKind.QUOTA, end.failure.message) from end
    reply = await stream(
        model,
        messages,
        (),
        lambda _event: None,
        lambda characters, again: _owe(course, messages, characters, price_of, again),
    )
    spent = spend(course, messages, reply, price_of)
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
