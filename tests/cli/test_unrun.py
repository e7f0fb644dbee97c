"""Tests that lie beside a file which the check that was found only compiles (SPEC D1, Q1): the outcome names them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from tests.cli.test_commands import cli
from tests.support.tools import need, search_path

NODE_TEST = 'const test = require("node:test");\n'
GO_MOD = "module example.org/a\n\ngo 1.18\n"
CARGO = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n'
CASES = {
    "python, beside": (
        {"calc.py": "x = 1\n", "test_calc.py": "from calc import x\n\n\ndef test_x():\n    assert x == 2\n"},
        ["calc.py"],
        ("test_calc.py", "pytest -q test_calc.py"),
    ),
    "python, in tests": (
        {"src/calc.py": "x = 1\n", "tests/unit/calc_test.py": "def test_x():\n    assert 1 == 2\n"},
        ["src/calc.py"],
        ("tests/unit/calc_test.py", "pytest -q tests/unit/calc_test.py"),
    ),
    "python, by what it imports": (
        {"calc.py": "x = 1\n", "tests/test_all.py": "import calc\n\n\ndef test_x():\n    assert calc.x == 2\n"},
        ["calc.py"],
        ("tests/test_all.py", "pytest -q tests/test_all.py"),
    ),
    "node": (
        {"a.js": "exports.x = 1;\n", "a.test.js": NODE_TEST + 'test("x", () => { throw new Error("no"); });\n'},
        ["a.js"],
        ("a.test.js", "node --test a.test.js"),
    ),
    "npm": (
        {
            "web/package.json": '{"scripts": {"lint": "node --check a.js", "test": "node a.spec.js"}}',
            "web/a.js": "exports.x = 1;\n",
            "web/a.spec.js": "process.exit(1);\n",
        },
        ["web/a.js"],
        ("web/a.spec.js", "cd 'web' && npm run test"),
    ),
    "go": (
        {
            "go.mod": GO_MOD,
            "b/b.go": "package b\n\nfunc X() int { return 1 }\n",
            "b/b_test.go": 'package b\n\nimport "testing"\n\nfunc TestX(t *testing.T) { t.Fatal("no") }\n',
        },
        ["b/b.go"],
        ("b/b_test.go", "go test ./b"),
    ),
    "cargo": (
        {
            "Cargo.toml": CARGO,
            "src/lib.rs": "pub fn x() -> i32 {\n    1\n}\n\n#[test]\nfn is_two() {\n    assert_eq!(x(), 2);\n}\n",
            "tests/all.rs": "#[test]\nfn fails() {\n    panic!();\n}\n",
        },
        ["src/lib.rs"],
        ("the tests in src/lib.rs, tests/all.rs", "cargo test"),
    ),
}
TOOLS = {"go": "go", "cargo": "cargo", "node": "node", "npm": "npm"}


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.spec("D1", "P3")
@pytest.mark.parametrize("case", CASES)
def test_tests_beside_a_file_that_is_only_compiled_are_named(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the very command that would run them, and that is red here: a stranger goes on from it."""
    need(TOOLS.get(case, "pytest"))
    monkeypatch.setenv("PATH", search_path())
    files, targets, (names, line) = CASES[case]
    root = write(tmp_path / "ws", files)
    done = cli(root, "fix", *targets)
    assert done.returncode == 0 and "Nothing to fix" in done.stdout, done.stdout + done.stderr
    assert f"Not run: {names}. To fix until that passes, too: {shlex.join(['--check', line])}" in done.stdout
    document = json.loads(cli(root, "fix", *targets, "--json").stdout)
    assert document["unrun"] == [{"files": names.split(", "), "line": line}]
    red = cli(root, "check", "--check", line)
    assert red.returncode == 1, red.stdout + red.stderr


@pytest.mark.spec("D1")
def test_nothing_is_named_where_the_tests_run_or_none_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", search_path())
    lone = write(tmp_path / "lone", {"calc.py": "x = 1\n", "test_other.py": "import os\n"})
    tested = write(tmp_path / "tested", {"calc.py": "x = 1\n", "test_calc.py": "def test_x():\n    pass\n"})
    for done in (cli(lone, "fix", "calc.py"), cli(tested, "fix", "calc.py", "--check", "python3 -m compileall -q .")):
        assert done.returncode == 0 and "Not run" not in done.stdout, done.stdout
    (tested / "conftest.py").write_text("")
    assert "Not run" not in cli(tested, "fix", "calc.py").stdout


@pytest.mark.spec("K5")
def test_a_hidden_test_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who reads the outcome may be a model."""
    monkeypatch.setenv("PATH", search_path())
    root = write(tmp_path / "ws", {"calc.py": "x = 1\n", "tests/test_calc.py": "def test_x():\n    pass\n"})
    done = cli(root, "fix", "calc.py", "--holdout", "python3 -B tests/test_calc.py")
    assert done.returncode == 0 and "Not run" not in done.stdout, done.stdout + done.stderr
