"""Models' keys: the editor keeps them, and hands one over in memory for a run (SPEC V7, Z1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import SecretStr

from compile_loop.settings import Settings

if TYPE_CHECKING:
    from compile_loop.lsp.ui import Ui

KEYED = ("openai", "responses", "anthropic", "ollama")
"""Providers that are reached over HTTP, where a key may be asked for."""


def secret_name(settings: Settings) -> str | None:
    """Under which name the key of the model's endpoint is kept: a key never goes to another address than it was given for.

    None for models that take no key.
    """
    provider = settings.model.strip().partition(":")[0]
    if provider not in KEYED:
        return None
    return f"{provider} {settings.base_url.strip().rstrip('/')}".rstrip()


def with_model(settings: Settings) -> tuple[Settings, str]:
    """The settings with the model that is asked where they name none, and why. Imports the engine: call it off the loop."""
    from compile_loop.assemble import unasked, with_choice

    return with_choice(settings, unasked())


async def with_key(ui: Ui, settings: Settings) -> Settings:
    """The settings with the key that the editor keeps for their endpoint, if it has one."""
    name = secret_name(settings)
    key = await ui.secret(name) if name is not None and settings.api_key is None else None
    return settings.model_copy(update={"api_key": SecretStr(key)}) if key else settings


async def ask_for_key(ui: Ui, settings: Settings) -> bool:
    """Ask for the endpoint's key and have it kept; an empty answer forgets it. Whether there was an answer."""
    name = secret_name(settings)
    if name is None:
        return False
    key = await ui.ask(
        f"Key for {name.replace(' ', ' at ')}",
        "It is kept in the editor's secret storage and never written to settings or logs. Empty: forget it.",
        password=True,
    )
    if key is None:
        return False
    await ui.keep_secret(name, key.strip() or None)
    return True
