"""The table protocol by behaviour: which cells there are, and why some hold nothing.

The tests of `wire/test_conformance.py` fill every other cell. `python -m tests.support.conformance` writes the table
into docs/models.md.
"""

from __future__ import annotations

import re
from pathlib import Path

PROTOCOLS = ("openai", "responses", "anthropic", "ollama", "vscode", "command", "scripted", "replay")
HTTP_PROTOCOLS = PROTOCOLS[:4]
BEHAVIOURS = (
    "text",
    "tool calls",
    "parallel calls",
    "streaming",
    "cancel",
    "usage",
    "caching",
    "reasoning",
    "errors",
    "retries",
    "context overflow",
)
WITHOUT = {
    ("cancel", "scripted"): "nothing runs",
    ("cancel", "replay"): "nothing runs",
    ("usage", "vscode"): "the editor counts none",
    ("usage", "command"): "a program counts none",
    ("usage", "scripted"): "no tokens",
    ("caching", "vscode"): "the editor's affair",
    ("caching", "command"): "the program's affair",
    ("caching", "scripted"): "nothing is sent",
    ("caching", "replay"): "nothing is sent",
    ("reasoning", "scripted"): "replies are given as they stand",
    ("reasoning", "replay"): "recorded without it",
    ("retries", "command"): "ends the call",
    ("retries", "scripted"): "nothing fails in passing",
    ("retries", "replay"): "recorded after them",
    ("context overflow", "command"): "as an error in the program's words",
    ("context overflow", "scripted"): "no window",
    ("context overflow", "replay"): "as recorded",
}
"""Cells in which the protocol has nothing to prove, and why."""
NOTES = {
    ("tool calls", "command"): "yes, as text",
    ("parallel calls", "command"): "yes, as text",
    ("usage", "openai"): "yes, with cached tokens",
    ("usage", "responses"): "yes, with cached tokens",
    ("usage", "anthropic"): "yes, with cached and written tokens",
    ("usage", "replay"): "yes, as recorded",
    ("caching", "openai"): "yes, by prefix",
    ("caching", "responses"): "yes, by prefix",
    ("caching", "anthropic"): "yes, with marks",
    ("caching", "ollama"): "yes, by prefix",
    ("streaming", "scripted"): "yes, by lines",
    ("streaming", "replay"): "yes, by lines",
    ("context overflow", "ollama"): "yes, silent cuts too",
}
PAGE = Path(__file__).parents[2] / "docs" / "models.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"


def table() -> str:
    """The table in Markdown."""
    lines = ["| | " + " | ".join(f"`{each}`" for each in PROTOCOLS) + " |", "|---" * (len(PROTOCOLS) + 1) + "|"]
    for behaviour in BEHAVIOURS:
        cells = [_cell(behaviour, protocol) for protocol in PROTOCOLS]
        lines.append(f"| {behaviour} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(behaviour: str, protocol: str) -> str:
    key = (behaviour, protocol)
    return f"– ({WITHOUT[key]})" if key in WITHOUT else NOTES.get(key, "yes")


if __name__ == "__main__":
    page = PAGE.read_text("utf-8")
    PAGE.write_text(re.sub(f"{BEGIN}.*?{END}", f"{BEGIN}\n{table()}\n{END}", page, flags=re.DOTALL), "utf-8")
