"""Characters that a model writes for one another: typographic quotes, dashes and spaces, and composed forms (SPEC E5).

Letters of other scripts are not folded: an identifier in Cyrillic is another identifier. Nor is NFKC applied, which
would make `x²` of `x2`.
"""

from __future__ import annotations

import unicodedata

_TABLE = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u2035\u02bc"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u2036"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-"),
    **dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " "),
    **dict.fromkeys([0x200B, 0x2060, 0xFEFF]),
    0x2026: "...",
}


def fold(text: str) -> str:
    """`text` with look-alikes made alike; two texts that fold the same differ only in such characters."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text).translate(_TABLE)
