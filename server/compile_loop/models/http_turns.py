"""The turn generator behind every HTTP protocol: one call, its retries, and what the user is told meanwhile."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import httpx

from compile_loop.contracts.json_text import value_in
from compile_loop.contracts.protocols import (
    Message,
    ModelError,
    ModelErrorKind,
    Notice,
    Reply,
    TextDelta,
    ToolSchema,
    TurnEvent,
)
from compile_loop.models.calls_in_text import calls_in_text
from compile_loop.models.connection import connection_failed, open_client
from compile_loop.models.endpoint import Endpoint
from compile_loop.models.failures import judge, upstream_of_response
from compile_loop.models.model_settings import ModelSettings
from compile_loop.models.refusals import TOO_SHORT, learn, may_be_longer
from compile_loop.models.retry import RetryPolicy, Timing
from compile_loop.models.retrying import with_retries
from compile_loop.models.streaming import ServerSentEvents, SilenceError, answer, json_lines, patience_for, whole_body
from compile_loop.models.thinking import ThinkingFilter, visible_text
from compile_loop.models.tool_calls import with_ids
from compile_loop.models.wire import CallFailedError, Shape, StreamReader, UpstreamError, Wire

_LARGEST_REPLY = 64 * 1024 * 1024
"""Bytes of one streamed reply with its reasoning and its calls; what comes is kept in memory until it is whole."""
_MOST_AROUND = 400
"""Characters that stand around a piece of text in an event, at most."""
_GRACE_AFTER_FINISH = 2.0
"""Seconds that usage and the end mark may still take once the reply itself is finished."""


class HttpTurnGenerator:
    """Speaks one wire protocol with one endpoint. What the endpoint refused is remembered for the next calls."""

    def __init__(
        self,
        wire: Wire,
        endpoint: Endpoint,
        settings: ModelSettings,
        *,
        notices: Sequence[str] = (),
        policy: RetryPolicy | None = None,
        timing: Timing | None = None,
    ) -> None:
        self._wire = wire
        self._endpoint = endpoint
        self._settings = settings
        self._notices = list(notices)
        self._policy = policy or RetryPolicy(retries=settings.retries)
        self._timing = timing or Timing()
        self._shape = Shape(own_limit=settings.max_tokens is None)
        self._client: httpx.AsyncClient | None = None

    @property
    def name(self) -> str:
        """`provider:model`."""
        return f"{self._settings.provider}:{self._settings.model}"

    async def generate(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()
    ) -> AsyncGenerator[TurnEvent, None]:
        """Stream one reply; see `TurnGenerator.generate`.

        The deltas are for showing: where a model thinks aloud without saying so first, `Reply.text` holds less than
        they did.
        """
        while self._notices:
            yield Notice(self._notices.pop(0))
        started = self._timing.clock()
        sent: dict[str, object] = {}

        def call() -> AsyncGenerator[TurnEvent, None]:
            nonlocal sent
            sent = self._wire.body(messages, tools, self._shape)
            return self._call(sent, messages, tools, started)

        async with aclosing(
            with_retries(
                call,
                self._policy,
                self._timing,
                learn=lambda error: learn(error.upstream, sent, self._shape),
                judge=lambda error: judge(error.upstream, self._endpoint),
            )
        ) as events:
            async for event in events:
                yield event

    async def aclose(self) -> None:
        """Give back connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _call(
        self, sent: dict[str, object], messages: tuple[Message, ...], tools: tuple[ToolSchema, ...], started: float
    ) -> AsyncGenerator[TurnEvent, None]:
        """Make one call; ends with a `Reply`, or raises `UpstreamError` or `CallFailedError`."""
        reader, received = self._wire.reader(tools), _Received()
        try:
            async with aclosing(self._reply(sent, messages, tools, reader, received, started)) as events:
                async for event in events:
                    yield event
        except (UpstreamError, CallFailedError) as error:
            error.lost = _lost(reader, received)
            if isinstance(error, CallFailedError):
                await self.aclose()  # what may still come on its connection is no answer to the next call
            raise
        except ModelError:
            raise
        except Exception as error:  # A server may send anything at all; that is its failure, and no fault of the run's.
            failed = CallFailedError(
                ModelErrorKind.BAD_REQUEST,
                f"{self._endpoint.shown} sent a reply that cannot be read ({type(error).__name__}); nothing of it is used. "
                "Choose another model.",
            )
            failed.lost = _lost(reader, received)
            raise failed from error

    async def _reply(
        self,
        sent: dict[str, object],
        messages: tuple[Message, ...],
        tools: tuple[ToolSchema, ...],
        reader: StreamReader,
        received: _Received,
        started: float,
    ) -> AsyncGenerator[TurnEvent, None]:
        shown = ThinkingFilter()
        try:
            async with aclosing(self._texts(sent, reader, received)) as texts:
                async for text in texts:
                    if visible := shown.feed(text):
                        yield TextDelta(visible)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
            if not reader.complete:
                raise connection_failed(error, self._endpoint, began=bool(reader.text)) from error
        except SilenceError as silence:
            if not reader.complete:
                raise self._silent(silence, reader) from silence
        if not reader.complete:
            raise self._incomplete(reader)
        if visible := shown.end():
            yield TextDelta(visible)
        if reader.finish == "content_filter":
            raise CallFailedError(
                ModelErrorKind.CONTENT_FILTER,
                f"The content filter at {self._endpoint.shown} stopped the reply. "
                "Reword the request, or choose another model.",
            )
        if reader.finish == "error":
            raise CallFailedError(
                ModelErrorKind.UNAVAILABLE, f"{self._endpoint.shown} broke the reply off with an error.", passing=True
            )
        text, calls = visible_text(reader.text), reader.tool_calls
        if not calls:
            text, calls = calls_in_text(text, tools)
        if reader.finish == "length" and not (text.strip() or calls):
            if may_be_longer(sent, self._shape):
                raise UpstreamError(TOO_SHORT)
            yield Notice(
                "The model used up all its tokens before it said anything. Raise max_tokens or switch its thinking off."
            )
        reply = Reply(text, reader.finish, reader.usage, self._timing.clock() - started, with_ids(calls, messages))
        self._wire.settle(messages, reply, reader)
        yield reply

    async def _texts(
        self, sent: dict[str, object], reader: StreamReader, received: _Received
    ) -> AsyncGenerator[str, None]:
        """The pieces of text of one answer, as they arrive."""
        client = self._client = self._client or open_client(self._settings, self._endpoint)
        request = client.build_request(
            "POST",
            self._endpoint.url(self._wire.path),
            content=json.dumps(sent, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"),
            headers={
                "content-type": "application/json",
                "accept": "text/event-stream, application/json",
                **self._wire.headers(self._endpoint.key),
                **self._settings.headers,
            },
        )
        patience = patience_for(self._settings.timeouts)
        async with answer(client, request, self._settings.timeouts) as response:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if response.status_code != 200 or kind == "text/html":
                body = await whole_body(response, patience)
                upstream = upstream_of_response(response.status_code, response.headers, body, self._timing.wall())
                raise UpstreamError(upstream)
            if kind == "application/json":
                body = await whole_body(response, patience)
                received.take(len(body))
                yield reader.feed_whole(_json(body))
                return
            pieces = json_lines(response, patience) if self._wire.lines else ServerSentEvents(response, patience)
            async with aclosing(pieces) as events:
                async for event in events:
                    received.take(len(event.data))
                    if received.size > _LARGEST_REPLY:
                        raise CallFailedError(
                            ModelErrorKind.BAD_REQUEST,
                            f"{self._endpoint.shown} sent more than {_LARGEST_REPLY >> 20} MiB in one reply without coming to "
                            "an end; nothing of it is used. Choose another model.",
                        )
                    if text := reader.feed(event.event, event.data):
                        yield text
                    if reader.ended:
                        return
                    if reader.complete:
                        patience.shorten(_GRACE_AFTER_FINISH)

    def _silent(self, silence: SilenceError, reader: StreamReader) -> CallFailedError:
        said = self._endpoint.redact(reader.stray)
        if said and not reader.text:
            return CallFailedError(
                ModelErrorKind.BAD_REQUEST,
                f"{self._endpoint.shown} sent no reply but “{said[:300]}”, and then {silence}.",
            )
        return CallFailedError(
            ModelErrorKind.UNAVAILABLE,
            f"{self._endpoint.shown} fell silent: {silence}. Is the model too large for its machine, or still loading?",
            passing=True,
            timed_out=True,
        )

    def _incomplete(self, reader: StreamReader) -> CallFailedError:
        said = self._endpoint.redact(reader.stray)
        if said and not reader.text:
            return CallFailedError(
                ModelErrorKind.BAD_REQUEST,
                f"{self._endpoint.shown} sent no reply but “{said[:300]}”. Does it speak this API?",
            )
        return CallFailedError(
            ModelErrorKind.UNAVAILABLE,
            f"The stream from {self._endpoint.shown} ended before the reply was complete; nothing of it is used.",
            passing=True,
        )


class _Received:
    """How much of one answer came, as characters of its events."""

    def __init__(self) -> None:
        self.size = 0
        self._events = 0
        self._smallest = _MOST_AROUND

    def take(self, size: int) -> None:
        """One more event."""
        self.size += size
        self._events += 1
        self._smallest = min(self._smallest, size)

    @property
    def said(self) -> int:
        """About how much of it is what the model wrote, and not what stands around it in each event."""
        return self.size - self._events * self._smallest


def _lost(reader: StreamReader, received: _Received) -> int | None:
    """Characters of a reply that came to nothing; thinking, which is in no text, is only estimated."""
    written = len(reader.text) + sum(len(call.arguments) for call in reader.tool_calls)
    return max(written, received.said) or None


def _json(body: bytes) -> object:
    try:
        return value_in(body)
    except ValueError:
        return body.decode("utf-8", "replace")
