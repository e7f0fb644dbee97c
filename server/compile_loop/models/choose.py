"""From a setting such as `openai:gpt-4.1` to a turn generator (SPEC M1, M2)."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

from compile_loop.contracts.protocols import TurnGenerator
from compile_loop.models.model_settings import ModelSettings, Timeouts

__all__ = ["PROVIDERS", "ConfigurationError", "ModelSettings", "Timeouts", "make_generator", "parse_model"]

PROVIDERS = {
    "openai": "any endpoint that speaks Chat Completions",
    "scripted": "fixed replies from a JSON file",
}
"""Every provider by name, with what it is."""

TEMPERATURE_VARIABLE = "COMPILE_LOOP_LLM_TEMPERATURE"


class ConfigurationError(ValueError):
    """A setting that cannot be used; the message is a sentence for the user."""


def parse_model(text: str) -> tuple[str, str]:
    """Split `provider:model` at its first colon; raises `ConfigurationError` for anything else."""
    provider, colon, model = text.strip().partition(":")
    known = ", ".join(PROVIDERS)
    if not colon:
        raise ConfigurationError(
            f"The model {text.strip()!r} names no provider; write PROVIDER:MODEL, such as"
            f" openai:{provider or 'gpt-4.1'} (providers: {known})"
        )
    if provider not in PROVIDERS:
        raise ConfigurationError(f"There is no provider {provider!r}; the providers are {known}")
    if not model:
        raise ConfigurationError(f"A model's name is missing after {provider!r}; write {provider}:MODEL")
    return provider, model


def make_generator(settings: ModelSettings, environ: Mapping[str, str] = os.environ) -> TurnGenerator:
    """Build the turn generator that the settings ask for.

    Nothing is contacted yet. Raises `ModelError` of kind configuration or auth, with a sentence that says what to set.
    """
    if settings.provider == "scripted":
        from compile_loop.models.scripted import ScriptedGenerator, read_script

        return ScriptedGenerator(read_script(settings.model), f"scripted:{settings.model}")
    if settings.provider == "openai":
        from compile_loop.models import openai
        from compile_loop.models.endpoint import find_endpoint
        from compile_loop.models.http_turns import HttpTurnGenerator

        temperature, notices = resolve_temperature(settings.temperature, environ)
        endpoint = find_endpoint(
            settings,
            default_url=openai.DEFAULT_BASE_URL,
            key_variable=openai.KEY_VARIABLE,
            path=openai.ChatCompletions.path,
            environ=environ,
        )
        wire = openai.ChatCompletions(settings, temperature)
        return HttpTurnGenerator(wire, endpoint, settings, notices=notices)
    raise ConfigurationError(f"There is no provider {settings.provider!r}; the providers are {', '.join(PROVIDERS)}")


def resolve_temperature(asked: float | None, environ: Mapping[str, str]) -> tuple[float, list[str]]:
    """The temperature and what to warn of: the caller's, else the environment's, else 0.0 (SPEC M2)."""
    if asked is not None:
        text, named = str(asked), "The temperature"
    else:
        text, named = environ.get(TEMPERATURE_VARIABLE, "").strip(), TEMPERATURE_VARIABLE
        if not text:
            return 0.0, []
    try:
        temperature = float(text)
    except ValueError:
        temperature = math.nan
    if not math.isfinite(temperature) or temperature < 0:
        return 0.0, [f"{named} is {text!r}, which is no temperature; 0.0 is used."]
    return temperature, []
