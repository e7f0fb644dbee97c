"""JSON with comments and trailing commas, as editors and TypeScript keep their settings."""

from __future__ import annotations

import json
import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n\r]*|/\*.*?(?:\*/|$)|,(?=(?:\s|//[^\n\r]*|/\*.*?\*/)*[}\]])', re.DOTALL)


def loads(text: str) -> object:
    """The document. Raises `ValueError`, whose message names line and column."""
    return json.loads(_TOKEN.sub(_blanked, text.removeprefix("\ufeff")))


def _blanked(token: re.Match[str]) -> str:
    """A string as it is; a comment or a surplus comma as blanks, so that places stay what they are."""
    return token[0] if token[0].startswith('"') else re.sub(r"[^\r\n]", " ", token[0])
