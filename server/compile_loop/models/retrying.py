"""Makes a call again while its trouble may pass, and says so meanwhile (SPEC L6, M5)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from compile_loop.contracts.protocols import ModelError, Notice, Retrying, TurnEvent
from compile_loop.models.retry import RetryPolicy, Timing, spoken
from compile_loop.models.wire import CallFailedError, Upstream, UpstreamError

_MOST_REFUSALS = 8
_OWN_FAULT = 500
"""A server that fails twice in the same words without being busy fails at what it is sent, and would a third time."""

Call = Callable[[], AsyncGenerator[TurnEvent, None]]
"""Makes one call: its events end with a `Reply`, or it raises `CallFailedError` or `UpstreamError`."""
Learn = Callable[[UpstreamError], "str | None"]
"""Changes what the next call asks for after a refusal and says so; None where there is nothing to change."""
Judge = Callable[[UpstreamError], CallFailedError]
"""What an endpoint's error means."""


async def with_retries(
    call: Call, policy: RetryPolicy, timing: Timing, learn: Learn, judge: Judge
) -> AsyncGenerator[TurnEvent, None]:
    """The events of a call that worked, after those of the waits before it; raises `ModelError` where none did."""
    failures = 0
    refusals = 0
    last: Upstream | None = None
    while True:
        try:
            async with aclosing(call()) as events:
                async for event in events:
                    yield event
            return
        except UpstreamError as error:
            learnt = learn(error) if refusals < _MOST_REFUSALS else None
            if learnt:
                refusals += 1
                yield Notice(learnt)
                continue
            failed = judge(error)
            failed.lost = error.lost
            if error.upstream == last and last.status == _OWN_FAULT:
                failed.passing = False
            last = error.upstream
        except CallFailedError as error:
            failed, last = error, None
        failures += 1
        seconds = _wait_before(failures, failed, policy, timing)
        yield Retrying(failed.message, seconds, failed.lost)
        await timing.sleep(seconds)


def _wait_before(retry: int, failed: CallFailedError, policy: RetryPolicy, timing: Timing) -> float:
    """Seconds before the call is made again; raises `ModelError` where it is not."""
    allowed = policy.timed_out_retries if failed.timed_out else policy.retries
    message = failed.message
    if failed.passing and failed.wait is not None and failed.wait > policy.longest_wish:
        message += f" It asked for a wait of {spoken(failed.wait)}; {spoken(policy.longest_wish)} are allowed."
    elif failed.passing and retry <= min(allowed, policy.retries):
        return failed.wait or policy.backoff(retry, timing.chance())
    if retry > 1:
        message += f" (tried {retry} times)"
    raise ModelError(failed.kind, message, failed.lost)
