"""Keys in the system's keyring, for those who have the package `keyring` and keep them there (SPEC Z1)."""

from __future__ import annotations

import importlib
import sys
from typing import Any

SERVICE = "compile-loop"
"""`keyring set compile-loop OPENAI_API_KEY` puts a key there under the name of its variable."""


class NoKeyringError(Exception):
    """There is no keyring that keeps anything; the message is a sentence for the user."""


def keep_key(variable: str, key: str) -> None:
    """Put a key under its variable's name; an empty one takes it away. Raises `NoKeyringError`."""
    try:
        keyring: Any = importlib.import_module("keyring")
    except ImportError as error:
        raise NoKeyringError(
            f"The system's keyring needs the package `keyring`: {sys.executable} -m pip install keyring"
        ) from error
    try:
        if key:
            keyring.set_password(SERVICE, variable, key)
        elif keyring.get_password(SERVICE, variable) is not None:
            keyring.delete_password(SERVICE, variable)
    except Exception as error:  # each system's keyring fails in its own way
        raise NoKeyringError(
            f"The system's keyring cannot be used ({type(error).__name__}). Set {variable} in the environment instead."
        ) from None


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
