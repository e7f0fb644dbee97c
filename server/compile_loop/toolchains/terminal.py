"""Take terminal control sequences out of a line, keeping the addresses of its links."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINK = re.compile(
    r"\x1b\]8;[^;\x07\x1b]*;(?P<url>[^\x07\x1b]+)(?:\x07|\x1b\\)"
    r"(?P<text>.*?)"
    r"\x1b\]8;[^;\x07\x1b]*;(?:\x07|\x1b\\)"
)
_CONTROL = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, erase line, cursor
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # two-character escapes
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of output as a person sees it. `links` are its OSC 8 hyperlinks as (shown text, address)."""

    text: str
    links: tuple[tuple[str, str], ...] = ()

    def link(self, shown: str) -> str | None:
        """The address behind `shown`, if the tool linked it."""
        return next((url for text, url in self.links if text == shown), None)


def without_control(text: str) -> str:
    """`text` without control sequences; it may have several lines."""
    return _CONTROL.sub("", text) if "\x1b" in text else text


def clean(raw: str) -> Line:
    """Drop control sequences and what a carriage return painted over."""
    links: tuple[tuple[str, str], ...] = ()
    if "\x1b" in raw:
        if "\x1b]8;" in raw:
            links = tuple((_CONTROL.sub("", m["text"]), m["url"]) for m in _LINK.finditer(raw))
        raw = _CONTROL.sub("", raw)
    if "\r" in raw:
        raw = raw.rstrip("\r")
        raw = raw[raw.rfind("\r") + 1 :]
    return Line(raw, links)
