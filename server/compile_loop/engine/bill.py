"""What one call costs, held against the run's budget before, during and after it (SPEC L5, C3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from compile_loop.contracts.outcome import Spending
from compile_loop.contracts.protocols import Message, Reply, Usage
from compile_loop.conversation.transcript import size
from compile_loop.engine.course import Course
from compile_loop.engine.gave_up import GaveUp

MOST_PER_TOKEN = 8
"""Characters that a token holds at most over a whole prompt or reply; code and prose have 2 to 5, Chinese 1 to 2."""
REPLY_TOKENS = 500
"""Taken for a reply whose length nobody knows yet, when a budget is held before a request."""

Price = Callable[[Usage], "float | None"]
"""A call's cost in the account's currency, None where it is not known."""


class Bill:
    """The bill of one request, in the run's spending."""

    def __init__(self, course: Course, messages: tuple[Message, ...], price: Price | None) -> None:
        self._course = course
        self._sent = size(messages)
        self._price = price

    def hold(self) -> None:
        """Raises `GaveUp` where the request would go past the budget."""
        prompt = self._course.estimate.tokens(self._sent)
        price = self._price(Usage(prompt, 0)) if self._price else None
        exceeded = self._course.request.budget.exceeded(self._course.spending, prompt + REPLY_TOKENS, price)
        if exceeded is not None:
            raise GaveUp(exceeded.kind, exceeded.message)

    def owe(self, characters: int, again: bool) -> None:
        """Book a reply that broke off after so many characters: void, and owed all the same.

        With one that is made `again` it is one call.
        """
        spent = self._after(Reply("." * characters))
        self._course.spending = replace(spent, calls=spent.calls - again)

    def book(self, reply: Reply) -> None:
        """Book a whole reply."""
        self._course.spending = self._after(reply)

    def _after(self, reply: Reply) -> Spending:
        """What has been used after one more call.

        Without the provider's figures, and where they are too low to be, an estimate that says so.
        """
        before, estimate = self._course.spending, self._course.estimate
        written = _written(reply)
        counted = reply.usage or Usage(0, 0)
        usage = counted
        if not _can_be(counted.prompt_tokens, self._sent):
            usage = replace(usage, prompt_tokens=max(counted.prompt_tokens, estimate.tokens(self._sent)))
        if not _can_be(counted.completion_tokens, written):
            usage = replace(usage, completion_tokens=max(counted.completion_tokens, estimate.tokens(written)))
        price = self._price(usage) if self._price else None
        return replace(
            before,
            calls=before.calls + 1,
            prompt_tokens=before.prompt_tokens + usage.prompt_tokens,
            completion_tokens=before.completion_tokens + usage.completion_tokens,
            estimated=before.estimated or reply.usage is None or usage != counted,
            model_seconds=before.model_seconds + reply.seconds,
            cost=before.cost if price is None else (before.cost or 0.0) + price,
        )

    def compare(self, reply: Reply) -> str | None:
        """Take the provider's figures into the run's estimate; returns a warning where they are too low to be."""
        told = self._course.estimate.observe(self._sent, reply.usage)
        if told is not None or reply.usage is None:
            return told
        for what, tokens, characters in (
            ("prompt", reply.usage.prompt_tokens, self._sent),
            ("reply", reply.usage.completion_tokens, _written(reply)),
        ):
            if tokens > 0 and not _can_be(tokens, characters):
                return (
                    f"The provider counted {tokens} tokens of a {what} of {characters} characters, which cannot be; "
                    "the budget goes by an estimate of our own."
                )
        return None


def _written(reply: Reply) -> int:
    """Characters of a reply, calls included."""
    return len(reply.text) + sum(len(call.arguments) for call in reply.tool_calls)


def _can_be(tokens: int, characters: int) -> bool:
    """Whether so many characters can be so few tokens: nothing comes of nothing, and no model's tokens are that long."""
    return tokens >= characters / MOST_PER_TOKEN and (tokens > 0 or characters == 0)
