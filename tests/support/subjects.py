"""Every kind of turn generator, made to say what a test wants: over HTTP, through an editor, as a program, from a file."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.asking import QUESTION, TOOLS, Waits, all_events, generator_for
from tests.support.dialects import DIALECTS, Called, Dialect
from tests.support.model_server import Answer, ModelServer

from compile_loop.contracts.protocols import ToolCall, ToolSchema, TurnGenerator
from compile_loop.models.choose import ModelSettings, Timeouts, make_generator
from compile_loop.models.relay import CallPart, Relay, RelayMessage, TextPart
from compile_loop.models.replay import ReplayGenerator
from compile_loop.models.scripted import ScriptedGenerator, ScriptedReply
from compile_loop.models.turn_log import LoggedGenerator, turns_in
from compile_loop.models.vscode import RelayedGenerator

HTTP: Mapping[str, Dialect] = {dialect.provider: dialect for dialect in DIALECTS}
PATIENT = Timeouts(connect=2.0, first_byte=10.0, idle=10.0)


@dataclass(frozen=True)
class Said:
    """One reply that a model is to give."""

    text: str = ""
    calls: tuple[Called, ...] = ()
    thinking: str = ""

    def as_text(self) -> str:
        """The reply where there is nothing but text."""
        thought = f"<think>{self.thinking}</think>\n" if self.thinking else ""
        if self.calls:
            return thought + json.dumps([{"name": name, "arguments": given} for name, given in self.calls])
        return thought + self.text

    def answer(self, dialect: Dialect) -> Answer:
        if self.calls:
            return dialect.makes(*self.calls, text=self.text, thinking=self.thinking)
        return dialect.says(self.text, thinking=self.thinking)


def relayed(relay: Relay, waits: Waits | None = None, **settings: Any) -> RelayedGenerator:
    """A generator over an editor's model."""
    made = RelayedGenerator(ModelSettings("vscode", "gpt-x", **settings), relay)
    made._timing = (waits or Waits()).timing()
    return made


def program(path: Path, source: str) -> str:
    """A command line that runs this Python source."""
    path.write_text(source, "utf-8")
    return f"{shlex.quote(sys.executable)} -S -E {shlex.quote(str(path))}"


def command(line: str, **settings: Any) -> TurnGenerator:
    """A generator that starts a program."""
    settings.setdefault("timeouts", PATIENT)
    return make_generator(ModelSettings("command", line, **settings), {"PATH": "/usr/bin:/bin"})


@asynccontextmanager
async def saying(protocol: str, said: Said, folder: Path) -> AsyncIterator[TurnGenerator]:
    """A generator of this protocol that gives this reply to `QUESTION` with `TOOLS`."""
    if protocol in HTTP:
        with ModelServer(said.answer(HTTP[protocol])) as server:
            yield generator_for(server.base_url, provider=protocol)
        return
    if protocol == "vscode":

        async def relay(
            _model: str, _messages: tuple[RelayMessage, ...], _tools: tuple[ToolSchema, ...]
        ) -> AsyncIterator[TextPart | CallPart]:
            text = Said(said.text, (), said.thinking).as_text()
            for part in (text[:5], text[5:]):
                yield TextPart(part)
            for n, (name, given) in enumerate(said.calls):
                yield CallPart(f"k{n}", name, given)

        yield relayed(relay)
        return
    if protocol == "command":
        yield command(program(folder / "model.py", f"import sys; sys.stdin.read(); print({said.as_text()!r}, end='')"))
        return
    calls = tuple(ToolCall(f"k{n}", name, json.dumps(given)) for n, (name, given) in enumerate(said.calls))
    scripted = ScriptedGenerator([ScriptedReply(said.text, tool_calls=calls)])
    if protocol == "scripted":
        yield scripted
        return
    lines: list[str] = []
    await all_events(LoggedGenerator(scripted, lines.append), QUESTION, TOOLS)
    yield ReplayGenerator(turns_in("".join(lines)))
