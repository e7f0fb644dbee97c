"""What a task asks somebody before it runs: the `inputs` of a `tasks.json` (SPEC D1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_ASKS = re.compile(r"\$\{input:(?P<id>[^{}]*)\}")
_ABOUT_IT = frozenset({"label", "taskName", "detail", "presentation", "group", "dependsOn", "runOptions", "icon"})
"""What an entry says about the task; no variables are replaced there."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to choose."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Input:
    """A question of a task. With `choices` one of them is picked, else a text is typed; `default` may be empty."""

    id: str
    description: str
    default: str = ""
    password: bool = False
    choices: tuple[Choice, ...] = ()

    def refused(self, value: str) -> str | None:
        """Why a value is no answer, in a sentence; None where it is one."""
        values = [choice.value for choice in self.choices]
        if values and value not in values:
            return f"{value!r} is no answer to ${{input:{self.id}}}. It can be {', '.join(map(repr, values))}."
        return None


def declared_inputs(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The inputs that a `tasks.json` declares, by id."""
    entries = document.get("inputs")
    found = [each for each in entries if isinstance(each, Mapping)] if isinstance(entries, list) else []
    return {str(each.get("id")): each for each in found}


def ids_in(value: object) -> Iterator[str]:
    """The ids of the inputs that a task's entry asks for, in their order."""
    if isinstance(value, str):
        yield from (match["id"] for match in _ASKS.finditer(value))
    elif isinstance(value, Mapping):
        for key, each in value.items():
            if key not in _ABOUT_IT:
                yield from ids_in(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from ids_in(each)


def input_of(name: str, declared: Mapping[str, Mapping[str, Any]]) -> Input:
    """An input by its id. Raises `ValueError` with a sentence for one that only the editor could answer, or nobody."""
    entry = declared.get(name)
    if entry is None:
        raise ValueError(f"it asks for ${{input:{name}}}, which its tasks.json does not declare.")
    kind = entry.get("type")
    if kind == "command":
        raise ValueError(
            f"it asks the editor's command “{entry.get('command')}” for ${{input:{name}}}, whose answer only the editor "
            "has. Give the command line that is meant as the check instead."
        )
    described, default = str(entry.get("description") or ""), entry.get("default")
    if kind == "pickString":
        choices = tuple(_choices(entry.get("options")))
        if not choices:
            raise ValueError(f"its ${{input:{name}}} has no options to choose from.")
        return Input(name, described, _text(default), choices=choices)
    if kind == "promptString":
        return Input(name, described, _text(default), password=entry.get("password") is True)
    raise ValueError(f"its ${{input:{name}}} is of the kind {kind!r}, which is not known.")


def _choices(options: object) -> Iterator[Choice]:
    for option in options if isinstance(options, list) else ():
        if isinstance(option, str):
            yield Choice(option, option)
        elif isinstance(option, Mapping) and isinstance(option.get("value"), str):
            value = str(option["value"])
            yield Choice(_text(option.get("label")) or value, value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
