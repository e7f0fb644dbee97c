"""Every recorded probe: the right file, or a refusal (SPEC E1–E9)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compile_loop.edits.apply import Applied, Refused, Target, apply_reply

DATA = Path(__file__).parents[2] / "data" / "edits"
PROBES = [json.loads(line) for line in (DATA / "probes.jsonl").read_text("utf-8").splitlines() if line.strip()]


@pytest.mark.spec("E4")
@pytest.mark.spec("E5")
@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe["id"])
def test_probe(probe: dict[str, str | None]) -> None:
    path, before, expected = probe["file_path"], probe["original_file_text"], probe.get("expected_file_text")
    assert path is not None
    assert probe["model_response_text"] is not None
    target = Target(path, None if before is None else before.encode())
    result = apply_reply(probe["model_response_text"], [target], allow_new_files=True)
    if expected is None:
        assert isinstance(result, Refused)
        assert result.message
        assert any(not report.ok and report.reason for report in result.reports)
    else:
        assert isinstance(result, Applied), result
        assert result.files == {path: expected.encode()}
