"""Other editors with their own clients (SPEC S1): Neovim and Emacs from Debian, headless, with no plugin of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.support.tools import need, need_editor

BROKEN = "struct box { int count; };\n\nint held(struct box *b)\n{\n    return b->cuont;\n}\n"
FIXED = BROKEN.replace("cuont", "count")  # as gcc itself suggests
HERE = Path(__file__).parent


@pytest.fixture
def file(tmp_path: Path) -> Path:
    need("gcc")
    folder = tmp_path / "mein Projekt"
    (folder / ".git").mkdir(parents=True)  # where Emacs sees a project begin
    source = folder / "a.c"
    source.write_text(BROKEN)
    return source


def drive(command: list[str], file: Path, typed: str = "") -> dict[str, Any]:
    """Run an editor with its script; what it saw."""
    report = file.parents[1] / "report.json"
    environment = {
        **os.environ,
        "HOME": str(file.parents[1] / "home"),
        "SERVER": json.dumps([sys.executable, "-m", "compile_loop", "serve"]),
        "FILE": str(file),
        "CHECK": "gcc -Wall -fsyntax-only a.c",
        "REPORT": str(report),
    }
    Path(environment["HOME"]).mkdir()
    done = subprocess.run(
        command, env=environment, input=typed, capture_output=True, text=True, timeout=110, check=False, cwd=file.parent
    )
    assert report.exists(), done.stdout + done.stderr
    seen: dict[str, Any] = json.loads(report.read_text())
    assert not seen.get("trouble"), f"{seen}\n{done.stdout}\n{done.stderr}"
    left = [p.pid for p in psutil.process_iter(["cmdline", "cwd"]) if p.info["cwd"] == str(file.parent)]
    assert not left, "the server ended with its editor"
    assert file.read_text() == BROKEN, "the edit is in the editor, not on the disk"
    return seen


@pytest.mark.spec("S1", "V1")
def test_neovim(file: Path) -> None:
    editor = need_editor("nvim")
    seen = drive([editor, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(HERE / "neovim.lua")], file)
    assert seen["choices"] == ["Fix until it compiles", "Fix the whole project until it compiles"]
    assert seen["progress"][0] == "Fixing a.c" and any("1 error" in line for line in seen["progress"]), seen["progress"]
    assert [(d["line"], d["source"]) for d in seen["diagnostics"]] == [(4, "gcc")], seen["diagnostics"]
    assert seen["asked"][0].startswith("Found a fix among the toolchain's own suggestions: 1 error gone")
    assert seen["asked"][2:] == ["1. Apply", "2. Discard"]
    assert seen["after"] + "\n" == FIXED and seen["undone"] + "\n" == BROKEN


@pytest.mark.spec("S1", "V1")
def test_emacs(file: Path) -> None:
    editor = need_editor("emacs")
    seen = drive([editor, "--batch", "-l", str(HERE / "eglot.el")], file, typed="Apply\n")
    assert seen["actions"] == ["Fix until it compiles", "Fix the whole project until it compiles"]
    assert "1 error gone" in seen["asked"] and seen["choices"] == ["Apply", "Discard"]
    assert [line for line in seen["diagnostics"] if "cuont" in line], seen["diagnostics"]
    assert seen["after"] == FIXED and seen["undone"] == BROKEN
