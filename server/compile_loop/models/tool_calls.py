"""Puts streamed tool calls together, whatever a server makes of indices, ids and names (SPEC M3).

Servers contradict each other: one gives every call the same index and a new id, another gives every fragment of one
call a new id. So an id alone opens nothing: a call opens where a name comes with a new index, or with a new id once
what came before is whole.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from compile_loop.contracts.json_text import value_in
from compile_loop.contracts.protocols import Message, ToolCall

SYNTHETIC = "call_synth_"
"""Begins the ids of calls to which the server gave none."""
UNNAMED = "unnamed_tool"
"""The name of a call that came without one; no tool is called so, and the model is told."""


@dataclass(slots=True)
class _Open:
    """A call whose fragments still arrive; kept in pieces, since there may be very many.

    `echo` marks one that began like the call before it: unless arguments follow, it was that call's name again.
    """

    id: str
    echo: bool = False
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        """All pieces so far."""
        if len(self.pieces) > 1:
            self.pieces[:] = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""


class CallAssembler:
    """Takes fragments of calls in the order in which they arrive; nothing is final before the stream ends.

    `declared` are the names of the tools that the model may call.
    """

    def __init__(self, declared: Collection[str]) -> None:
        self._declared = declared
        self._calls: list[_Open] = []
        self._by_index: dict[int, _Open] = {}
        self._by_id: dict[str, _Open] = {}

    def __bool__(self) -> bool:
        """Whether any call has begun."""
        return bool(self._calls)

    def feed(self, index: object, call_id: object, name: object, arguments: object) -> None:
        """Take one fragment; whatever is missing or of another type counts as not given."""
        number = index if isinstance(index, int) else None
        key = call_id if isinstance(call_id, str) else ""
        called = name.strip() if isinstance(name, str) else ""
        text = _text_of(arguments)
        call = self._find(number, key, called)
        if call is None:
            call = self._open(key)
        elif self._is_another(call, key, called, text):
            call = self._open(key, echo=called == call.name)
        if number is not None:
            self._by_index[number] = call
        if key:
            self._by_id[key] = call
        if called:
            call.name = self._name(call.name, called)
        whole_again = (called or isinstance(arguments, dict)) and _same(call.arguments, text)
        if text and not whole_again:
            call.pieces.append(text)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls so far. An id that the server did not give is empty; blank arguments are `{}`, broken ones stay."""
        whole: list[_Open] = []
        for call in self._calls:
            if not call.name and whole and not _complete(whole[-1].arguments):
                whole[-1].pieces.append(call.arguments)
            elif call.arguments.strip() or (call.name and not call.echo):
                whole.append(replace(call, pieces=[call.arguments]))
        return tuple(ToolCall(each.id, each.name or UNNAMED, each.arguments.strip() or "{}") for each in whole)

    def _find(self, index: int | None, key: str, name: str) -> _Open | None:
        """The call that a fragment may continue: the one at its index, or one with its id, or the last."""
        at_index = self._by_index.get(index) if index is not None else None
        with_id = self._by_id.get(key) if key else None
        if with_id is not None and (index is None or not name or (at_index is not None and at_index.id != key)):
            return at_index if at_index is not None and at_index.id == key else with_id
        if index is not None:
            return at_index
        return self._calls[-1] if self._calls else None

    def _open(self, key: str, *, echo: bool = False) -> _Open:
        call = _Open(key, echo)
        self._calls.append(call)
        return call

    def _is_another(self, call: _Open, key: str, name: str, arguments: str) -> bool:
        """Whether a fragment that was found to belong to `call` is the head of another one after all."""
        if not name or not call.name:
            return False
        new_id = bool(key) and key not in self._by_id
        if _complete(call.arguments):
            return new_id or name != call.name or not _same(call.arguments, arguments)
        if not new_id or name == call.name:
            return False
        if not call.arguments.strip():
            return not self._continues(call.name, name)
        return name in self._declared and call.name in self._declared

    def _continues(self, so_far: str, piece: str) -> bool:
        """Whether a piece may be the rest of a name that came in parts."""
        if so_far in self._declared:
            return False
        return any(name.startswith((so_far + piece, piece)) and name.startswith(so_far) for name in self._declared)

    def _name(self, so_far: str, piece: str) -> str:
        """A name repeated stays, one that came in parts is joined; the declared names decide."""
        if not piece or piece == so_far or so_far in self._declared:
            return so_far
        return piece if piece.startswith(so_far) and so_far + piece not in self._declared else so_far + piece


def with_ids(calls: Sequence[ToolCall], messages: Sequence[Message]) -> tuple[ToolCall, ...]:
    """The calls with an id each: `call_synth_<index>` where the server gave none, or the same one twice.

    The index goes on from those that the conversation already has, so that no two results answer one id.
    """
    used = {call.id for message in messages for call in message.tool_calls if call.id.startswith(SYNTHETIC)}
    named: list[ToolCall] = []
    for call in calls:
        key = call.id if call.id not in {each.id for each in named} else ""
        if not key:
            key = next(each for n in range(len(used) + 1) if (each := f"{SYNTHETIC}{n}") not in used)
            used.add(key)
        named.append(replace(call, id=key))
    return tuple(named)


def _text_of(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)


def _complete(text: str) -> bool:
    if not text.rstrip().endswith("}"):
        return False
    try:
        return isinstance(value_in(text), dict)
    except ValueError:
        return False


def _same(text: str, other: str) -> bool:
    """Whether two texts are the same whole arguments: a server that repeats itself."""
    return _complete(other) and _complete(text) and bool(value_in(text) == value_in(other))
