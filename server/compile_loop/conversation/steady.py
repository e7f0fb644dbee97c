"""A tool's output without what differs from one run to the next, so that the same inputs give the same prompts.

SPEC L7 names it, R2 and Q23 ask for it in prompts. Line numbers, values and the paths of the user's own files stay: a
model needs them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_UNIT = r"(?:h|m|ms|msecs?|s|secs?|seconds?|µs|us|ns|min|minutes?)\b"
_NUMBER = r"\d+(?:[.,]\d+)?"
_ANYWHERE = re.compile(
    r"(?P<mark>\b\d+:\d+\.\d+:[0-9a-f]{32}\b)"
    r"|(?P<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)"
    r"|(?P<address>\b0x[0-9a-fA-F]{6,16}\b)"
    r"|(?P<pid>(?<===)\d+(?===)|\b(?:pid|PID|process)[ =:]+\d+\b|\bthread '[^'\n]*' \(\d+\))"
    r"|(?P<temp>(?<=[\\/])(?:cc[A-Za-z0-9]{6}(?=\.)|tmp[A-Za-z0-9_]{8}\b|tmp\.[A-Za-z0-9]{10}\b|rustc[A-Za-z0-9]{6}\b"
    r"|go-build\d+|pytest-of-[\w.-]+[\\/]pytest-\d+|junit\d+))"
    r"|(?P<hash>(?<=-)[0-9a-f]{16}\b)"
)
_OUTSIDE_QUOTES = re.compile(
    r"(?P<quoted>‘[^’\n]*’|`[^`'\n]*['`]|\"[^\"\n]*\"|(?<!\w)'[^'\n]*')"
    r"|(?P<time>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b)"
    rf"|(?P<before>(?:\b(?:in|took|after|[Tt]ime|[Ee]lapsed|[Dd]uration|[Tt]otal|real|user|sys)[ \t]*[:=]?[ \t]*"
    rf"|[(\[][ \t]*|\t(?=[\d.]+s$)))(?P<span>{_NUMBER}[ ]?{_UNIT}(?:[ ]{_NUMBER}[ ]?{_UNIT})*|\d+m\d+\.\d+s)"
    rf"|(?P<named>\b(?:duration_ms|elapsed_ms|duration|elapsed)\b\"?[ \t]*[:=]?[ \t]+|\b[Rr]eal_time[ :=]+)(?P<value>\d+(?:\.\d+)?)"
    rf"|(?P<bare>\b\d+\.\d+[ ]sec\b)",
    re.MULTILINE,
)
_STAND_INS: dict[str, Callable[[str], str]] = {
    "mark": lambda _text: "MARK",
    "uuid": lambda _text: "UUID",
    "address": lambda _text: "0xADDRESS",
    "pid": lambda text: re.sub(r"\d+(?=\)?$)", "PID", text),
    "temp": lambda text: "TEMP" if text.startswith(("cc", "tmp", "rustc", "junit")) else re.sub(r"\d+$", "TEMP", text),
    "hash": lambda _text: "HASH",
}


def steady(text: str) -> str:
    """Durations, times of day, process ids, addresses and names of temporary files as words that stay the same.

    A time or duration in quotes is a value of the program and stays.
    """
    return _OUTSIDE_QUOTES.sub(_span, _ANYWHERE.sub(_stand_in, text))


def _stand_in(match: re.Match[str]) -> str:
    return _STAND_INS[match.lastgroup or ""](match.group())


def _span(match: re.Match[str]) -> str:
    if match["quoted"] is not None:
        return match.group()
    if match["time"] is not None:
        return "TIME"
    if match["span"] is not None:
        return f"{match['before']}SECONDS"
    if match["value"] is not None:
        return f"{match['named']}SECONDS"
    return "SECONDS"
