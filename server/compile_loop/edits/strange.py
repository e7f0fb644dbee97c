"""Characters that no edit brings into a text: control characters and what would make the file binary or misread (SPEC E8)."""

from __future__ import annotations

import re

_STRANGE = re.compile(
    "[\0-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff]"
)
"""Control characters but tabs, line ends, form feeds; what turns text about; half surrogate pairs; non-characters."""


def strange_character(new: str, old: str) -> str | None:
    """What is strange in `new` and nowhere in `old`, as `U+0000`; None where there is none."""
    for made in _STRANGE.finditer(new):
        if made.group() not in old:
            return f"U+{ord(made.group()):04X}"
    return None
