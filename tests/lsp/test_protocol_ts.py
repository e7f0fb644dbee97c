"""The client's types are generated, and a stale file is noticed (SPEC S2)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "protocol_ts.py"
GENERATED = ROOT / "extension" / "src" / "protocol.ts"


def check(script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)


@pytest.mark.spec("S2")
def test_the_generated_file_is_fresh() -> None:
    result = check(SCRIPT)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.spec("S2")
def test_a_stale_or_missing_file_is_noticed(tmp_path: Path) -> None:
    script = tmp_path / "scripts" / "protocol_ts.py"
    target = tmp_path / "extension" / "src" / "protocol.ts"
    script.parent.mkdir()
    target.parent.mkdir(parents=True)
    shutil.copy(SCRIPT, script)
    assert check(script).returncode == 1
    target.write_text(GENERATED.read_text(encoding="utf-8").replace("runId", "runID", 1), encoding="utf-8")
    result = check(script)
    assert result.returncode == 1 and "run `python scripts/protocol_ts.py`" in result.stderr
    subprocess.run([sys.executable, script], check=True)
    assert target.read_text(encoding="utf-8") == GENERATED.read_text(encoding="utf-8")


@pytest.mark.spec("S2")
def test_what_the_client_may_leave_out_is_optional() -> None:
    text = GENERATED.read_text(encoding="utf-8")
    run = text[text.index("export interface RunParams") : text.index("export interface StartRunArguments")]
    assert "  spec?: string | undefined;" in run and "  uris?: string[] | undefined;" in run
    result = text[text.index("export interface RunResult") :]
    assert "  failure?: string;" in result and "  explanation: string;" in result
    assert 'RunRequest = "compileLoop/run" as unknown as RequestType<RunParams, RunResult, void>;' in text
