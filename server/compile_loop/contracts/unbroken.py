"""Work that is carried to its end whatever is cancelled meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def unbroken(work: Awaitable[T]) -> T:
    """The result of `work`, which a cancel of the caller does not reach: it comes up once the work is done.

    A process that is being started must be had before it can be ended: asyncio, cancelled at that, looks whether it has
    ended by itself, and so takes the exit code from its own watcher, who says "Unknown child process pid".
    """
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        if task.cancelled() or task.exception() is not None:
            raise asyncio.CancelledError
        raise Late(task.result())
    return task.result()


class Late(asyncio.CancelledError):
    """The caller was cancelled while the work went on; `result` is what came of it all the same."""

    def __init__(self, result: object) -> None:
        super().__init__()
        self.result = result
