"""The run's end of the pipe to the process that holds a shadow's namespaces (Linux)."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO, cast

from compile_loop.contracts.protocols import ShadowError
from compile_loop.shadow.namespaces.wire import receive, send

_PROGRAMS = str(Path(__file__).with_name("namespaces") / "__main__.py")
_PATIENCE = 20.0
"""Seconds that one request may take; a dead network drive must not keep a run for ever."""


def program(name: str, *arguments: str) -> list[str]:
    """The vector that starts one of our programs inside namespaces, with this Python and nothing installed.

    It ends with this process, whose id is its first argument: also where that is gone before it comes to look.
    """
    return [sys.executable, "-I", "-S", _PROGRAMS, name, str(os.getpid()), *arguments]


class Holding:
    """One holder process. Any thread may ask; one request runs at a time."""

    def __init__(self) -> None:
        """Start it. Raises `ShadowError`."""
        try:
            self._process = subprocess.Popen(
                program("holder"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd="/",
                env={"PATH": os.defpath},
            )
        except OSError as error:
            raise ShadowError(f"The process that holds the isolated copy cannot start: {error.strerror}.") from error
        self._turn = threading.Lock()
        self._ended = False

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def ask(self, name: str, *arguments: Any) -> Any:
        """Send a request and wait for its answer. Raises `ShadowError`, or the `OSError` that it met."""
        output = cast("BinaryIO", self._process.stdout)
        with self._turn:
            if self._ended:
                raise ShadowError("The isolated copy is closed.")
            try:
                send(cast("BinaryIO", self._process.stdin), (name, *arguments))
                if not select.select([output], [], [], _PATIENCE)[0]:
                    raise ShadowError(f"The isolated copy does not answer within {_PATIENCE:g} s.")
                reply = receive(output)
            except (OSError, EOFError, ValueError) as error:
                raise ShadowError(f"The process that holds the isolated copy has ended{self._last_words()}.") from error
        if reply[0] == "ok":
            return reply[1]
        if reply[0] == "OSError":
            raise OSError(reply[1], reply[2])
        raise ShadowError(reply[1])

    def end(self) -> None:
        """End it, and with it its namespaces once nothing else lives in them. Safe to call more than once."""
        self._process.kill()
        with self._turn:
            self._ended = True
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()

    def _last_words(self) -> str:
        """What it said before it ended, as the rest of a sentence."""
        self._process.kill()
        self._process.wait()
        assert self._process.stderr is not None
        said = self._process.stderr.read().decode("utf-8", "replace").strip().splitlines()
        return f": {said[-1]}" if said else ""
