"""A small HTTP server on loopback that streams answers; one thread a connection, standard library only."""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from typing import Any

_LARGEST_REQUEST = 64 * 1024 * 1024
_GLANCE = 0.02
"""Seconds between two looks at whether the other side is still there."""


class Exchange:
    """One request, and the means to answer it: at once with `reply`, or with `begin`, `send` and `end`."""

    def __init__(self, handler: _Handler, body: bytes) -> None:
        self._handler = handler
        self._chunked = False
        self.method: str = handler.command
        self.path: str = handler.path
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in handler.headers.items()}
        self.body = body

    def json(self) -> Any:
        """The request's body; raises `ValueError` where it is no JSON."""
        return json.loads(self.body)

    def begin(self, status: int, headers: Mapping[str, str], *, framing: str = "chunked") -> None:
        """Send the head. `framing` is `chunked`, `length` (the headers say it) or `close` (the end of the connection)."""
        self._chunked = framing == "chunked"
        self._handler.send_response_only(status)
        for name, value in headers.items():
            self._handler.send_header(name, value)
        if self._chunked:
            self._handler.send_header("Transfer-Encoding", "chunked")
        if framing == "close":
            self._handler.send_header("Connection", "close")
            self._handler.close_connection = True
        self._handler.end_headers()

    def send(self, data: bytes) -> None:
        """Send a piece of the body at once, as one chunk where the body is chunked."""
        if self._chunked:
            data = b"%x\r\n%b\r\n" % (len(data), data) if data else b""
        self._handler.wfile.write(data)

    def end(self) -> None:
        """Finish the body."""
        if self._chunked:
            self._handler.wfile.write(b"0\r\n\r\n")

    def reply(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send a whole answer."""
        self.begin(status, {**(headers or {}), "Content-Length": str(len(body))}, framing="length")
        self._handler.wfile.write(body)

    def reply_json(self, status: int, value: object) -> None:
        """Send a whole JSON answer."""
        self.reply(status, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def drop(self) -> None:
        """End the connection here, whatever was promised."""
        self._handler.close_connection = True

    def wait(self, seconds: float) -> bool:
        """Pause; False as soon as the other side has hung up or the server closes."""
        closing = self._handler.server.closing
        waited = 0.0
        while waited < seconds:
            if self.hung_up() or closing.wait(min(_GLANCE, seconds - waited)):
                return False
            waited += _GLANCE
        return True

    def hung_up(self) -> bool:
        """Whether the other side has closed the connection."""
        connection = self._handler.connection
        try:
            readable, _, _ = select.select([connection], [], [], 0)
            return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""
        except (OSError, ValueError):
            return True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        """Read the body and hand the exchange on."""
        length = int(self.headers.get("content-length") or 0)
        if not 0 <= length <= _LARGEST_REQUEST:
            self.send_error(413)
            return
        try:
            self.server.answer(Exchange(self, self.rfile.read(length)))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST  # noqa: N815

    def setup(self) -> None:
        """Send small pieces as they come, and let the server end the connection."""
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        """Forget the connection."""
        self.server.connections.discard(self.connection)
        super().finish()

    def handle(self) -> None:
        """Serve requests; a client that hangs up is no error."""
        try:
            super().handle()
        except (ConnectionError, ValueError):
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Stay silent."""


class _Server(ThreadingMixIn, TCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, answer: Callable[[Exchange], None]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.closing = threading.Event()
        self.connections: set[socket.socket] = set()


class LocalServer:
    """Answers requests on an ephemeral port of 127.0.0.1 with `answer`, which runs in the connection's thread.

    It listens from `start` to `close`; both are quick and neither needs an event loop.
    """

    def __init__(self, answer: Callable[[Exchange], None]) -> None:
        self._answer = answer
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def origin(self) -> str:
        """`http://127.0.0.1:PORT`; raises `RuntimeError` unless the server is listening."""
        if self._server is None:
            raise RuntimeError("the server is not listening")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        """Begin to listen."""
        server = self._server = _Server(self._answer)
        self._thread = threading.Thread(
            target=server.serve_forever, args=(_GLANCE / 4,), name="local server", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop listening and end every connection. Safe to call more than once."""
        server, self._server = self._server, None
        if server is None:
            return
        server.closing.set()
        server.shutdown()
        server.server_close()
        for connection in list(server.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        if self._thread is not None:
            self._thread.join()
