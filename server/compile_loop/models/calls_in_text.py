"""Finds tool calls that a model wrote into its text, as small models with a foreign chat template do (SPEC M3).

Only what is unmistakable counts: the whole text is a JSON object (or a list of them, bare or in a fence) that names a
declared tool, or the call stands between `<tool_call>` tags. Tags and JSON inside an edit block or a fence among other
text are the content of somebody's file and stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from compile_loop.contracts.json_text import value_in
from compile_loop.contracts.protocols import ToolCall, ToolSchema

_FENCED = re.compile(r"(`{3,}|~{3,})[ \t]*(?:json|tool_call|tool_code|tool)?[ \t]*\n(.*?)\n?[ \t]*\1", re.DOTALL | re.I)
_TAGGED = re.compile(r"^[ \t]*<tool_call>(.*?)(?:</tool_call>[ \t]*|\Z)", re.DOTALL | re.MULTILINE)
_PROTECTED = re.compile(
    r"^[ \t]*<{5,} ?SEARCH\b.*?^[ \t]*>{5,} ?REPLACE\b[^\n]*|^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?^[ \t]*\1[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_FUNCTION = re.compile(r"\s*<function=([^>\s]+)>(.*?)(?:</function>)?\s*\Z", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([^>\s]+)>\n?(.*?)\n?</parameter>", re.DOTALL)
_KEYS = frozenset({"name", "arguments", "parameters", "type", "id", "function"})


def calls_in_text(text: str, tools: Sequence[ToolSchema]) -> tuple[str, tuple[ToolCall, ...]]:
    """The text without the calls in it, and the calls, whose ids are empty; the text as it is where there are none."""
    whole = text.strip()
    declared = {tool.name: tool.parameters for tool in tools}
    if not any(name in whole for name in declared):
        return text, ()
    fenced = _FENCED.fullmatch(whole)
    calls = _json_calls(fenced.group(2) if fenced else whole, declared)
    if calls:
        return "", calls
    return _tagged_calls(text, declared) if "<tool_call>" in text else (text, ())


_Declared = Mapping[str, Mapping[str, object]]


def _tagged_calls(text: str, declared: _Declared) -> tuple[str, tuple[ToolCall, ...]]:
    protected = [found.span() for found in _PROTECTED.finditer(text)]
    kept: list[str] = []
    calls: list[ToolCall] = []
    at = 0
    for found in _TAGGED.finditer(text):
        if any(start <= found.start() < end for start, end in protected):
            continue
        inner = _json_calls(found.group(1), declared) or _function_calls(found.group(1), declared)
        if inner:
            calls += inner
            kept.append(text[at : found.start()])
            at = found.end()
    kept.append(text[at:])
    return ("".join(kept).strip(), tuple(calls)) if calls else (text, ())


def _json_calls(text: str, declared: _Declared) -> tuple[ToolCall, ...]:
    try:
        value = value_in(text)
    except ValueError:
        return ()
    values = value if isinstance(value, list) else [value]
    calls = [_json_call(each, declared) for each in values]
    return tuple(call for call in calls if call is not None) if all(calls) else ()


def _json_call(value: object, declared: _Declared) -> ToolCall | None:
    if not isinstance(value, dict) or not value.keys() <= _KEYS:
        return None
    inner = value.get("function", value)
    if not isinstance(inner, dict) or not inner.keys() <= _KEYS:
        return None
    name, arguments = inner.get("name"), inner.get("arguments", inner.get("parameters"))
    if not isinstance(name, str) or name not in declared:
        return None
    if isinstance(arguments, str):
        return ToolCall("", name, arguments or "{}")
    return ToolCall("", name, json.dumps(arguments, ensure_ascii=False)) if isinstance(arguments, dict) else None


def _function_calls(text: str, declared: _Declared) -> tuple[ToolCall, ...]:
    """The form of Qwen's coder models: `<function=NAME>` around `<parameter=NAME>` elements."""
    found = _FUNCTION.match(text)
    if found is None or found.group(1) not in declared:
        return ()
    properties = declared[found.group(1)].get("properties")
    properties = properties if isinstance(properties, dict) else {}
    arguments = {name: _value(text, properties.get(name)) for name, text in _PARAMETER.findall(found.group(2))}
    return (ToolCall("", found.group(1), json.dumps(arguments, ensure_ascii=False)),)


def _value(text: str, schema: object) -> object:
    """A parameter's value: text as it stands, unless its schema wants another type."""
    if not isinstance(schema, dict) or schema.get("type", "string") == "string":
        return text
    try:
        return value_in(text)
    except ValueError:
        return text
