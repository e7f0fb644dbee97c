"""Any program as a model: the prompt on its stdin, its reply on stdout (SPEC M1)."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
from collections.abc import AsyncGenerator, Mapping, Sequence

import anyio
import psutil

from compile_loop.contracts.protocols import (
    Message,
    ModelError,
    ModelErrorKind,
    Reply,
    TextDelta,
    ToolSchema,
    TurnEvent,
)
from compile_loop.contracts.secret_names import without_keys
from compile_loop.contracts.unbroken import Late, unbroken
from compile_loop.models.calls_in_text import calls_in_text
from compile_loop.models.history import valid_messages
from compile_loop.models.model_settings import ModelSettings
from compile_loop.models.retry import Timing
from compile_loop.models.thinking import ThinkingFilter, visible_text
from compile_loop.models.tool_calls import with_ids
from compile_loop.models.wire import Shape

_PIECE = 65_536
_LONGEST_ERROR = 2_000
_LARGEST_REPLY = 32 * 1024 * 1024
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_KEY_SHAPED = re.compile(r"\b(?:sk|pk|key|gsk|xai)[-_][A-Za-z0-9_\-]{8,}")


class CommandGenerator:
    """Starts the program anew for every reply.

    `ModelSettings.model` is its command line, split as a shell would, but run without one. Of keys in the environment
    it gets the one that `api_key_env` names and no other.
    """

    def __init__(self, settings: ModelSettings, environ: Mapping[str, str], *, timing: Timing | None = None) -> None:
        try:
            self._argv = shlex.split(settings.model, posix=os.name != "nt")
        except ValueError as error:
            raise ModelError(
                ModelErrorKind.CONFIGURATION, f"The command {settings.model!r} cannot be read: {error}."
            ) from None
        self._settings = settings
        self._environ = without_keys(environ, keep=settings.api_key_env)
        self._timing = timing or Timing()

    @property
    def name(self) -> str:
        """`command:` and the program."""
        return f"command:{self._argv[0] if self._argv else ''}"

    async def generate(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()
    ) -> AsyncGenerator[TurnEvent, None]:
        """Stream one reply; see `TurnGenerator.generate`. Closing it kills the program and all that it started."""
        started = self._timing.clock()
        process = await self._start()
        said = bytearray()
        feeding = asyncio.create_task(_feed(process, prompt_of(messages, tools)))
        complaining = asyncio.create_task(_tail(process))
        shown = ThinkingFilter()
        pieces: list[str] = []
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            patience = self._settings.timeouts.first_byte
            while True:
                piece = await self._piece(process, patience)
                patience = self._settings.timeouts.idle
                said += piece
                if len(said) > _LARGEST_REPLY:
                    raise self._failed("wrote more than 32 MiB", lost=len(said))
                text = decoder.decode(piece, final=not piece)
                pieces.append(text)
                if visible := shown.feed(text):
                    yield TextDelta(visible)
                if not piece:
                    break
            code = await process.wait()
            if code != 0:
                raise self._failed(f"ended with exit code {code}{_quoted(await complaining)}")
            if visible := shown.end():
                yield TextDelta(visible)
            text = visible_text(_COLOURS.sub("", "".join(pieces)))
            if not text.strip():
                raise self._failed(f"wrote no reply{_quoted(await complaining)}")
            text, calls = calls_in_text(text, tools)
            finish = "tool_calls" if calls else "stop"
            yield Reply(text, finish, None, self._timing.clock() - started, with_ids(calls, messages))
        finally:
            _kill(process)
            for task in (feeding, complaining):
                task.cancel()
            await asyncio.gather(feeding, complaining, return_exceptions=True)
            with anyio.CancelScope(shield=True), anyio.move_on_after(1.0):
                await process.wait()

    async def aclose(self) -> None:
        """Nothing to give back: no program outlives its reply."""

    async def _start(self) -> asyncio.subprocess.Process:
        if not self._argv:
            raise ModelError(ModelErrorKind.CONFIGURATION, "No program is named; write command:PROGRAM.")
        try:
            return await unbroken(
                asyncio.create_subprocess_exec(
                    *self._argv,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=self._environ,
                    start_new_session=True,
                )
            )
        except Late as late:
            assert isinstance(late.result, asyncio.subprocess.Process)
            _kill(late.result)
            await unbroken(late.result.wait())
            raise
        except FileNotFoundError:
            raise ModelError(
                ModelErrorKind.CONFIGURATION, f"The program {self._argv[0]} was not found. Check its name and the path."
            ) from None
        except OSError as error:
            raise ModelError(
                ModelErrorKind.CONFIGURATION, f"The program {self._argv[0]} cannot be started: {error.strerror}."
            ) from None

    async def _piece(self, process: asyncio.subprocess.Process, patience: float) -> bytes:
        assert process.stdout is not None
        with anyio.move_on_after(patience):
            return await process.stdout.read(_PIECE)
        raise self._failed(f"wrote nothing for {patience:g} seconds")

    def _failed(self, what: str, lost: int | None = None) -> ModelError:
        return ModelError(ModelErrorKind.UNAVAILABLE, f"The program {self._argv[0]} {what}.", lost)


def prompt_of(messages: Sequence[Message], tools: Sequence[ToolSchema]) -> str:
    """The conversation as one text: a heading a message, and how to call tools where there are any.

    A conversation that is one message is that message alone.
    """
    told = valid_messages(messages, Shape(dropped={"tools"}))
    parts = [f"# {each.role}\n{each.content}" for each in told]
    if len(told) == 1:
        parts = [told[0].content]
    if tools:
        parts.insert(1 if told and told[0].role == "system" else 0, _tools_told(tools))
    return "\n\n".join(parts) + "\n"


def _tools_told(tools: Sequence[ToolSchema]) -> str:
    listed = [
        json.dumps(
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}, ensure_ascii=False
        )
        for tool in tools
    ]
    form = '{"name": NAME, "arguments": {…}}'
    return "\n".join([f"# tools\nTo call a tool, answer with nothing but {form}. The tools are:", *listed])


async def _feed(process: asyncio.subprocess.Process, prompt: str) -> None:
    """Write the prompt; a program that does not read it all is no error."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(prompt.encode("utf-8", "replace"))
        await process.stdin.drain()
    process.stdin.close()


async def _tail(process: asyncio.subprocess.Process) -> str:
    """The end of what the program wrote to stderr, read all the time so that it never blocks."""
    assert process.stderr is not None
    kept = b""
    while piece := await process.stderr.read(_PIECE):
        kept = (kept + piece)[-_LONGEST_ERROR:]
    return kept.decode("utf-8", "replace")


def _quoted(complaint: str) -> str:
    words = " ".join(_KEY_SHAPED.sub("[hidden]", _COLOURS.sub("", complaint)).split())
    return f": {words[-300:]}" if words else ""


def _kill(process: asyncio.subprocess.Process) -> None:
    """End the program, its group, and descendants that left it."""
    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
