"""Every tool in one list; a run offers the subset that its mode and its listeners allow (SPEC T1, T6)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from compile_loop.contracts.json_text import value_in
from compile_loop.contracts.protocols import ShadowError, ToolCall, ToolSchema
from compile_loop.tools.apply_search_replace import APPLY_SEARCH_REPLACE
from compile_loop.tools.ask_user import ASK_USER
from compile_loop.tools.consult import CONSULT
from compile_loop.tools.context import ToolContext
from compile_loop.tools.read_file import READ_FILE
from compile_loop.tools.read_file_range import READ_FILE_RANGE
from compile_loop.tools.recall import RECALL
from compile_loop.tools.report_no_change import REPORT_NO_CHANGE
from compile_loop.tools.tool import ArgumentError, Tool, ToolResult

CATALOGUE: tuple[Tool, ...] = (
    READ_FILE,
    READ_FILE_RANGE,
    APPLY_SEARCH_REPLACE,
    RECALL,
    REPORT_NO_CHANGE,
    ASK_USER,
    CONSULT,
)
_LONGEST_FAULT = 300
RESERVED = frozenset(tool.name for tool in CATALOGUE)


class ToolMode(str, Enum):
    """Which channel a model has (SPEC T1)."""

    AUTO = "auto"
    READ_ONLY = "read_only"
    NONE = "none"
    ADAPTIVE = "adaptive"


class ToolNameError(ValueError):
    """A caller's tool has a name that is taken or unusable."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools of one run."""

    tools: tuple[Tool, ...] = ()

    @property
    def schemas(self) -> tuple[ToolSchema, ...]:
        """What is declared to the model."""
        return tuple(tool.schema for tool in self.tools)

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Run one call. Never raises for anything a model or a tool does wrong: the model reads what was wrong instead."""
        tool = next((t for t in self.tools if t.name == call.name), None)
        if tool is None:
            switched_off = " exists, but not in this run" if call.name in RESERVED else " is no tool"
            return ToolResult(f"`{call.name}`{switched_off}. Available: {self._names()}.", ok=False)
        try:
            arguments = value_in(call.arguments or "{}")
        except ValueError as error:
            return _unparsed(tool, f"they are no JSON: {error}")
        if not isinstance(arguments, dict):
            return _unparsed(tool, f"they are {type(arguments).__name__}, not an object")
        try:
            return await tool.call(arguments, context)
        except ArgumentError as error:
            return ToolResult(f"{tool.name}: {error}. Its parameters: {_schema(tool)}", ok=False)
        except ShadowError:
            raise  # No call can mend it.
        except Exception as error:
            return ToolResult(
                f"{tool.name} failed with these arguments: {_on_one_line(error)}. Call it with other ones.", ok=False
            )

    def _names(self) -> str:
        return ", ".join(tool.name for tool in self.tools) or "none"


def offer(mode: ToolMode, *, may_write: bool, asks: bool, consults: bool, extra: Iterable[Tool] = ()) -> Offer:
    """The tools of a run. Raises `ToolNameError` where a caller's tool takes a name that is reserved or given twice."""
    extra = tuple(extra)
    _check_names(extra)
    if mode is ToolMode.NONE:
        return Offer()
    chosen = [READ_FILE, READ_FILE_RANGE, RECALL, REPORT_NO_CHANGE]
    if may_write and mode is not ToolMode.READ_ONLY:
        chosen.insert(2, APPLY_SEARCH_REPLACE)
    chosen += [tool for tool, wanted in ((ASK_USER, asks), (CONSULT, consults)) if wanted]
    return Offer((*chosen, *extra))


def _check_names(extra: Sequence[Tool]) -> None:
    for index, tool in enumerate(extra):
        if not tool.name.replace("_", "").replace("-", "").isalnum():
            raise ToolNameError(f"{tool.name!r} is no name for a tool; use letters, digits, _ and -.")
        if tool.name in RESERVED:
            raise ToolNameError(f"{tool.name!r} is a built-in tool's name; choose another.")
        if tool.name in {other.name for other in extra[:index]}:
            raise ToolNameError(f"{tool.name!r} is given twice.")


def _unparsed(tool: Tool, reason: str) -> ToolResult:
    return ToolResult(
        f"arguments_parse_failed: the arguments of {tool.name} were not used, because {reason}. "
        f"Call it again with a JSON object of this schema: {_schema(tool)}",
        ok=False,
    )


def _on_one_line(error: Exception) -> str:
    """What an exception says, in characters that can be sent and kept."""
    said = " ".join(str(error).split()) or type(error).__name__
    return said.encode("utf-8", "replace").decode("utf-8")[:_LONGEST_FAULT].rstrip(".")


def _schema(tool: Tool) -> str:
    return json.dumps(tool.schema.parameters, ensure_ascii=False)
