"""Every recorded output gives its diagnostics, exactly (SPEC D2, D3)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.support.programs import PROGRAMS, Program, missing, read

from compile_loop.toolchains.reading import OutputReader
from compile_loop.toolchains.sources import FolderSources

CASES = [pytest.param(program, mode, id=f"{program.name}{mode}") for program in PROGRAMS for mode in program.modes()]


@pytest.mark.spec("D3")
@pytest.mark.parametrize(("program", "mode"), CASES)
def test_output_gives_expected_diagnostics(program: Program, mode: str, tmp_path: Path) -> None:
    root = program.copy(tmp_path / "a project")
    found = read(program.output(root, mode), root, program.command(mode))
    assert missing(found, program.expected(mode)) == []
    assert len(found) == len(program.expected(mode)), f"nothing is told twice or invented: {found}"


@pytest.mark.spec("D3")
@pytest.mark.parametrize(("program", "mode"), CASES)
def test_hint_is_not_needed(program: Program, mode: str, tmp_path: Path) -> None:
    """A user's own script prints the same text without anybody knowing what ran."""
    root = program.copy(tmp_path / "p")
    found = read(program.output(root, mode), root, "")
    assert missing(found, program.expected(mode)) == []


@pytest.mark.spec("D4")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_foreign_lines_between_do_no_harm(program: Program, tmp_path: Path) -> None:
    """Two streams interleave: a line of another program may stand before and after every block."""
    root = program.copy(tmp_path / "p")
    lines = program.output(root).decode().split("\n")
    noise = ["[ 50%] Built target x", "12:30:45 started", "http://localhost:8080/: ok", "1 passed in 0.06s"]
    framed = [*noise, *lines, *noise]
    found = read("\n".join(framed).encode(), root, program.command())
    assert missing(found, program.expected()) == []
    assert len(found) == len(program.expected())


@pytest.mark.spec("D4")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_lines_one_by_one_are_the_whole(program: Program, tmp_path: Path) -> None:
    """What streams is what reading the whole output gives, and CR line ends of a terminal change nothing."""
    root = program.copy(tmp_path / "p")
    whole = read(program.output(root), root, program.command())
    reader = OutputReader(root=str(root), cwd=str(root), sources=FolderSources(root), hint=program.command())
    found = [one for line in program.output(root).decode().split("\n") for one in reader.feed(f"{line}\r")]
    assert found + reader.close(1) == whole


@pytest.mark.spec("D3")
def test_shuffled_programs_in_one_log(tmp_path: Path) -> None:
    """A log of many tools in one run: each line has one reader, whatever came before it."""
    programs = [p for p in PROGRAMS if p.meta["tool"] in {"gcc", "g++", "tsc", "javac", "python", "rustc"}]
    random.Random(7).shuffle(programs)
    log, expected = b"", []
    for program in programs:
        root = program.copy(tmp_path / "w" / program.name)
        log += b"make[1]: Entering directory '" + str(root).encode() + b"'\n"
        log += program.output(root) + b"make[1]: Leaving directory '" + str(root).encode() + b"'\n"
        for entry in program.expected():
            related = [{**place, "file": f"{program.name}/{place['file']}"} for place in entry["related"]]
            file = entry["file"] and f"{program.name}/{entry['file']}"
            expected.append({**entry, "file": file, "related": related})
    found = read(log, tmp_path / "w", "make")
    assert missing(found, expected) == []
    assert len(found) == len(expected)
