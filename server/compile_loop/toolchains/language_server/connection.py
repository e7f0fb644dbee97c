"""A language server's process: messages to and from it, bounded in time and size, and ended whatever happens."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

Message = dict[str, Any]

_LONGEST = 32 << 20
"""Bytes of one message; what says more is not asked any further."""
_WAITING = 256
"""Messages that may wait to be looked at; a server that floods has to wait, too."""
_BUSY = frozenset({-32801, -32802})
"""Codes of errors that say "ask again": what was asked about has changed, or the server was not ready."""
_TRIES = 6


class ServerError(Exception):
    """The server cannot be asked any further."""


class Connection:
    """A language server on its standard input and output, which lives for at most `seconds`. Use it in a `with`."""

    def __init__(self, argv: Sequence[str], root: Path, seconds: float) -> None:
        self.root = root
        self.published: dict[str, list[Message]] = {}
        self.heard_of: set[str] = set()
        self.deadline = time.monotonic() + seconds
        self._under_way: set[str] = set()
        self._incoming: queue.Queue[Message | None] = queue.Queue(_WAITING)
        self._count = 0
        try:
            self._process = subprocess.Popen(
                argv,
                cwd=root,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerError(f"{argv[0]} cannot be started: {error}") from error
        # A write to a server that does not read waits for ever: only its end frees it.
        self._watch = threading.Timer(seconds, self._kill)
        self._watch.daemon = True
        self._watch.start()
        threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        """Kill it, with all that it started: it has nothing to save."""
        self._watch.cancel()
        self._kill()
        self._process.wait()

    def _kill(self) -> None:
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)

    @property
    def busy(self) -> bool:
        """Whether the server has said that it is at work on something."""
        return bool(self._under_way)

    def tell(self, method: str, params: Message) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Message) -> Any:
        """Send a request and wait for its result; None where it is an error."""
        for _ in range(_TRIES):
            answer = self._ask(method, params)
            error = answer.get("error")
            if not isinstance(error, dict) or error.get("code") not in _BUSY:
                return answer.get("result")
            self.pump(0.2)
        return None

    def _ask(self, method: str, params: Message) -> Message:
        self._count += 1
        number = self._count
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._next(self.deadline)
            if message is None:
                raise ServerError(f"The language server did not answer {method} in time")
            if message.get("id") == number and "method" not in message:
                return message

    def pump(self, seconds: float) -> bool:
        """Take one message if there is one within so many seconds; whether there was."""
        return self._next(min(self.deadline, time.monotonic() + seconds)) is not None

    def _next(self, until: float) -> Message | None:
        """The next message, noticed and answered where it has to be; None where none comes until then."""
        left = until - time.monotonic()
        if left <= 0:
            return None
        try:
            message = self._incoming.get(timeout=left)
        except queue.Empty:
            return None
        if message is None:
            raise ServerError("The language server ended, or says what is no message")
        self._notice(message)
        return message

    def _notice(self, message: Message) -> None:
        method, params = message.get("method"), message.get("params")
        if method is None or not isinstance(params, dict | list | None):
            return
        about = params if isinstance(params, dict) else {}
        if method == "textDocument/publishDiagnostics":
            uri = about.get("uri")
            if uri in self.published:  # only of files that were opened
                self.heard_of.add(uri)
                self.published[uri] = list(about.get("diagnostics") or [])
        elif method == "$/progress":
            kind = about["value"].get("kind")
            if kind in {"begin", "end"}:
                (self._under_way.add if kind == "begin" else self._under_way.discard)(str(about["token"]))
        elif "id" in message:
            self._send({"id": message["id"], "result": _answer(method, about)})

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._process.stdin
        assert stream is not None
        try:
            stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            stream.flush()
        except OSError as error:
            raise ServerError("The language server ended, or did not listen in time") from error

    def _listen(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError, RecursionError):
            for body in _bodies(stream):
                message = json.loads(body)
                if not isinstance(message, dict):
                    break
                self._incoming.put(message)
        self._incoming.put(None)


def _answer(method: str, params: Message) -> object:
    """A server's own question is answered with nothing: it has no settings here, and may change no file by itself."""
    if method == "workspace/configuration":
        return [None] * len(params.get("items") or [])
    return {"applied": False} if method == "workspace/applyEdit" else None


def _bodies(stream: IO[bytes]) -> Iterator[bytes]:
    """The bodies of messages until the stream ends or holds something else; `ValueError` for a header that is none."""
    while True:
        size = 0
        while header := stream.readline(4096).strip():
            name, colon, value = header.partition(b":")
            if not colon:
                return
            if name.lower() == b"content-length":
                size = int(value)
        if not 0 < size <= _LONGEST:
            return
        body = stream.read(size)
        if len(body) < size:
            return
        yield body
