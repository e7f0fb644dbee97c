"""What a tool is: a schema, and a function from arguments to text for the model (SPEC T6)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from compile_loop.contracts.protocols import ToolSchema
from compile_loop.tools.context import ToolContext

Arguments = Mapping[str, object]
_LONGEST_NUMBER = 20


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call came to.

    `text` is for the model. `ok` False: the call failed in a way that the model can mend. `shown` are files whose text
    the model has now seen. `applied` are files that it changed.
    """

    text: str
    ok: bool = True
    shown: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of the catalogue."""

    schema: ToolSchema
    call: Callable[[Arguments, ToolContext], Awaitable[ToolResult]]

    @property
    def name(self) -> str:
        """Its name in the catalogue and on the wire."""
        return self.schema.name


class ArgumentError(ValueError):
    """An argument is missing or of the wrong kind; the message names it."""


def text_argument(arguments: Arguments, name: str, *, empty: bool = False) -> str:
    """A string argument. Raises `ArgumentError`."""
    value = arguments.get(name)
    if not isinstance(value, str):
        raise ArgumentError(f"`{name}` must be a string{'' if name in arguments else ' and is missing'}")
    if not value and not empty:
        raise ArgumentError(f"`{name}` is empty")
    return value


def number_argument(arguments: Arguments, name: str) -> int:
    """A whole number; one written as text is taken too, since models do that. Raises `ArgumentError`."""
    value = arguments.get(name)
    if isinstance(value, str) and len(value) < _LONGEST_NUMBER and re.fullmatch(r"\s*-?[0-9]+\s*", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentError(f"`{name}` must be a whole number{'' if name in arguments else ' and is missing'}")
    return value


def schema(
    name: str, description: str, required: Mapping[str, object], optional: Mapping[str, object] | None = None
) -> ToolSchema:
    """A tool's schema from its parameters' JSON Schemas by name."""
    return ToolSchema(
        name,
        description,
        {
            "type": "object",
            "properties": {**required, **(optional or {})},
            "required": list(required),
            "additionalProperties": False,
        },
    )


TEXT: Mapping[str, object] = {"type": "string"}


def described(kind: str, description: str) -> Mapping[str, object]:
    """A parameter's JSON Schema."""
    return {"type": kind, "description": description}
