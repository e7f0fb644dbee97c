"""`compile-loop diagnose` and `check` as JSON lines and as SARIF, on the command line (SPEC P3, D2, D4)."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.support.tools import need

BROKEN = "int main(void) {\n  return nope;\n}\n"
PATTERN = {"regexp": r"^(\S+)@(\d+): (.*)$", "file": 1, "line": 2, "message": 3}


def diagnose(root: Path, *arguments: str, log: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "compile_loop", "diagnose", *arguments],
        check=False, cwd=root, input=log, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@pytest.mark.spec("P3", "D2")
def test_sarif_of_an_output_reads_back_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(BROKEN)
    done = diagnose(tmp_path, "--sarif", log="a.c:2:10: error: ‘nope’ undeclared [-Wx]\n")
    log = json.loads(done.stdout)
    (result,) = log["runs"][0]["results"]
    assert result["level"] == "error"
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 14,
    }  # fmt: skip
    again = diagnose(tmp_path, log=done.stdout)
    assert [json.loads(line)["range"]["start"] for line in again.stdout.splitlines()] == [{"line": 1, "character": 9}]


@pytest.mark.spec("P3", "D4")
def test_output_that_tells_of_no_error_is_one_only_where_the_tool_is_said_to_have_failed(tmp_path: Path) -> None:
    for log in ("gcc -c a.c -o a.o\n", ""):
        assert diagnose(tmp_path, log=log).stdout == ""
    failed = diagnose(tmp_path, "--exit-code", "2", log="gcc -c a.c -o a.o\n").stdout
    assert "exit code 2" in json.loads(failed)["message"]


@pytest.mark.spec("P3", "D2")
def test_check_as_sarif(tmp_path: Path) -> None:
    need("gcc")
    (tmp_path / "a.c").write_text(BROKEN)
    command = [sys.executable, "-m", "compile_loop", "check", "a.c", "--sarif", "--check", "gcc -c a.c"]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done.stderr
    log = json.loads(done.stdout)
    assert log["version"] == "2.1.0"
    assert log["runs"][0]["originalUriBaseIds"]["SRCROOT"]["uri"] == f"{tmp_path.resolve().as_uri()}/"
    assert [result["level"] for result in log["runs"][0]["results"]] == ["error"]


@pytest.mark.spec("D2")
def test_matcher_by_name_and_as_json(tmp_path: Path) -> None:
    (tmp_path / "a.foo").write_text("x\ny\n")
    declared = json.dumps({"owner": "foo", "pattern": PATTERN})
    done = diagnose(tmp_path, "--matcher", declared, "--matcher", "$gcc", log="a.foo@2: boo\n")
    (line,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (line["file"], line["source"], line["message"]) == ("a.foo", "foo", "boo")
    refused = diagnose(tmp_path, "--matcher", "$nosuch", log="")
    assert refused.returncode == 2
    assert "$nosuch is not known" in " ".join(refused.stderr.replace("│", " ").split())


@pytest.mark.spec("D4")
def test_diagnostics_come_while_the_tool_runs(tmp_path: Path) -> None:
    """The first line is out long before the input ends."""
    (tmp_path / "a.c").write_text(BROKEN)
    process = subprocess.Popen(
        [sys.executable, "-m", "compile_loop", "diagnose"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write("a.c:2:10: error: one\na.c:1:5: error: two\n")
        process.stdin.flush()
        began = time.monotonic()
        assert json.loads(process.stdout.readline())["message"] == "one"
        assert process.poll() is None and time.monotonic() - began < 30
    finally:
        process.stdin.close()
        process.wait(30)
        process.stdout.close()


@pytest.mark.spec("D6")
def test_a_line_of_json_of_megabytes_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("foo();\n")
    messages = [
        {"ruleId": "no-undef", "severity": 2, "message": f"'v{n}' is not defined.", "line": 1, "column": 1}
        for n in range(3)
    ]
    entry = {"filePath": str(tmp_path / "a.js"), "messages": messages, "source": "x" * 2_000_000}
    done = diagnose(tmp_path, log=json.dumps([entry, entry]) + "\n")
    assert len(done.stdout.splitlines()) == 3
