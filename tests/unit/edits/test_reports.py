"""Faults that users of such tools reported, and what fuzzing found: each must come out right (SPEC E1–E10)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compile_loop.edits.apply import Applied, Refused, Target, apply_reply

DATA = Path(__file__).parents[2] / "data" / "edits"
REPORTS = [
    json.loads(line)
    for name in ("reports.jsonl", "found.jsonl")
    for line in (DATA / name).read_text("utf-8").split("\n")
    if line.strip()
]


def _bytes(content: str | dict[str, str]) -> bytes:
    return content.encode() if isinstance(content, str) else bytes.fromhex(content["hex"])


@pytest.mark.spec("E5")
@pytest.mark.parametrize("case", REPORTS, ids=lambda case: case["id"])
def test_report(case: dict[str, Any]) -> None:
    targets = [Target(path, _bytes(content)) for path, content in case["files"].items()]
    start = {path: _bytes(content) for path, content in case.get("at_reply_start", {}).items()}
    result = apply_reply(case["reply"], targets, edit_mode=case.get("mode", "diff"), at_reply_start=start)
    if "expected" in case:
        assert isinstance(result, Applied), result.message
        assert result.files == {path: _bytes(content) for path, content in case["expected"].items()}
    else:
        assert isinstance(result, Refused)
        for word in case["says"]:
            assert word in result.message
