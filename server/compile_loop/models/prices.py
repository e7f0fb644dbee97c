"""What a call cost, from a table that ships with the product and is never fetched (SPEC M7)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from compile_loop.contracts.protocols import Usage
from compile_loop.models.endpoint import is_loopback

_TABLE = Path(__file__).with_name("prices.json")
_HOSTS = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "google",
    "api.deepseek.com": "deepseek",
    "api.mistral.ai": "mistral",
    "api.x.ai": "x-ai",
    "api.groq.com": "groq",
    "api.cerebras.ai": "cerebras",
    "api.moonshot.ai": "moonshotai",
}
_OWN_HOST = {"openai": "api.openai.com", "responses": "api.openai.com", "anthropic": "api.anthropic.com"}
_VERSION = re.compile(r"(?:-latest|[-@](?:\d{4}-\d{2}-\d{2}|\d{8})|-preview(?:-\d{2}-\d{2})?|-\d{3})$")
_NAMES = ("input", "output", "cached", "written")

Price = Callable[[Usage], "float | None"]
"""What a call of that usage cost, in the table's currency (US dollars) or that of the override."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Prices of a million tokens: of the prompt, of the reply, and of a prompt's part read from or put into the cache."""

    input: float
    output: float
    cached: float
    written: float

    def __call__(self, usage: Usage) -> float:
        """What a call of this usage cost."""
        fresh = max(0, usage.prompt_tokens - usage.cached_tokens - usage.cache_written_tokens)
        return (
            fresh * self.input
            + usage.cached_tokens * self.cached
            + usage.cache_written_tokens * self.written
            + usage.completion_tokens * self.output
        ) / 1e6


def price_of(
    provider: str,
    model: str,
    base_url: str | None = None,
    overrides: Mapping[str, Mapping[str, float]] | None = None,
) -> Price | None:
    """The price of a model's calls; None where it is not known, so that only tokens are told.

    `overrides` are rates by `provider:model` or by `model`: `input` and `output` for a million tokens, and `cached` and
    `written` where they differ from `input`. A model on this machine costs nothing. The same model costs another price
    at another host, so the table counts only for hosts that it knows. Raises `ValueError` for an override that is none.
    """
    for key in (f"{provider}:{model}", model):
        if overrides and key in overrides:
            return _own(key, overrides[key])
    host = (urlsplit(base_url).hostname or "") if base_url else _OWN_HOST.get(provider, "")
    if (provider == "ollama" and not base_url) or (host and is_loopback(host)):
        return Rates(0.0, 0.0, 0.0, 0.0)
    seller = _HOSTS.get(host)
    if host.endswith((".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")):
        seller = "openai"
    return _rates(seller, model) if seller else None


def table_date() -> str:
    """The day on which the table was made, and out of what."""
    table = _table()
    return f"{table['date']}, {table['source']}"


def _rates(seller: str, model: str) -> Rates | None:
    rows = _table()["prices"].get(seller, {})
    name = model.rpartition("/")[2]
    for key in (name, _VERSION.sub("", name), f"{_VERSION.sub('', name)}-latest", f"{_VERSION.sub('', name)}-0"):
        if key in rows:
            fresh, output, cached, written = rows[key]
            return Rates(fresh, output, fresh if cached is None else cached, fresh if written is None else written)
    return None


def _own(key: str, rates: Mapping[str, float]) -> Rates:
    numbers = {name: rates[name] for name in _NAMES if isinstance(rates.get(name), int | float)}
    if not {"input", "output"} <= numbers.keys() or len(numbers) != len(rates) or min(numbers.values()) < 0:
        raise ValueError(
            f"The price of {key!r} must have the numbers input and output, for a million tokens, and may have cached and written"
        )
    fresh = numbers["input"]
    return Rates(fresh, numbers["output"], numbers.get("cached", fresh), numbers.get("written", fresh))


@cache
def _table() -> dict[str, dict[str, dict[str, list[float]]]]:
    table: dict[str, dict[str, dict[str, list[float]]]] = json.loads(_TABLE.read_text("utf-8"))
    return table
