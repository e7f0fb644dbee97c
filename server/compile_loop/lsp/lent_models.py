"""Models of the editor, asked through it: a request to the client, whose pieces come as notifications (SPEC M1)."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from pygls.exceptions import JsonRpcException

from compile_loop.contracts.protocols import ToolSchema
from compile_loop.lsp.protocol import AskModelParams, ModelMessage, ModelPart, ModelPiece, ModelTool
from compile_loop.models.relay import CallPart, RelayError, RelayMessage, ResultPart, TextPart

if TYPE_CHECKING:
    from compile_loop.lsp.host import LoopServer

Piece = TextPart | CallPart
Heard = Callable[[Piece | RelayError | None], None]
"""Takes each piece of a reply, then why it failed, or None at its end."""


class LentModels:
    """A `Relay`. Made in the loop of the server; a run asks from a loop of its own."""

    def __init__(self, ls: LoopServer) -> None:
        self._ls = ls
        self._home = asyncio.get_running_loop()

    async def __call__(
        self, model: str, messages: tuple[RelayMessage, ...], tools: tuple[ToolSchema, ...], /
    ) -> AsyncIterator[Piece]:
        """Stream one reply; raises `RelayError`. Closing the iterator cancels the request in the editor."""
        here = asyncio.get_running_loop()
        heard: asyncio.Queue[Piece | RelayError | None] = asyncio.Queue()

        def hear(piece: Piece | RelayError | None) -> None:
            with contextlib.suppress(RuntimeError):  # the run's loop has ended
                here.call_soon_threadsafe(heard.put_nowait, piece)

        params = AskModelParams(
            key=uuid.uuid4().hex,
            model=model,
            messages=[ModelMessage.model_validate(_message(message)) for message in messages],
            tools=[
                ModelTool(name=tool.name, description=tool.description, input_schema=dict(tool.parameters))
                for tool in tools
            ],
        )
        asked = asyncio.run_coroutine_threadsafe(self._ask(params, hear), self._home)
        try:
            while (piece := await heard.get()) is not None:
                if isinstance(piece, RelayError):
                    raise piece
                yield piece
        finally:
            asked.cancel()

    async def _ask(self, params: AskModelParams, hear: Heard) -> None:
        self._ls.replies[params.key] = hear
        try:
            ended = await self._ls.ui.ask_model(params)
            hear(None if ended.code is None else RelayError(ended.code, ended.message))
        except JsonRpcException as error:
            hear(RelayError("", str(error)))
        except Exception as error:  # the client is gone, or its answer is none
            hear(RelayError("", f"The editor did not answer: {error}"))
        finally:
            del self._ls.replies[params.key]


def hear_piece(ls: LoopServer, params: ModelPiece) -> None:
    """A piece of a reply from the client; one that nobody waits for any more is dropped."""
    hear, part = ls.replies.get(params.key), params.part
    if hear is None:
        return
    if part.call_id is not None:
        hear(CallPart(part.call_id, part.name or "", part.input or {}))
    elif part.text:
        hear(TextPart(part.text))


def _message(message: RelayMessage) -> dict[str, object]:
    return {"role": message.role, "parts": [_part(part) for part in message.parts]}


def _part(part: TextPart | CallPart | ResultPart) -> ModelPart:
    if isinstance(part, TextPart):
        return ModelPart(text=part.text)
    if isinstance(part, ResultPart):
        return ModelPart(call_id=part.call_id, text=part.text)
    return ModelPart(call_id=part.call_id, name=part.name, input=dict(part.input))
