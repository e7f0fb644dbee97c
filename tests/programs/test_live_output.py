"""The same programs with the tools that are installed here: the recorded command, the green twin, the detected check."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.programs import NEEDS, PROGRAMS, Program, detectable, missing, plain_quotes, range_of, read, run
from tests.support.tools import HEAVY, need

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.toolchains.detect import detect

DETECTED = [program for program in PROGRAMS if detectable(program)]


def marked(programs: list[Program]) -> list[object]:
    """Programs of heavy tools carry the marker by which they can be left out."""
    heavy = [pytest.mark.heavy]
    return [pytest.param(one, id=one.name, marks=heavy if one.meta["tool"] in HEAVY else []) for one in programs]


def hint_of(check: Check) -> str:
    return check.command if isinstance(check.command, str) else " ".join(check.command)


def lost_places(found: list[Diagnostic], program: Program) -> list[str]:
    """Expected errors that no diagnostic stands for by file, start and message; modes may differ in the rest."""
    lost = []
    for entry in program.expected():
        starts = {range_of(entry["range"]).start, *(range_of(e["range"]).start for e in program.expected("_json"))}
        message = plain_quotes(entry["message_contains"])
        if entry["severity"] == "error" and not any(
            diagnostic.file == entry["file"]
            and diagnostic.is_error
            and diagnostic.range.start in starts
            and message in plain_quotes(diagnostic.message)
            for diagnostic in found
        ):
            lost.append(str(entry))
    return lost


@pytest.mark.spec("D3")
@pytest.mark.parametrize("program", marked(PROGRAMS))
def test_recorded_command_today(program: Program, tmp_path: Path) -> None:
    need(NEEDS.get(program.meta["tool"], program.meta["tool"]))
    root = program.copy(tmp_path / "p")
    exit_code, output = run(program.command(), root)
    assert exit_code != 0, output
    found = read(output, root, program.command(), exit_code)
    assert missing(found, program.expected()) == [], output.decode()


@pytest.mark.spec("D4")
@pytest.mark.parametrize("program", marked(PROGRAMS))
def test_green_twin_has_no_errors(program: Program, tmp_path: Path) -> None:
    """A check that passes leaves nothing red, whatever it prints."""
    need(NEEDS.get(program.meta["tool"], program.meta["tool"]))
    root = program.copy(tmp_path / "p", fixed=True)
    exit_code, output = run(program.command(), root)
    assert exit_code == 0, output
    assert [one for one in read(output, root, program.command(), exit_code) if one.is_error] == []


@pytest.mark.spec("D1")
@pytest.mark.parametrize("program", marked(DETECTED))
def test_detected_check_finds_the_same(program: Program, tmp_path: Path) -> None:
    root = program.copy(tmp_path / "p")
    proposals = detect(root, [Path(name) for name in program.sources()])
    assert len(proposals) == 1, proposals
    check = proposals[0].check
    need(check.command[0] if not isinstance(check.command, str) else "cmake")
    before = {path for path in root.rglob("*") if path.is_file()}
    exit_code, output = run(check.command, root / check.cwd, check.env)
    found = read(output, root, hint_of(check), exit_code)
    if program.name == "javac_lint_werror":
        assert [one.range.start.line for one in found] == [3, 4], "warnings are no errors without -Werror"
        return
    assert exit_code != 0, output
    assert lost_places(found, program) == [], output.decode()
    if program.meta["tool"] not in {"cargo", "cmake", "make"}:
        assert {path for path in root.rglob("*") if path.is_file()} == before, "the check leaves nothing behind"
