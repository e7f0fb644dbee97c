"""Puts one reply together from the events of a response, or from its final form where events are missing (SPEC M3)."""

from __future__ import annotations

from compile_loop.contracts.protocols import ToolCall, ToolSchema, Usage
from compile_loop.models.failures import upstream_of
from compile_loop.models.reading import Reader, entries, mapping, number_in
from compile_loop.models.wire import Upstream, UpstreamError

Item = dict[str, object]
_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done")
IGNORED = Upstream(400, "previous_response_id is not supported: it was ignored", param="previous_response_id")
_REASONS = {"max_output_tokens": "length", "max_tokens": "length", "content_filter": "content_filter"}


class ResponseReader(Reader):
    """Deltas are for showing; an item's final form, and the response's own list of items, win over them.

    `id` names the response on the server. `stored` is what the server says of `store`; None where it says nothing.
    `continuing` says that the request named a response to go on from, which some servers ignore in silence: that
    counts as a refusal, as soon as it shows.
    """

    def __init__(self, tools: tuple[ToolSchema, ...] = (), *, continuing: bool = False) -> None:
        super().__init__(tools)
        self.id = ""
        self.stored: bool | None = None
        self._continuing = continuing
        self._argued: set[int] = set()
        self._done_items: dict[int, Item] = {}
        self._final: list[Item] = []
        self._indices: dict[str, int] = {}
        self._seen_text: set[object] = set()

    @property
    def items(self) -> list[Item]:
        """The reply's finished items in their order, as they are sent back."""
        return self._final or [item for _, item in sorted(self._done_items.items())]

    @property
    def text(self) -> str:
        """The text of the finished messages, or what streamed where none was finished."""
        finished = "".join(_text_in(item) for item in self.items if item.get("type") == "message")
        return finished or super().text

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls that the reply makes; a finished one as its item says."""
        finished = [item for item in self.items if item.get("type") == "function_call"]
        if not finished:
            return super().tool_calls
        streamed = {call.id: call for call in super().tool_calls}
        calls = []
        for item in finished:
            key, name = str(item.get("call_id") or item.get("id") or ""), str(item.get("name") or "")
            arguments = item.get("arguments")
            if not (isinstance(arguments, str) and arguments.strip()):
                arguments = streamed[key].arguments if key in streamed else "{}"
            calls.append(ToolCall(key, name, arguments.strip()))
        return tuple(calls)

    def take(self, payload: dict[str, object], event: str) -> str:
        """Take one event by its type, which payload and event name both give."""
        kind = str(payload.get("type") or event)
        if kind == "error":
            raise UpstreamError(upstream_of(None, payload))
        if kind.endswith("output_text.delta") or kind == "response.refusal.delta":
            self._seen_text.add(payload.get("item_id"))
            return self.add(payload.get("delta"))
        if kind.startswith("response.function_call_arguments."):
            self._arguments(payload, kind)
        elif kind in ("response.output_item.added", "response.output_item.done"):
            return self._item(payload, kind.endswith("done"))
        elif isinstance(response := payload.get("response"), dict):
            return self._response(response, kind)
        return ""

    def take_whole(self, body: dict[str, object]) -> str:
        """Take a whole response, from a server that does not stream."""
        return self._response(body, "response.done") if "output" in body or "status" in body else ""

    def _arguments(self, payload: dict[str, object], kind: str) -> None:
        at = self._index(payload)
        if kind.endswith(".delta"):
            self._argued.add(at)
            self.calls.feed(at, None, None, payload.get("delta"))
        elif at not in self._argued:
            self.calls.feed(at, None, None, payload.get("arguments"))

    def _item(self, payload: dict[str, object], done: bool) -> str:
        item, at = mapping(payload.get("item")), self._index(payload)
        if isinstance(key := item.get("id"), str):
            self._indices[key] = at
        if item.get("type") == "function_call" and not done:
            self.calls.feed(at, item.get("call_id"), item.get("name"), item.get("arguments"))
        if not done:
            return ""
        self._done_items[at] = item
        return self._unseen([item])

    def _response(self, response: dict[str, object], kind: str) -> str:
        if isinstance(key := response.get("id"), str):
            self.id = key
        if isinstance(store := response.get("store"), bool):
            self.stored = store
        if self._continuing and "previous_response_id" in response and not response["previous_response_id"]:
            raise UpstreamError(IGNORED)
        if kind not in _ENDS:
            return ""
        if isinstance(response.get("error"), dict):
            raise UpstreamError(upstream_of(None, response))
        status = response.get("status") or kind.rpartition(".")[2]
        self._count(mapping(response.get("usage")))
        self._final = [item for item in entries(response.get("output")) if item.get("type")]
        if status == "incomplete":
            why = str(mapping(response.get("incomplete_details")).get("reason") or "length")
            self.reason = _REASONS.get(why, why)
        elif status in ("failed", "cancelled"):
            self.reason = "error"
        else:
            self.reason = "tool_calls" if self.tool_calls else "stop"
        self.done = True
        return self._unseen(self._final)

    def _unseen(self, items: list[Item]) -> str:
        """Text of messages that came whole, with no deltas before."""
        if self._seen_text:
            return ""
        text = "".join(_text_in(item) for item in items if item.get("type") == "message")
        if text:
            self._seen_text.add(None)
        return self.add(text)

    def _index(self, payload: dict[str, object]) -> int:
        """Where in the reply an event belongs, by its index or by its item's id."""
        at = payload.get("output_index")
        if isinstance(at, int):
            return at
        key = payload.get("item_id") or mapping(payload.get("item")).get("id")
        return self._indices.setdefault(str(key), len(self._indices) + len(self._done_items))

    def _count(self, usage: dict[str, object]) -> None:
        prompt, completion = number_in(usage, "input_tokens"), number_in(usage, "output_tokens")
        if prompt is not None or completion is not None:
            cached = number_in(usage, "input_tokens_details", "cached_tokens") or 0
            self.counted = Usage(prompt or 0, completion or 0, min(cached, prompt or 0))


def _text_in(item: Item) -> str:
    parts = [part.get("text", part.get("refusal")) for part in entries(item.get("content"))]
    return "".join(part for part in parts if isinstance(part, str))
