"""The files that a check runs, however its command says so (SPEC E10)."""

from __future__ import annotations

from pathlib import Path

import pytest

from compile_loop.checks.admission import check_scripts
from compile_loop.contracts.checks import Check

FILES = (
    "verify.py",
    "visible.py",
    "calc.py",
    "main.c",
    "tools/verify.py",
    "tools/__init__.py",
    "tools/__main__.py",
    "run.sh",
    "check.js",
    "two words.py",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path.resolve()


@pytest.mark.spec("E10", "K6")
@pytest.mark.parametrize(
    ("line", "scripts"),
    [
        ("python3 verify.py", {"verify.py"}),
        ("./run.sh", {"run.sh"}),
        ("VAR=1 python3 verify.py", {"verify.py"}),
        ("A=1 B='x y' ./run.sh", {"run.sh"}),
        ("cd . && python3 verify.py", {"verify.py"}),
        ("cd tools && python3 verify.py", {"tools/verify.py", "verify.py"}),
        ("(cd tools; python3 -B verify.py --fast) 2>&1", {"tools/verify.py", "verify.py"}),
        ("timeout 20 python3 verify.py", {"verify.py"}),
        ("timeout -k 5 20s env -i A=1 nice -n 5 python3 verify.py calc.py", {"verify.py"}),
        ("python3 -m verify", {"verify.py"}),
        ("python3 -Bm tools", {"tools/__init__.py", "tools/__main__.py"}),
        ("PYTHONPATH=tools python3 -W error -m verify", {"verify.py", "tools/verify.py"}),
        ("python3 -m py_compile calc.py; python3 -B visible.py", {"visible.py"}),
        ("gcc main.c -o main && ./run.sh | tee log\nnode check.js", {"run.sh", "check.js"}),
        ("if ! python3 'two words.py'; then exit 1; fi", {"two words.py"}),
        ("sh -ec 'python3 verify.py; node check.js'", {"verify.py", "check.js"}),
        ("python3 < verify.py > calc.py", {"verify.py"}),
        ("uv run --frozen python verify.py", {"verify.py"}),
        ("coverage run verify.py", {"verify.py"}),
        ("python3 -m coverage run visible.py", {"visible.py"}),
        ("pytest -q verify.py::test_a", {"verify.py"}),
        ("python3 -m unittest -v verify.Sums.test_add", {"verify.py"}),
        ("gcc -Wall -c main.c", set()),
        ("mypy calc.py && ruff check calc.py", set()),
        ("python3 -m mypy calc.py", set()),
        ("python3 -c 'import calc' verify.py", set()),
        ("python3 -m doctest calc.py", set()),
        ("node --check check.js", set()),
        ("bash -n run.sh", set()),
        ("echo 'unclosed", set()),
    ],
)
def test_a_check_lives_by_the_files_that_it_runs_and_not_by_those_it_looks_at(
    root: Path, line: str, scripts: set[str]
) -> None:
    assert check_scripts([Check("check", line)], root) == scripts


@pytest.mark.spec("E10")
def test_a_check_that_is_a_vector_runs_the_same(root: Path) -> None:
    vector = ("timeout", "20", "python3", "verify.py")
    assert check_scripts([Check("check", vector, cwd="tools")], root) == {"tools/verify.py"}
