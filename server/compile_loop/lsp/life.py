"""The server's life: from the first byte to the last child process (SPEC S3)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pygls.io_ import run_async

from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.logs import configure
from compile_loop.lsp.server import create_server
from compile_loop.lsp.stdio import Reader, Streams, Writer
from compile_loop.lsp.unreadable import refusal

if TYPE_CHECKING:
    import psutil

log = logging.getLogger(__name__)
LAST_RESORT = 8.0
"""Seconds after which a process that cannot end by itself is ended."""
PARENT_POLL = 2.0
SWITCH = 0.001
"""Seconds after which a busy thread hands over; an answer takes several turns."""


async def live(streams: Streams) -> int:
    """Serve until `exit`, the end of input, a signal, or the client's death; returns the exit status."""
    loop = asyncio.get_running_loop()
    sys.setswitchinterval(SWITCH)
    reader = Reader(streams.stdin, loop)
    writer = Writer(streams.stdout, lambda: _soon(loop, reader.end))
    server = create_server()
    server.protocol.set_writer(writer)
    configure(server)
    _end_on_signals(loop, reader)

    def unhandled(error: Exception, source: Any) -> None:
        if (reply := refusal(reader.body, error)) is not None:
            server.protocol._send_data(reply)
        else:
            server.report_server_error(error, source)

    watch = asyncio.create_task(_watch_client(server, reader))
    clearing = asyncio.create_task(_clear_up(server))
    try:
        await run_async(threading.Event(), reader, server.protocol, log, unhandled)
        status = 0
    except SystemExit as end:  # pygls' handler of `exit`
        status = end.code if isinstance(end.code, int) else 1
    finally:
        watch.cancel()
        clearing.cancel()
        _end_for_certain()
        await server.finish()
        writer.close()
    return status


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed already
        loop.call_soon_threadsafe(call)


def _end_on_signals(loop: asyncio.AbstractEventLoop, reader: Reader) -> None:
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, reader.end)
        except (NotImplementedError, RuntimeError):
            return  # Windows: the client ends us by closing our input


async def _clear_up(server: LoopServer) -> None:
    """What servers that were killed left behind, away as soon as the client has its first answer (SPEC W4)."""
    await server.greeted.wait()
    try:
        restored = await asyncio.to_thread(_clear)
    except Exception as error:
        log.warning("What a killed run left behind could not be cleared away: %r", error)
        return
    for path in restored:
        log.warning("%s is as it was before a run that was killed.", path)


def _clear() -> list[Path]:
    from compile_loop.clearing import clear_up

    return clear_up()


async def _watch_client(server: LoopServer, reader: Reader) -> None:
    """End when the client's process is gone although somebody else still holds our input open."""
    await server.greeted.wait()
    if server.process_id is None:
        return
    import psutil

    try:
        client = psutil.Process(server.process_id)
    except psutil.Error:
        return  # the number belongs to another machine or container
    while _lives(client):  # noqa: ASYNC110 - the system tells nobody of a process that is not its child
        await asyncio.sleep(PARENT_POLL)
    log.warning("The client (process %d) is gone.", client.pid)
    reader.end()


def _lives(client: psutil.Process) -> bool:
    """Whether it runs still: a zombie, whose parent has not looked yet, does not, and a new process of its number is another."""
    import psutil

    try:
        return client.is_running() and client.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True  # it may not be looked at, but it is there


def _end_for_certain() -> None:
    """A thread that hangs in a system call must not keep the process."""
    timer = threading.Timer(LAST_RESORT, os._exit, (1,))
    timer.daemon = True
    timer.start()
