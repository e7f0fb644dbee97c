"""Keys in the system's keyring, for those who have the package `keyring` and keep them there (SPEC Z1)."""

from __future__ import annotations

import importlib
from typing import Any

SERVICE = "compile-loop"
"""`keyring set compile-loop OPENAI_API_KEY` puts a key there under the name of its variable."""


def key_in_keyring(variable: str) -> str:
    """The key that is kept under this variable's name; empty where there is none, or no keyring that opens."""
    try:
        keyring: Any = importlib.import_module("keyring")
    except ImportError:
        return ""
    try:
        key = keyring.get_password(SERVICE, variable)
    except Exception:  # each system's keyring fails in its own way, and a run without it says what to set
        return ""
    return key if isinstance(key, str) else ""
