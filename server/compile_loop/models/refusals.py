"""Learns from a refused request what an endpoint does not take, to ask again once without it (SPEC M2)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from compile_loop.models.wire import Shape, Upstream

_REFUSED = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|not permitted|not allowed|unexpected|deprecated|no longer"
    r"|extra (?:inputs|fields)|cannot be (?:used|set)|may only be|must be verified|only the default|not (?:found|stored)",
    re.IGNORECASE,
)
_SYSTEM = re.compile(
    r"(?:system|developer) (?:role|instruction|message|prompt)s? (?:is |are )?not|role[^.]{0,40}(?:system|developer)"
    r"|does not support '?(?:system|developer)|(?:system|developer)'? role",
    re.IGNORECASE,
)
_ALTERNATE = re.compile(r"roles must alternate|alternate between|consecutive (?:user|messages)", re.IGNORECASE)
_TOOLS = re.compile(
    r"(?:not|n't) support (?:tool|function)|support tool use|requires? --(?:jinja|enable-auto-tool)|tools? (?:param|choice)"
    r"|(?:tool|function)[ _-]?(?:use|call(?:ing|s)?)? (?:is|are) not|unsupported[^.]{0,30}tools",
    re.IGNORECASE,
)
_TOO_MANY = re.compile(
    r"max_\w*tokens\D{0,40}?(\d+)\s*>\s*(\d+)|max_\w*tokens.{0,200}?(?:at most|maximum(?: of)?|<=?)\s*(\d+)"
)
_DROPPABLE = {
    "temperature": "temperature",
    "stream_options": "stream_options",
    "reasoning_effort": "reasoning_effort",
    "reasoning": r"reasoning(?:\.effort)?",
    "thinking": "thinking",
    "think": "think(?:ing)?",
    "chat_template_kwargs": "chat_template_kwargs",
    "cache_control": "cache_control",
    "previous_response_id": r"previous[ _]response(?:[ _]id)?",
    "include": "include",
    "store": "store",
    "truncate": "truncate",
    "shift": "shift",
    "stream": "stream",
}
"""Parameters that a request can do without, and the words by which endpoints name them."""
_LIMITS = ("max_tokens", "max_completion_tokens")
_ALL_LIMITS = (*_LIMITS, "max_output_tokens")
_STATUSES = frozenset({400, 404, 422, 500})
"""404: routers that find no upstream for a parameter. 500: local servers whose chat template raises."""
_LONGER = 4
TOO_SHORT = Upstream(None, code="nothing_but_thinking")
"""Not said by an endpoint: a reply whose whole length went into thinking."""


def learn(upstream: Upstream, sent: Mapping[str, object], shape: Shape) -> str | None:
    """Change `shape` after a refusal and say so in a sentence; None where there is nothing (more) to change."""
    if upstream is TOO_SHORT:
        shape.longer = _LONGER
        return f"The model used up all its tokens in thinking; it is asked once more with {_LONGER} times as many."
    if upstream.status not in _STATUSES:
        return None
    words = f"{upstream.code} {upstream.message}"
    if not shape.alternating and _ALTERNATE.search(words):
        shape.alternating = True
        return "The model wants user and assistant to alternate; neighbouring messages of one role are joined."
    if not shape.system_as_user and _has_system(sent) and _SYSTEM.search(words):
        shape.system_as_user = True
        return "The model takes no system prompt; it is put before the first user message."
    if "tools" in sent and "tools" not in shape.dropped and (upstream.param == "tools" or _TOOLS.search(words)):
        shape.dropped.add("tools")
        return "The model takes no tools; it is asked without them and edits by text alone."
    return _bounded(upstream, sent, shape) or (
        (_limit(upstream, sent, shape) or _dropped(upstream, sent, shape))
        if _REFUSED.search(words.replace("_", " "))
        else None
    )


def may_be_longer(sent: Mapping[str, object], shape: Shape) -> bool:
    """Whether a reply that was cut off may be asked for with more tokens."""
    return shape.longer == 1 and shape.most_tokens is None and any(name in sent for name in _ALL_LIMITS)


def _bounded(upstream: Upstream, sent: Mapping[str, object], shape: Shape) -> str | None:
    """A bound of the endpoint's own below the length that nobody but the product itself asked for."""
    found = _TOO_MANY.search(upstream.message)
    if found is None or shape.most_tokens is not None or not shape.own_limit:
        return None
    bound = int(found.group(2) or found.group(3))
    asked = next((value for name in _ALL_LIMITS if isinstance(value := sent.get(name), int)), 0)
    if not 0 < bound < asked:
        return None
    shape.most_tokens = bound
    return f"The model writes at most {bound} tokens in a reply; that is asked for."


def _limit(upstream: Upstream, sent: Mapping[str, object], shape: Shape) -> str | None:
    for name, other in (_LIMITS, _LIMITS[::-1]):
        if name in sent and _names(upstream, name) and not shape.renamed.keys() & set(_LIMITS):
            shape.renamed[name] = other
            return f"The model takes no {name}; {other} is sent instead."
    return None


def _dropped(upstream: Upstream, sent: Mapping[str, object], shape: Shape) -> str | None:
    for name, words in _DROPPABLE.items():
        there = name in sent or (name == "cache_control" and '"cache_control"' in json.dumps(sent))
        if there and name not in shape.dropped and _names(upstream, words):
            shape.dropped.add(name)
            return f"The model takes no {name}; it is asked without it."
    return None


def _names(upstream: Upstream, words: str) -> bool:
    if upstream.param and re.fullmatch(words, upstream.param.split(".")[0]):
        return True
    if upstream.param and "cache_control" not in upstream.param:
        return False
    return re.search(rf"(?<![A-Za-z_])(?:{words})(?![A-Za-z_])", f"{upstream.message} {upstream.param}") is not None


def _has_system(sent: Mapping[str, object]) -> bool:
    messages = sent.get("messages")
    return isinstance(messages, list) and any(
        isinstance(message, dict) and message.get("role") == "system" for message in messages
    )
