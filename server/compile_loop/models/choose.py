"""From a setting such as `openai:gpt-4.1` to a turn generator (SPEC M1, M2)."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

from compile_loop.contracts.protocols import ModelError, ModelErrorKind, TurnGenerator
from compile_loop.models.model_settings import ModelSettings, Timeouts
from compile_loop.models.relay import Relay

__all__ = ["PROVIDERS", "ConfigurationError", "ModelSettings", "Timeouts", "make_generator", "parse_model"]

PROVIDERS = {
    "openai": "any endpoint that speaks Chat Completions",
    "responses": "OpenAI's Responses",
    "anthropic": "Anthropic's Messages",
    "ollama": "Ollama's own chat",
    "vscode": "a model that VS Code offers",
    "command": "a program: prompt on stdin, reply on stdout",
    "scripted": "fixed replies from a JSON file",
    "replay": "a recorded run's replies",
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
    if not model.strip():
        raise ConfigurationError(f"A model's name is missing after {provider!r}; write {provider}:MODEL")
    return provider, model


def make_generator(
    settings: ModelSettings, environ: Mapping[str, str] = os.environ, *, relay: Relay | None = None
) -> TurnGenerator:
    """Build the turn generator that the settings ask for; `relay` reaches the editor's own models.

    Nothing is contacted or started yet. Raises `ModelError` of kind configuration or auth, with a sentence that says
    what to set.
    """
    provider, model = settings.provider, settings.model
    if provider == "scripted":
        from compile_loop.models.scripted import ScriptedGenerator, read_script

        return ScriptedGenerator(read_script(model), f"scripted:{model}")
    if provider == "replay":
        from compile_loop.models.replay import ReplayGenerator, read_turns

        return ReplayGenerator(read_turns(model), f"replay:{model}")
    if provider == "command":
        from compile_loop.models.command import CommandGenerator

        return CommandGenerator(settings, environ)
    if provider == "vscode":
        from compile_loop.models.vscode import RelayedGenerator

        if relay is None:
            raise ModelError(
                ModelErrorKind.CONFIGURATION,
                "Models of VS Code can only be used from within VS Code; choose another provider here.",
            )
        return RelayedGenerator(settings, relay)
    if provider not in PROVIDERS:
        raise ConfigurationError(f"There is no provider {provider!r}; the providers are {', '.join(PROVIDERS)}")
    return _over_http(settings, environ)


def _over_http(settings: ModelSettings, environ: Mapping[str, str]) -> TurnGenerator:
    """A generator for one of the protocols that are spoken over HTTP; httpx is only loaded here."""
    from compile_loop.models import anthropic, ollama, openai, responses
    from compile_loop.models.endpoint import find_endpoint
    from compile_loop.models.http_turns import HttpTurnGenerator
    from compile_loop.models.wire import Wire

    temperature, notices = resolve_temperature(settings.temperature, environ)
    wire: Wire
    default_url, key_variable, root = openai.DEFAULT_BASE_URL, openai.KEY_VARIABLE, "/v1"
    if settings.provider == "anthropic":
        wire = anthropic.Messages(settings, temperature)
        default_url, key_variable = anthropic.DEFAULT_BASE_URL, anthropic.KEY_VARIABLE
    elif settings.provider == "ollama":
        wire = ollama.OllamaChat(settings, temperature)
        default_url, key_variable, root = ollama.base_url_in(environ), ollama.KEY_VARIABLE, ""
    elif settings.provider == "responses":
        wire = responses.Responses(settings, temperature)
    else:
        wire = openai.ChatCompletions(settings, temperature)
    endpoint = find_endpoint(
        settings,
        default_url=default_url,
        key_variable=key_variable,
        path=wire.path,
        environ=environ,
        root=root,
        needs_key=bool(root),
    )
    return HttpTurnGenerator(wire, endpoint, settings, notices=notices)


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
