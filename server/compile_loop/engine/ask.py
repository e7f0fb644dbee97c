"""The model's next reply: within budget and window, with a credential that works (SPEC L5, L6, L14)."""

from __future__ import annotations

from compile_loop.contracts.events import Compacted, ModelReplied, Waiting, Warned
from compile_loop.contracts.outcome import Failure, FailureKind
from compile_loop.contracts.protocols import Message, ModelError, ModelErrorKind, Reply, ToolSchema, TurnGenerator
from compile_loop.conversation.transcript import Transcript, size
from compile_loop.engine.bill import Bill
from compile_loop.engine.course import Course
from compile_loop.engine.gave_up import GaveUp
from compile_loop.engine.stream import stream

SHORTENED = 3
"""How often a conversation that the model refused as too long is shortened and sent again."""
WORTH_IT = 0.9
"""What must not remain of a conversation's length for it to be sent again."""
CUT_OFF = (
    "The model's reply was cut off at its length limit; half an edit is never used. Raise the limit (maxTokens, "
    "--max-tokens) if you set one, or choose a model that writes more, or thinks less."
)


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
    bill = Bill(course, messages, course.parts.price)
    bill.hold()
    reply = await _with_credential(course, model, messages, tools, bill)
    bill.book(reply)
    warning = bill.compare(reply)
    if warning is not None and not course.told_of_figures:
        course.told_of_figures = True
        course.emit(Warned(warning))
    course.emit(ModelReplied(reply.finish, course.spending))
    if reply.finish == "length" and not course.told_of_cut:
        course.told_of_cut = True
        course.emit(Warned(CUT_OFF))
    return reply


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
    course: Course, model: TurnGenerator, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...], bill: Bill
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
            return await stream(model, messages, tools, course.emit, bill)
        except ModelError as error:
            if error.kind is not ModelErrorKind.AUTH or gate is None:
                raise
            reason = error.message


_KINDS = {
    ModelErrorKind.AUTH: FailureKind.NEEDS_AUTH,
    ModelErrorKind.CONFIGURATION: FailureKind.CONFIGURATION,
    ModelErrorKind.NOT_FOUND: FailureKind.CONFIGURATION,
    ModelErrorKind.BAD_REQUEST: FailureKind.CONFIGURATION,
}


def failure_of(error: ModelError) -> Failure:
    """A model's trouble as the run's failure."""
    return Failure(_KINDS.get(error.kind, FailureKind.MODEL_UNAVAILABLE), error.message)
