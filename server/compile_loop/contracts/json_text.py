"""JSON that a stranger wrote: whatever is wrong with it is one kind of error."""

from __future__ import annotations

import json


def value_in(text: str | bytes) -> object:
    """The value that a text is. Raises `ValueError` where it is none, is no UTF-8, or nests deeper than can be read."""
    try:
        value: object = json.loads(text)
    except RecursionError:
        raise ValueError("it nests too deep") from None
    return value
