"""How long to wait before a call is made again, and when to stop (SPEC L6, M5).

A retry library would hide its waits; here each one is an event that the user sees, and the server's own wish for the
length of the wait comes first. What is left is small enough to be plain code.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime


@dataclass(frozen=True, slots=True)
class Timing:
    """The seam through which tests stop the clock.

    `clock` is monotonic and `wall` is seconds since the epoch; `sleep` waits for seconds; `chance` gives a number from
    0 up to 1.
    """

    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff with jitter.

    `retries` is how often a call is made again, `timed_out_retries` how often after a time-out, which was itself a
    long wait. `longest_wish` bounds, in seconds, a wait that the server asks for: a longer wish ends the retries.
    """

    retries: int = 3
    timed_out_retries: int = 1
    first_wait: float = 0.5
    longest_wait: float = 20.0
    longest_wish: float = 60.0

    def backoff(self, retry: int, chance: float) -> float:
        """Seconds before retry number `retry` (from 1): doubled each time, the upper half of it by chance."""
        wait = min(self.longest_wait, self.first_wait * 2.0 ** (retry - 1))
        return wait * (0.5 + 0.5 * chance)


def wished_wait(headers: Mapping[str, str], wall: float) -> float | None:
    """The seconds that a server asks to wait, in whatever form it says so; None where it says nothing readable.

    Reads `retry-after-ms`, and `retry-after` as seconds or as an HTTP date. A date that is past counts as 0.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - wall)
    except (ValueError, TypeError, OverflowError):
        return None


def spoken(seconds: float) -> str:
    """A length of time as a person says it."""
    for limit, size, unit in ((120, 1, "seconds"), (3 * 3600, 60, "minutes"), (2 * 86400, 3600, "hours")):
        if seconds < limit:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86400:.0f} days" if seconds < 36500 * 86400 else "a hundred years or more"


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
