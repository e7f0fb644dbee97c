"""Keys into the system's keyring and out of it. A key is read from the terminal or stdin, never from an argument (SPEC Z1)."""

from __future__ import annotations

import re
import sys

import typer
from rich.console import Console

from compile_loop.cli.exits import GREEN, NOT_GREEN, USAGE
from compile_loop.models.find import KEYS
from compile_loop.models.keyring import NoKeyringError, keep_key

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")


def change_key(provider: str, *, delete: bool) -> int:
    """Keep or delete the key of a provider, or of a variable's name; gives the exit code."""
    console = Console(stderr=True, highlight=False)
    variable = key_variable(provider)
    if variable is None:
        known = ", ".join(each.variable.removesuffix("_API_KEY").lower() for each in KEYS)
        console.print(
            f"No key is known for {provider!r}. Name one of {known}, or a variable such as MY_API_KEY.", soft_wrap=True
        )
        return USAGE
    key = "" if delete else _read(variable)
    if not (delete or (key and key.isascii() and key.isprintable() and " " not in key)):
        console.print("That is no key: it is empty, or holds characters that no key has. Nothing was kept.")
        return USAGE
    try:
        keep_key(variable, key)
    except NoKeyringError as error:
        console.print(str(error), soft_wrap=True, markup=False)
        return NOT_GREEN
    console.print(f"The key {variable} was {'taken out of' if delete else 'put into'} the system's keyring.")
    return GREEN


def key_variable(provider: str) -> str | None:
    """The variable of a provider's key: `openai` and `responses` → `OPENAI_API_KEY`; a variable's name is its own."""
    if _VARIABLE.fullmatch(provider):
        return provider
    name = "openai" if provider == "responses" else provider
    return next((each.variable for each in KEYS if each.variable == f"{name.upper()}_API_KEY"), None)


def _read(variable: str) -> str:
    if sys.stdin.isatty():
        return str(
            typer.prompt(
                f"Key for {variable} (it is not shown)", hide_input=True, default="", show_default=False, err=True
            )
        ).strip()
    return sys.stdin.readline().strip()
