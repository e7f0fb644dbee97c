"""One reply of a model, told as it streams (SPEC L14)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

from compile_loop.contracts.events import Event, ModelText, Waiting, Warned
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
)
from compile_loop.engine.bill import Bill
from compile_loop.engine.gave_up import GaveUp

LONGEST_REPLY = 4_000_000
"""Characters of one reply; no model means more."""


async def stream(
    model: TurnGenerator,
    messages: tuple[Message, ...],
    tools: tuple[ToolSchema, ...],
    emit: Callable[[Event], None],
    bill: Bill | None = None,
) -> Reply:
    """One reply, its pieces told as they come.

    What came of a reply that was then void, by a cancel too, is put on the `bill`. Raises `ModelError`, and `GaveUp` where
    the call would have to be made again for more than the budget holds.
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
                    if bill is not None and event.lost is not None:
                        bill.owe(event.lost, again=True)
                        bill.hold()
                elif isinstance(event, Notice):
                    emit(Warned(event.message))
                else:
                    written = 0
                    return event
    except BaseException as error:
        lost = error.lost if isinstance(error, ModelError) else None
        if bill is not None and (written or lost):
            bill.owe(max(written, lost or 0), again=False)
        if not isinstance(error, Exception) or isinstance(error, (ModelError, GaveUp)):
            raise
        raise ModelError(ModelErrorKind.UNAVAILABLE, f"{model.name} failed: {error!r}.") from error
    raise ModelError(ModelErrorKind.UNAVAILABLE, f"{model.name} ended without a reply.")
