"""True repairs pass: the recorded programs and their green twins, with the diagnostics that real tools printed (SPEC K7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.programs import PROGRAMS, Program, read

from compile_loop.checks.honesty import inspect
from compile_loop.checks.honesty.grammar import Tree
from compile_loop.checks.honesty.languages.registry import LANGUAGES, grammar_of, language_of
from compile_loop.checks.honesty.texts import Text
from compile_loop.contracts.edits import Edit, FileChange


def _files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.spec("K7")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_a_real_repair_has_no_finding(program: Program, tmp_path: Path) -> None:
    red, green = _files(program.copy(tmp_path / "red")), _files(program.copy(tmp_path / "green", fixed=True))
    baseline = read(program.output(tmp_path / "red"), tmp_path / "red", program.command())
    paths = sorted(path for path in green if red.get(path) != green[path])
    edit = Edit(tuple(FileChange(path, red.get(path), green[path], ()) for path in paths))
    assert edit and baseline
    assert inspect(edit, baseline) == ()


@pytest.mark.spec("K7")
@pytest.mark.parametrize("ending", [ending for language in LANGUAGES for ending in language.grammars])
def test_every_question_to_a_tree_fits_its_grammar(ending: str) -> None:
    """A query that names a node which the grammar does not have would raise only when it is first asked."""
    path = f"tests/test_a{ending}"
    language = language_of(path)
    assert language is not None
    tree = Tree(grammar_of(path, language), Text(b"", "utf-8"))
    assert list(language.marks(tree, lambda _: True, path)) == []
    assert list(language.functions(tree, path)) == []
