"""Writes server/compile_loop/models/prices.json from the tables of the package genai-prices.

Run in an environment that has that package, which the project itself does not need: `python scripts/prices.py`.
"""

from __future__ import annotations

import json
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "server" / "compile_loop" / "models" / "prices.json"
PROVIDERS = ("anthropic", "openai", "google", "deepseek", "mistral", "x-ai", "groq", "cerebras", "moonshotai")


def main() -> None:
    from genai_prices.data_snapshot import get_snapshot  # type: ignore[import-not-found]

    now = datetime.now(tz=timezone.utc)
    table: dict[str, dict[str, list[float | None]]] = {}
    for provider in get_snapshot().providers:
        if provider.id not in PROVIDERS:
            continue
        rows: dict[str, list[float | None]] = {}
        for model in provider.models:
            row = _row(model, now)
            if row is not None:
                rows[model.id] = row
        table[provider.id] = dict(sorted(rows.items()))
    lines = [
        "{",
        f' "date": "{now:%Y-%m-%d}",',
        f' "source": "genai-prices {version("genai-prices")}",',
        ' "unit": "US dollars for a million tokens: prompt, completion, prompt read from the cache, prompt put into it",',
        ' "prices": {',
    ]
    for n, (name, rows) in enumerate(sorted(table.items())):
        lines.append(f'  "{name}": {{')
        lines += [f'   "{key}": {json.dumps(row)},' for key, row in rows.items()]
        lines[-1] = lines[-1].rstrip(",")
        lines.append("  }," if n + 1 < len(table) else "  }")
    TARGET.write_text("\n".join([*lines, " }", "}", ""]), "utf-8")


def _row(model: Any, now: datetime) -> list[float | None] | None:
    """The usual price of a text model in its lowest tier; None for other kinds of models."""
    prices = model.get_prices(now)
    numbers = [
        _number(getattr(prices, f"{name}_mtok", None)) for name in ("input", "output", "cache_read", "cache_write")
    ]
    return None if numbers[0] is None or numbers[1] is None else numbers


def _number(price: Any) -> float | None:
    if price is None:
        return None
    return float(getattr(price, "base", price))


if __name__ == "__main__":
    main()
