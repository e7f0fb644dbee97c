"""Whom the model may ask in the middle of its work: a stronger model, and the person (SPEC L12, L13)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from compile_loop.contracts.protocols import Message, ModelError, ModelErrorKind
from compile_loop.engine.bill import Bill
from compile_loop.engine.course import Course
from compile_loop.engine.gave_up import GaveUp
from compile_loop.engine.stream import stream


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
    bill = Bill(course, messages, course.parts.consult_price)
    try:
        bill.hold()
    except GaveUp as end:
        raise ModelError(ModelErrorKind.QUOTA, end.failure.message) from end
    reply = await stream(model, messages, (), lambda _event: None, bill)
    bill.book(reply)
    course.spending = replace(course.spending, consults=course.spending.consults + 1)
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
