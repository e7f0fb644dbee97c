"""What a call costs, and when that is not known (SPEC M7)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compile_loop.contracts.protocols import Usage
from compile_loop.models.prices import price_of, table_date

TABLE = json.loads(
    (Path(__file__).parents[3] / "server" / "compile_loop" / "models" / "prices.json").read_text("utf-8")
)["prices"]


@pytest.mark.spec("M7")
def test_cached_and_written_tokens_have_their_own_price() -> None:
    fresh, output, cached, written = TABLE["anthropic"]["claude-sonnet-4-5"]
    price = price_of("anthropic", "claude-sonnet-4-5")
    assert price is not None
    assert price(Usage(1_000_000, 0)) == pytest.approx(fresh)
    assert price(Usage(0, 1_000_000)) == pytest.approx(output)
    assert price(Usage(1_000_000, 0, cached_tokens=1_000_000)) == pytest.approx(cached)
    assert price(Usage(1_000_000, 0, cache_written_tokens=1_000_000)) == pytest.approx(written)
    mixed = price(Usage(1_000_000, 10_000, 600_000, 100_000))
    assert mixed == pytest.approx(0.3 * fresh + 0.6 * cached + 0.1 * written + 0.01 * output)


@pytest.mark.spec("M7")
@pytest.mark.parametrize(
    ("provider", "model", "base_url", "row"),
    [
        ("openai", "gpt-4.1", None, ("openai", "gpt-4.1")),
        ("responses", "gpt-4.1-2025-04-14", None, ("openai", "gpt-4.1")),
        ("anthropic", "claude-sonnet-4-5-20250929", None, ("anthropic", "claude-sonnet-4-5")),
        ("openai", "gpt-4.1", "https://me.openai.azure.com/openai/v1", ("openai", "gpt-4.1")),
        (
            "openai",
            "models/gemini-2.5-flash",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            ("google", "gemini-2.5-flash"),
        ),
    ],
)
def test_a_model_is_found_by_host_and_name(
    provider: str, model: str, base_url: str | None, row: tuple[str, str]
) -> None:
    price = price_of(provider, model, base_url)
    assert price is not None
    assert price(Usage(1_000_000, 0)) == TABLE[row[0]][row[1]][0]


@pytest.mark.spec("M7")
@pytest.mark.parametrize(
    ("provider", "model", "base_url"),
    [
        ("openai", "gpt-99-imagined", None),
        ("openai", "gpt-4.1", "https://resells.example/v1"),
        ("anthropic", "claude-sonnet-4-5", "https://resells.example/v1"),
        ("vscode", "gpt-4.1", None),
        ("command", "llm -m gpt-4.1", None),
        ("scripted", "replies.json", None),
    ],
)
def test_what_is_not_known_is_not_guessed(provider: str, model: str, base_url: str | None) -> None:
    assert price_of(provider, model, base_url) is None


@pytest.mark.spec("M7")
@pytest.mark.parametrize(
    ("provider", "base_url"), [("ollama", None), ("openai", "http://127.0.0.1:8080/v1"), ("ollama", "http://[::1]:1/")]
)
def test_this_machine_is_free(provider: str, base_url: str | None) -> None:
    price = price_of(provider, "gpt-4.1", base_url)
    assert price is not None
    assert price(Usage(1000, 1000)) == 0.0


@pytest.mark.spec("M7")
def test_overrides() -> None:
    own = {"openai:gpt-4.1": {"input": 1.0, "output": 2.0}, "x": {"input": 4.0, "output": 8.0, "cached": 0.5}}
    price = price_of("openai", "gpt-4.1", None, own)
    assert price is not None
    assert price(Usage(1_000_000, 1_000_000, 500_000)) == 3.0
    other = price_of("openai", "x", "https://resells.example/v1", own)
    assert other is not None
    assert other(Usage(1_000_000, 0, 1_000_000)) == 0.5
    for wrong in ({"input": 1.0}, {"input": -1.0, "output": 1.0}, {"input": 1.0, "output": 1.0, "outptu": 1.0}):
        with pytest.raises(ValueError, match="'x' must have the numbers input and output"):
            price_of("openai", "x", None, {"x": wrong})


def test_the_table_says_how_old_it_is() -> None:
    assert table_date()[:4].isdigit()
    assert sum(len(rows) for rows in TABLE.values()) > 200
    for rows in TABLE.values():
        assert all(row[0] >= 0 and row[1] >= 0 for row in rows.values())
