"""Real language servers, asked in whole runs without a model (SPEC D5)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.loop.running import fix
from tests.programs.report import run_program
from tests.support.programs import Program
from tests.support.tools import need, search_path, where

from compile_loop.contracts.events import SuggestionApplied
from compile_loop.contracts.outcome import Ending

pytestmark = pytest.mark.spec("D5")

FILES = {
    "clangd": (
        "cc -c a.c -o a.o",
        {"a.c": "int f(void) {\n  int n = 1 /* 😀 */\n  return n;\n}\nint g(void) {\n  int n = 2\n  return n;\n}\n"},
        "int f(void) {\n  int n = 1; /* 😀 */\n  return n;\n}\nint g(void) {\n  int n = 2;\n  return n;\n}\n",
    ),
    "gopls": (
        "go build -gcflags=-e -o /dev/null ./...",
        {
            "main.go": 'package main\n\nfunc main() {\n\tfmt.Println("😀", strings.ToUpper("x"))\n}\n',
            "go.mod": "module example.com/m\n\ngo 1.19\n",
        },
        'package main\n\nimport "fmt"\n\nimport "strings"\n\nfunc main() {\n\tfmt.Println("😀", strings.ToUpper("x"))\n}\n',
    ),
    "ty": (
        "mypy --no-error-summary --cache-dir /dev/null a.py",
        {"a.py": "import sys\n\n\ndef shown() -> str:\n    return json.dumps(textwrap.dedent(sys.platform))\n"},
        "import json\nimport textwrap\nimport sys\n\n\ndef shown() -> str:\n    return json.dumps(textwrap.dedent(sys.platform))\n",
    ),
    "rust-analyzer": (
        "cargo check --offline",
        {
            "src/lib.rs": "pub fn third(n: Option<i32>) -> Option<i32> {\n    match n {\n        Some(n) => n / 3,\n"
            "        None => None,\n    }\n}\n",
            "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
        },
        "pub fn third(n: Option<i32>) -> Option<i32> {\n    match n {\n        Some(n) => Some(n / 3),\n"
        "        None => None,\n    }\n}\n",
    ),
}


def need_server(program: str) -> None:
    """A server that starts: rustup leaves the name of one behind that it has not got."""
    need(program)
    if program == "rust-analyzer":
        said = subprocess.run([str(where(program)), "--version"], capture_output=True, check=False, timeout=60)
        if said.returncode != 0:
            pytest.skip("rust-analyzer is not installed; get it with `rustup component add rust-analyzer rust-src`")


@pytest.mark.parametrize("server", FILES)
async def test_program_is_green_by_its_language_server(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several fixes at one place, and texts beyond ASCII, are among them."""
    check, files, after = FILES[server]
    need_server(server)
    need("gcc" if server == "clangd" else check.split()[0])
    monkeypatch.setenv("PATH", search_path(servers=True))
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    target = next(iter(files))
    told = await fix(tmp_path, targets=[target], checks=(check,), settings={"max_rounds": 1})
    outcome = told.outcome
    assert outcome.ending is Ending.GREEN, (outcome.failure, outcome.edit.files)
    assert outcome.tally.spending.calls == 0
    assert outcome.edit.files[0].after == after.encode()
    assert any(event.message.endswith(f"({server})") for event in told.of(SuggestionApplied))


async def test_clangd_knows_where_a_semicolon_is_missing_that_gcc_does_not_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("gcc")
    need_server("clangd")
    monkeypatch.setenv("PATH", search_path(servers=True))
    row = await run_program(Program("gcc_missing_semicolon"), tmp_path)
    assert (row.result, row.twin, row.applied) == ("green", True, ("insert ';' (clangd)",))


async def test_stub_of_an_unknown_name_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """gopls would declare it, by a command of its own."""
    need("go")
    need_server("gopls")
    monkeypatch.setenv("PATH", search_path(servers=True))
    row = await run_program(Program("go_undefined_emoji_tab"), tmp_path)
    assert (row.result, row.applied) == ("untouched", ())
