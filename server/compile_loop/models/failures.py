"""Reads an endpoint's error in its many shapes and judges what it means (SPEC M5)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from compile_loop.contracts.json_text import value_in
from compile_loop.contracts.protocols import ModelErrorKind
from compile_loop.models.endpoint import Endpoint
from compile_loop.models.retry import wished_wait
from compile_loop.models.wire import CallFailedError, Upstream

_LONGEST_QUOTE = 300
_CONTEXT = re.compile(
    r"context[ _](?:length|window|limit|size)|maximum context|prompt is too long|input is too long|too many tokens"
    r"|range of input length|exceeds? the (?:available|maximum|model'?s) (?:context|number of tokens|input)"
    r"|exceeds? (?:the )?token limit|input token count|reduce the length of the messages|string_above_max_length",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient[ _](?:quota|balance|credits?|funds)|exceeded your current quota|billing|credit balance"
    r"|payment required|quota[ _](?:exceeded|exhausted)|out of credits|requires more credits",
    re.IGNORECASE,
)
_FILTER = re.compile(r"content[ _](?:filter|policy|management)|responsible[ _]?ai|safety system", re.IGNORECASE)
_KEY = re.compile(
    r"(?:invalid|incorrect|missing|expired|no) (?:api|auth|access|authentication)[ _-]?(?:key|token|credentials)"
    r"|api[ _-]?key (?:is )?(?:not valid|invalid|expired|required)|invalid[ _]api[ _]key|authentication[ _]error"
    r"|unauthori[sz]ed",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model[ _]not[ _]found|model .{0,80}(?:not found|does not exist|not available)|no such model", re.I
)
_PASSING_WORD = re.compile(
    r"overloaded|rate[ _]?limit|too many requests|server[ _]error|internal[ _](?:server[ _])?error|timed? ?out|timeout"
    r"|at capacity|temporar|try again|unavailable|loading model",
    re.IGNORECASE,
)
_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})


def upstream_of(status: int | None, body: object, wait: float | None = None) -> Upstream:
    """Find message, code and parameter in an error's JSON, whatever its shape; any of them may be missing."""
    if isinstance(body, list) and body:
        body = body[0]
    error = body
    if isinstance(body, dict) and "error" in body:
        error = body["error"]
        if isinstance(error, str) and isinstance(body.get("message"), str):
            error = {"message": body["message"], "code": error}
    if isinstance(error, str):
        return Upstream(status, error, wait=wait)
    if not isinstance(error, dict):
        return Upstream(status, "" if error is None else json.dumps(error, ensure_ascii=False), wait=wait)
    message = next((error[key] for key in ("message", "detail", "msg", "error") if error.get(key)), "")
    code = error.get("code")
    if isinstance(code, str) and code.isdigit():
        code = int(code)
    if isinstance(code, int) and 400 <= code <= 599 and status is None:
        status = code
    words = [word for word in (code, error.get("type"), error.get("status")) if isinstance(word, str)]
    param = error.get("param")
    return Upstream(
        status,
        message if isinstance(message, str) else json.dumps(message, ensure_ascii=False),
        " ".join(words),
        param if isinstance(param, str) else "",
        wait if wait is not None else _delay_in(error.get("details")),
    )


def upstream_of_response(status: int, headers: Mapping[str, str], body: bytes, wall: float) -> Upstream:
    """Read a whole HTTP answer that is an error; `wall` is the time in seconds since the epoch."""
    wait = wished_wait(headers, wall)
    if 300 <= status < 400:
        return Upstream(status, f"it sends on to {headers.get('location', 'another address')}", wait=wait)
    text = body.decode("utf-8", "replace").strip()
    try:
        return upstream_of(status, value_in(text), wait)
    except (ValueError, RecursionError):
        page = "html" in headers.get("content-type", "").lower() or text[:200].lower().startswith(
            ("<!doctype", "<html")
        )
        return Upstream(status, _title_of(text) if page else text, wait=wait, page=page)


def judge(upstream: Upstream, endpoint: Endpoint) -> CallFailedError:
    """What kind of trouble it is, whether it may pass, and one sentence for the user that says what to do."""
    kind, passing = _kind_of(upstream)
    said = _quote(upstream, endpoint)
    return CallFailedError(kind, _sentence(kind, upstream, endpoint, said), passing=passing, wait=upstream.wait)


def kind_of_words(words: str) -> tuple[ModelErrorKind, bool]:
    """What trouble words alone tell of, and whether it may pass; what tells of none is taken to pass not."""
    return _kind_of(Upstream(None, words))


def _kind_of(upstream: Upstream) -> tuple[ModelErrorKind, bool]:
    """The kind, and whether the same call may work later; the first rule that holds decides."""
    status, words, page = upstream.status or 0, f"{upstream.code} {upstream.message}", upstream.page
    kind = ModelErrorKind
    rules: tuple[tuple[object, ModelErrorKind, bool], ...] = (
        (status == 407 or (page and status == 403), kind.CONFIGURATION, False),
        (status == 402 or _QUOTA.search(words), kind.QUOTA, False),
        (status == 429, kind.UNAVAILABLE, True),
        (status == 413 or _CONTEXT.search(words), kind.CONTEXT, False),
        (status in (401, 403) or _KEY.search(words), kind.AUTH, False),
        (status in (0, 400, 422) and _FILTER.search(words), kind.CONTENT_FILTER, False),
        (status in (404, 410) or _NO_MODEL.search(words), kind.NOT_FOUND, False),
        (status in _PASSING_STATUS or (not status and _PASSING_WORD.search(words)), kind.UNAVAILABLE, True),
        (page or 300 <= status < 400 or status in (405, 426), kind.CONFIGURATION, False),
        (status >= 500, kind.UNAVAILABLE, False),
    )
    return next(((found, passing) for holds, found, passing in rules if holds), (kind.BAD_REQUEST, False))


_SENTENCES = {
    ModelErrorKind.AUTH: "{where} refused {key}{said}. Check the key, or set another one.",
    ModelErrorKind.QUOTA: (
        "The account at {where} has no quota left{said}. Add credit there, or choose another model."
    ),
    ModelErrorKind.CONTEXT: (
        "The conversation is too long for {model}{said}. Choose fewer files, or a model with a larger context."
    ),
    ModelErrorKind.CONTENT_FILTER: (
        "The content filter at {where} stopped the reply{said}. Reword the request, or choose another model."
    ),
    ModelErrorKind.NOT_FOUND: (
        "{where} knows no model {model}, or the address is wrong{said}. "
        "Check the model's name, and that the base address ends where the API begins (often /v1)."
    ),
    ModelErrorKind.CONFIGURATION: (
        "{where} answered with {what} instead of a reply{said}. "
        "Check the base address (it often ends in /v1), and whether this network wants a log-in first."
    ),
    ModelErrorKind.UNAVAILABLE: "{where} could not reply just now{said}. Try again later, or choose another model.",
    ModelErrorKind.BAD_REQUEST: "{where} refused the request{said}.",
}
_WANTS_KEY = (
    "{where} refused a request without a key{said}. Name the variable that holds one (apiKeyEnv, --api-key-env)."
)
_WANTS_KEY_HERE = f"{_WANTS_KEY[:-1]}; the usual ones are never sent to a server on this machine."
_SENTENCE_OF_STATUS = {
    407: "The proxy wants credentials before it lets a request through{said}. Put them into the proxy's address.",
    429: "{where} limits the rate of requests{said}. Wait a little, or choose another model.",
}


def _sentence(kind: ModelErrorKind, upstream: Upstream, endpoint: Endpoint, said: str) -> str:
    usual = kind in (ModelErrorKind.UNAVAILABLE, ModelErrorKind.CONFIGURATION)
    template = (_SENTENCE_OF_STATUS.get(upstream.status or 0) if usual else None) or _SENTENCES[kind]
    if kind is ModelErrorKind.AUTH and not (endpoint.key or endpoint.basic):
        template = _WANTS_KEY_HERE if endpoint.loopback else _WANTS_KEY
    what = "a web page" if upstream.page else f"status {upstream.status}"
    return template.format(where=endpoint.shown, key=endpoint.key_named, model=endpoint.model, said=said, what=what)


def _quote(upstream: Upstream, endpoint: Endpoint) -> str:
    """The provider's own words in brackets, on one line and not longer than a person reads."""
    words = " ".join(endpoint.redact(upstream.message).split()).rstrip(".").removeprefix(f"{upstream.status} ")
    if len(words) > _LONGEST_QUOTE:
        words = f"{words[:_LONGEST_QUOTE]}…"
    parts = [str(upstream.status) if upstream.status is not None else "", words or endpoint.redact(upstream.code)]
    inner = ": ".join(part for part in parts if part)
    return f" ({inner})" if inner else ""


def _title_of(page: str) -> str:
    title = re.search(r"<title[^>]*>(.*?)</title>", page, re.IGNORECASE | re.DOTALL)
    return title.group(1).strip() if title else ""


def _delay_in(details: object) -> float | None:
    """Google's `retryDelay`, such as "17s", from an error's details."""
    if not isinstance(details, list):
        return None
    for detail in details:
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and (number := re.fullmatch(r"(\d+(?:\.\d+)?)s", delay)):
            return float(number.group(1))
    return None
