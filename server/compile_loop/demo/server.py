"""Serves recorded replies over real HTTP, as a model's endpoint would: Chat Completions, streamed, on 127.0.0.1."""

from __future__ import annotations

import asyncio
import threading

from compile_loop.demo.completions import completion_events
from compile_loop.demo.local_server import Exchange, LocalServer
from compile_loop.demo.recording import Recording, load_recording

_PATH = "/v1/chat/completions"


class RecordedServer:
    """Gives the replies of a recording one by one, in the order of the calls.

    A reply is given only if the request shows the failures that it answers; otherwise, and after the last reply, the
    answer is status 409 with the reason. The same request sent again gets the same answer. `pace` is the pause in
    seconds after each word, so that the stream can be watched.
    """

    def __init__(self, recording: Recording | None = None, *, pace: float = 0.01) -> None:
        self.recording = recording or load_recording()
        self._pace = pace
        self._server = LocalServer(self._answer)
        self._lock = threading.Lock()
        self._given = 0
        self._latest = b""

    @property
    def base_url(self) -> str:
        """The address to configure as the model's endpoint, while the server runs."""
        return f"{self._server.origin}/v1"

    async def __aenter__(self) -> RecordedServer:
        self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._server.close)

    def _answer(self, exchange: Exchange) -> None:
        if (exchange.method, exchange.path) != ("POST", _PATH):
            _refuse(exchange, 404, f"only POST {_PATH} is served here")
            return
        try:
            messages = [str(message["content"]) for message in exchange.json()["messages"]]
        except (ValueError, KeyError, TypeError):
            _refuse(exchange, 400, "the request is no JSON object with messages")
            return
        with self._lock:
            text, reason = self._due(exchange.body, messages)
        if reason is not None:
            _refuse(exchange, 409, reason)
            return
        self._stream(exchange, text, sum(map(len, messages)))

    def _due(self, body: bytes, messages: list[str]) -> tuple[str, str | None]:
        """The reply that is due, then counted as given; or the reason why none may be given."""
        replies = self.recording.replies
        if body == self._latest:
            return replies[self._given - 1].text, None
        if self._given == len(replies):
            return "", f"the recording holds {len(replies)} replies, and another one was asked for"
        reply = replies[self._given]
        reason = reply.why_not(messages)
        if reason is None:
            self._latest = body
            self._given += 1
        return reply.text, reason

    def _stream(self, exchange: Exchange, text: str, characters: int) -> None:
        exchange.begin(200, {"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        for event in completion_events(text, model=self.recording.model, prompt_characters=characters):
            exchange.send(event)
            if not exchange.wait(self._pace):
                exchange.drop()
                return
        exchange.end()


def _refuse(exchange: Exchange, status: int, message: str) -> None:
    exchange.reply_json(status, {"error": {"message": message, "type": "recording", "code": None}})
