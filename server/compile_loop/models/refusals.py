"""Learns from a refused request what an endpoint does not take, to ask again once without it (SPEC M2)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from compile_loop.models.wire import Shape, Upstream

_REFUSED = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|not permitted|not allowed|unexpected|deprecated|no longer"
    r"|extra (?:inputs|fields)|cannot be (?:used|set)|must be verified|only the default",
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
_DROPPABLE = ("temperature", "stream_options", "reasoning_effort", "chat_template_kwargs", "stream")
_LIMITS = ("max_tokens", "max_completion_tokens")
_STATUSES = frozenset({400, 404, 422, 500})
"""404: routers that find no upstream for a parameter. 500: local servers whose chat template raises."""


def learn(upstream: Upstream, sent: Mapping[str, object], shape: Shape) -> str | None:
    """Change `shape` after a refusal and say so in a sentence; None where there is nothing (more) to change."""
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
    if not _REFUSED.search(words.replace("_", " ")):
        return None
    return _limit(upstream, sent, shape) or _dropped(upstream, sent, shape)


def _limit(upstream: Upstream, sent: Mapping[str, object], shape: Shape) -> str | None:
    for name, other in (_LIMITS, _LIMITS[::-1]):
        if name in sent and _names(upstream, name) and not shape.renamed.keys() & set(_LIMITS):
            shape.renamed[name] = other
            return f"The model takes no {name}; {other} is sent instead."
    return None


def _dropped(upstream: Upstream, sent: Mapping[str, object], shape: Shape) -> str | None:
    for name in _DROPPABLE:
        if name in sent and name not in shape.dropped and _names(upstream, name):
            shape.dropped.add(name)
            return f"The model takes no {name}; it is asked without it."
    return None


def _names(upstream: Upstream, parameter: str) -> bool:
    if upstream.param:
        return upstream.param.split(".")[0] == parameter
    return re.search(rf"(?<![A-Za-z_]){parameter}(?![A-Za-z_])", upstream.message) is not None


def _has_system(sent: Mapping[str, object]) -> bool:
    messages = sent.get("messages")
    return isinstance(messages, list) and any(
        isinstance(message, dict) and message.get("role") == "system" for message in messages
    )
