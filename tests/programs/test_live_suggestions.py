"""What the installed compilers offer, applied at exactly the range that was read (SPEC D5)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.programs.report import run_program
from tests.support.programs import NEEDS, Program, read, run
from tests.support.tools import need, search_path

from compile_loop.contracts.diagnostics import Diagnostic, Suggestion
from compile_loop.edits.text import decode
from compile_loop.toolchains.registry import readable_environment

pytestmark = pytest.mark.spec("D5")

USERS_OWN = [
    # (program, tool, whether the tool calls its offer safe): the users' commands, which ask for no fix-its
    ("gcc_typo_member", "gcc", True),
    ("gcc_undeclared_tab_emoji", "gcc", True),
    ("gxx_crlf", "g++", True),
    ("gxx_unicode_identifiers", "g++", True),
    ("clang_arrow_fixit", "clang", True),
    ("clang_ansi", "clang", True),
]
MACHINE = [
    ("cargo_missing_semicolon_two_crates", "cargo", True),
    ("cargo_borrow_emoji", "cargo", True),
    ("cargo_deny_warnings", "cargo", True),
    ("cargo_missing_import", "cargo", True),
    ("cargo_workspace_member", "cargo", False),  # it panics
]


def errors(root: Path, command: str) -> list[Diagnostic]:
    exit_code, output = run(command, root, readable_environment())
    return [one for one in read(output, root, command, exit_code) if one.is_error]


def apply(root: Path, suggestion: Suggestion) -> None:
    """Replace the ranges' bytes, last first."""
    for edit in sorted(suggestion.edits, key=lambda edit: edit.range, reverse=True):
        path = root / edit.file
        source = decode(path.read_bytes())
        start, end = source.offset_at(edit.range.start), source.offset_at(edit.range.end)
        data = source.encode()
        path.write_bytes(data[:start] + edit.new_text.encode(source.encoding) + data[end:])


@pytest.mark.parametrize(
    ("name", "tool", "safe", "mode"),
    [*((*case, "") for case in USERS_OWN), *((*case, "_json") for case in MACHINE)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_applied_offer_removes_its_error(name: str, tool: str, safe: bool, mode: str, tmp_path: Path) -> None:
    need(tool)
    program = Program(name)
    root = program.copy(tmp_path / "p")
    command = program.command(mode)
    left = errors(root, command)
    for _ in range(len(left)):
        offered = [(one, fix) for one in left for fix in one.suggestions]
        assert offered, left
        diagnostic, suggestion = offered[0]
        assert suggestion.safe is safe
        apply(root, suggestion)
        now = errors(root, command)
        assert len(now) < len(left), (diagnostic, suggestion, now)
        left = now
    assert left == []


def test_offer_shown_in_a_snippet_is_the_parseable_one(tmp_path: Path) -> None:
    """Without any option or variable the row below the caret says the same."""
    need("gcc")
    root = Program("gcc_typo_member").copy(tmp_path / "p")
    command = Program("gcc_typo_member").command()
    _, shown = run(command, root)
    _, parseable = run(command, root, readable_environment())
    assert b"fix-it:" in parseable
    assert b"fix-it:" not in shown
    first, second = (
        [[fix.edits for fix in one.suggestions] for one in read(output, root, command)] for output in (shown, parseable)
    )
    assert first == second
    assert first[0]


FIXED_PROGRAMS = [
    # what each way of getting fixes can do: printed edits, words of messages, tools asked again, language services
    *("cargo_deny_warnings", "clang_arrow_fixit", "gcc_typo_member", "gxx_template_required_from", "eslint_fixable"),
    *("go_unused_multi_pkg", "javac_syntax_missing_semicolon", "py_indent_compileall"),
]


@pytest.mark.parametrize("name", FIXED_PROGRAMS)
async def test_program_is_green_with_no_model(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole run, and its result is what the program's author wrote."""
    program = Program(name)
    need(NEEDS.get(program.meta["tool"], program.meta["tool"]))
    monkeypatch.setenv("PATH", search_path())
    row = await run_program(program, tmp_path)
    assert row.result == "green", row
    assert row.twin, row.diff


@pytest.mark.spec("K7")
@pytest.mark.parametrize("name", ["cargo_missing_import", "gxx_unicode_identifiers"])
async def test_program_that_a_guess_turns_green_is_to_be_confirmed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Program(name)
    need(NEEDS.get(program.meta["tool"], program.meta["tool"]))
    monkeypatch.setenv("PATH", search_path())
    row = await run_program(program, tmp_path)
    assert row.result == "to confirm", row
    assert row.twin, row.diff


async def test_panicking_conversion_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """rustc calls `.try_into().unwrap()` machine-applicable."""
    need("cargo")
    monkeypatch.setenv("PATH", search_path())
    row = await run_program(Program("cargo_workspace_member"), tmp_path)
    assert (row.result, row.applied) == ("untouched", ())
