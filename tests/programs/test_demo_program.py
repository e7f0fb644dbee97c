"""The demo's program with the real compiler: red, then fixed by what the compiler suggests and two recorded replies."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from compile_loop.contracts.protocols import Message
from compile_loop.demo.program import CHECK, copy_to
from compile_loop.demo.recording import load_recording
from compile_loop.edits.apply import Applied, Target, apply_reply

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make and a C compiler")

FIX_IT = re.compile(r'^fix-it:"([^"]+)":\{(\d+):(\d+)-(\d+):(\d+)\}:"(.*)"$', re.MULTILINE)
ERROR = re.compile(r"^(\w+\.c):\d+:(?:\d+:)? (?:fatal )?error: ", re.MULTILINE)
EDITABLE = ("inventory.c", "inventory.h", "main.c", "report.c", "report.h")


def check(folder: Path) -> tuple[int, str]:
    """Run the program's real check."""
    done = subprocess.run(CHECK, check=False, shell=True, cwd=folder, capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout + done.stderr


def apply_suggestions(folder: Path, output: str) -> int:
    """Do what the compiler says, last place first; columns count bytes from one."""
    found = [(m[1], int(m[2]), int(m[3]), int(m[5]), m[6]) for m in FIX_IT.finditer(output) if m[2] == m[4]]
    for name, line, start, end, text in sorted(set(found), reverse=True):
        lines = (folder / name).read_bytes().split(b"\n")
        row = lines[line - 1]
        lines[line - 1] = row[: start - 1] + text.encode() + row[end - 1 :]
        (folder / name).write_bytes(b"\n".join(lines))
    return len(set(found))


def apply_recorded(folder: Path, text: str) -> tuple[str, ...]:
    """Apply a recorded reply as the engine does; returns the files that it changed."""
    targets = [Target(name, (folder / name).read_bytes()) for name in EDITABLE]
    edit = apply_reply(text, targets)
    assert isinstance(edit, Applied), edit
    for name, data in edit.files.items():
        assert data is not None
        (folder / name).write_bytes(data)
    return tuple(sorted(edit.files))


@pytest.fixture
def program(tmp_path: Path) -> Path:
    copy_to(tmp_path / "shop")
    return tmp_path / "shop"


def test_program_is_red_in_several_files(program: Path) -> None:
    code, output = check(program)
    assert code != 0
    assert set(ERROR.findall(output)) == {"inventory.c", "main.c", "report.c"}
    assert len(FIX_IT.findall(output)) >= 4


def test_suggestions_then_two_replies_make_it_green(program: Path) -> None:
    _, output = check(program)
    before = len(ERROR.findall(output))
    assert apply_suggestions(program, output) >= 4
    code, output = check(program)
    after = len(ERROR.findall(output))
    assert code != 0
    assert 0 < after < before, "suggestions help and are not enough"
    assert not FIX_IT.findall(output), "nothing is left that the compiler would fix"

    first, second = load_recording().replies
    asked = [Message("user", "\n".join((*EDITABLE, output)))]
    assert first.why_not([m.content for m in asked]) is None, "the real output shows what the reply answers"
    assert second.why_not([m.content for m in asked]) is not None
    assert apply_recorded(program, first.text) == ("inventory.c", "main.c", "report.c")
    code, output = check(program)
    assert code != 0, "the first reply compiles and is not enough"
    assert ERROR.findall(output) == ["self_test.c"]

    assert second.why_not([asked[0].content, output]) is None
    assert apply_recorded(program, second.text) == ("inventory.c",)
    code, output = check(program)
    assert code == 0, output
    assert "self-test passed" in output


def test_replies_alone_are_not_enough(program: Path) -> None:
    """The suggestions are needed too: the steps of the demo are no show."""
    for reply in load_recording().replies:
        apply_recorded(program, reply.text)
    assert check(program)[0] != 0


def test_every_reply_begins_with_plain_sentences() -> None:
    """Q27: what was wrong and why the edit fixes it comes first."""
    for reply in load_recording().replies:
        sentences = reply.text.partition("\n\n")[0]
        assert 1 <= len(re.findall(r"\.(?:\s|$)", sentences)) <= 2
        assert "<<<" not in sentences
