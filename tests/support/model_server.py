"""A model server for tests: real HTTP on loopback, every byte, pause and break of it chosen by the test.

with ModelServer(says("hello")) as server:
    ...  # point a client at server.base_url
    server.requests[0].json["messages"]
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from compile_loop.demo.completions import completion_events
from compile_loop.demo.local_server import Exchange, LocalServer

SSE = {"Content-Type": "text/event-stream"}
JSON = {"Content-Type": "application/json"}
CERTIFICATES = Path(__file__).parents[1] / "data" / "wire" / "tls"


@dataclass(frozen=True)
class Pause:
    """Nothing is sent for this many seconds."""

    seconds: float


@dataclass(frozen=True)
class Answer:
    """What the server sends for one request.

    `pieces` are sent one by one, each as an HTTP chunk of its own; `split` cuts them further into that many bytes.
    `framing` is `chunked`, `length` (put a Content-Length into `headers`; it may lie) or `close`. `then` says what
    follows the last piece: `end` finishes the body, `drop` closes the connection without that, `hold_open` keeps it
    open until the client or the server leaves. `before` is a pause ahead of the head.
    """

    pieces: Sequence[bytes | Pause] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: SSE)
    framing: str = "chunked"
    then: str = "end"
    split: int | None = None
    before: float = 0.0


@dataclass
class Request:
    """A request that the server got."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    hung_up: threading.Event = field(default_factory=threading.Event)
    """Set when the client closed the connection before the answer was over."""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Answers = Answer | Callable[[Request], Answer]


def says(text: str, **how: Any) -> Answer:
    """A streamed reply with usage and an end mark."""
    return Answer(tuple(completion_events(text, model="test", prompt_characters=400)), **how)


def chunk(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
    """One event of Chat Completions."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n".encode()


def calls(*called: tuple[str, Mapping[str, Any] | str], text: str = "", ids: bool = True, **how: Any) -> Answer:
    """A streamed reply that calls tools: `calls(("read_file", {"path": "a.c"}))`; a string's arguments go as they are.

    Ids are `call_NAME_POSITION`, the same in every answer; none are sent unless `ids`.
    """
    pieces = [chunk({"role": "assistant", "content": text or None})]
    for index, (name, arguments) in enumerate(called):
        whole = arguments if isinstance(arguments, str) else json.dumps(arguments)
        head = {"index": index, "type": "function", "function": {"name": name, "arguments": ""}}
        pieces.append(chunk({"tool_calls": [{**head, "id": f"call_{name}_{index}"} if ids else head]}))
        for part in (whole[: len(whole) // 2], whole[len(whole) // 2 :]):
            pieces.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]}))
    return Answer((*pieces, chunk({}, "tool_calls"), b"data: [DONE]\n\n"), **how)


def sends(body: str | bytes, **how: Any) -> Answer:
    """A raw stream body."""
    return Answer((body.encode() if isinstance(body, str) else body,), **how)


def fails(status: int, body: object = None, headers: Mapping[str, str] | None = None) -> Answer:
    """An error: JSON for anything but a string."""
    if isinstance(body, str):
        return Answer((body.encode(),), status, headers or {"Content-Type": "text/plain"})
    return Answer((json.dumps(body).encode(),), status, {**JSON, **(headers or {})})


class ModelServer:
    """Answers requests with `answers`, in their order; the last one serves all further requests.

    `tls` names a certificate of `data/wire/tls`: `good` or `old` (expired).
    """

    def __init__(self, *answers: Answers, path: str = "/v1", tls: str | None = None) -> None:
        self._answers = answers
        self._path = path
        self._tls = tls
        self._server = LocalServer(self._serve)
        self._lock = threading.Lock()
        self.requests: list[Request] = []

    @property
    def origin(self) -> str:
        return self._server.origin

    @property
    def base_url(self) -> str:
        origin = self._server.origin
        return (origin.replace("http:", "https:") if self._tls else origin) + self._path

    def __enter__(self) -> ModelServer:
        self._server.start()
        if self._tls is not None:
            self._speak_tls(self._tls)
        return self

    def _speak_tls(self, name: str) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATES / f"{name}.pem", CERTIFICATES / f"{name}.key")
        listening = self._server._server
        assert listening is not None
        listening.socket = context.wrap_socket(listening.socket, server_side=True)

    def __exit__(self, *_: object) -> None:
        self._server.close()

    def _serve(self, exchange: Exchange) -> None:
        request = Request(exchange.method, exchange.path, exchange.headers, exchange.body)
        with self._lock:
            self.requests.append(request)
            answer = self._answers[min(len(self.requests), len(self._answers)) - 1]
        if not isinstance(answer, Answer):
            answer = answer(request)
        try:
            if not _play(exchange, answer):
                request.hung_up.set()
        except OSError:
            request.hung_up.set()
            raise


def _play(exchange: Exchange, answer: Answer) -> bool:
    """Send the answer; False where the client hung up in the middle of it."""
    if not exchange.wait(answer.before):
        return False
    exchange.begin(answer.status, answer.headers, framing=answer.framing)
    for piece in answer.pieces:
        if isinstance(piece, Pause):
            if not exchange.wait(piece.seconds):
                return False
            continue
        for part in _parts(piece, answer.split):
            exchange.send(part)
    if answer.then == "hold_open":
        while exchange.wait(60):
            pass
        return False
    if answer.then == "end":
        exchange.end()
    if answer.then == "drop" or answer.framing == "length":
        exchange.drop()
    return True


def _parts(piece: bytes, split: int | None) -> Iterator[bytes]:
    if split is None:
        yield piece
        return
    for at in range(0, len(piece), split):
        yield piece[at : at + split]


@pytest.fixture
def model_server() -> Iterator[Callable[..., ModelServer]]:
    """Start any number of model servers that end with the test: `server = model_server(says("hello"))`."""
    started: list[ModelServer] = []

    def start(*answers: Answers, **how: Any) -> ModelServer:
        server = ModelServer(*answers, **how)
        server.__enter__()
        started.append(server)
        return server

    yield start
    for server in started:
        server.__exit__()
