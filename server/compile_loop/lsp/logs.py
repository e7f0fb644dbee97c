"""Where the log goes: our own lines to the client's `window/logMessage`, everybody else's warnings to standard error."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import threading
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from compile_loop.lsp.client import Client

LEVELS = (
    (logging.ERROR, types.MessageType.Error),
    (logging.WARNING, types.MessageType.Warning),
    (logging.INFO, types.MessageType.Info),
)

ANSWERED = ("Unable to deserialize message", "Failed to handle request", "Cancel notification for unknown message")


class ClientHandler(logging.Handler):
    """Sends records to the client, from any thread."""

    def __init__(self, server: Client) -> None:
        super().__init__(logging.INFO)
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record; before `initialize` it goes to standard error."""
        if not self._server.greeted.is_set():
            sys.stderr.write(self.format(record) + "\n")
            return
        kind = next((kind for level, kind in LEVELS if record.levelno >= level), types.MessageType.Log)
        message = types.LogMessageParams(kind, self.format(record))
        if threading.get_ident() == self._thread:
            self._server.window_log_message(message)
            return
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._server.window_log_message, message)


def _no_refusals(record: logging.LogRecord) -> bool:
    """Drop what pygls says about messages that were answered with an error, and about cancelling what has ended."""
    if record.exc_info and isinstance(record.exc_info[1], JsonRpcException):
        return False
    return not str(record.msg).startswith(ANSWERED)


def configure(server: Client) -> None:
    """Set up logging for the process. pygls logs whole messages at INFO, so it is held to warnings."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    pygls = logging.getLogger("pygls")
    pygls.setLevel(logging.WARNING)
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_no_refusals)
    ours = logging.getLogger("compile_loop")
    ours.setLevel(logging.INFO)
    ours.propagate = False
    ours.addHandler(ClientHandler(server))
