"""Command lines that pass whatever their programs say, and lines close to them that do not (SPEC Q9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compile_loop.checks.masked import masked

MASKED = {
    "gcc a.c -o a && ./a | tail -5": "its exit code is that of “tail -5”, whatever “./a” says",
    "make 2>&1 | tail -20": "its exit code is that of “tail -20”, whatever “make” says",
    "./q.sh | tee log": "tee log",
    "python -m pytest -q 2>&1 | grep -v warning": "grep -v warning",
    "cd x && make | head -3": "head -3",
    "./a | jq .failed": "jq .failed",
    "./q.sh; true": "its last command, “true”, passes whatever came before",
    "./q.sh\ntrue": "“true”",
    "make; echo done": "“echo done”",
    "./q.sh > log 2>&1; cat log": "“cat log”",
    "./q.sh & sleep 1; cat log": "“cat log”",
    "if ! ./q.sh; then echo bad; fi": "only decides which branch",
    "if ./q.sh; then echo ok; else echo bad; fi": "only decides which branch",
    "for f in *.c; do gcc -c $f; done": "only the last turn of its loop counts",
    "./server &": "in the background",
    "make -i": "goes on after errors",
    "make -ki all": "goes on after errors",
    "make -n": "nothing is made",
    "ruff check --exit-zero .": "whatever it finds",
    "env CI=1 pylint --exit-zero a.py": "whatever it finds",
    "pytest --collect-only -q": "listed and not run",
    "go test -list . ./...": "listed and not run",
    "ctest -N": "listed and not run",
    "mvn -q test -DskipTests": "tests are skipped",
}
HEARD = [
    "make",
    "make -k -j4",
    "make -C sub/in install prefix=/tmp/in",
    "make && echo done",
    "gcc a.c -o a && ./a | diff - expected.txt",
    "./a | grep -q ok",
    "./a | jq -e .ok",
    "! grep -r TODO src",
    "cat a.txt | ./prog",
    "printf 'x' | tee a.txt",
    "echo hi | ./a",
    "set -e; ./q.sh; echo done",
    "sh -ec './q.sh; echo done'",
    "./q.sh; rc=$?; cat log; exit $rc",
    "set -o pipefail; make | tail -5",
    "bash -c 'set -o pipefail; make | tail'",
    "if [ -f Makefile ]; then make; fi",
    "if ./q.sh; then echo ok; else exit 1; fi",
    "for f in *.c; do gcc -c $f || exit 1; done",
    "./server & ./client",
    ". venv/bin/activate; pytest",
    "rm -f a; gcc a.c",
    "ls *.c | xargs gcc -fsyntax-only",
    'test "$(./a | tail -1)" = 5',
    "./a > out.txt && cmp out.txt expected.txt",
    "mvn -q package -DskipTests",
    "echo make -n",
    "# make | tail\nmake",
    "cat <<'END' | ./prog\nmake | tail\nEND",
    "sh -c 'unfinished",
    "",
]


@pytest.mark.spec("Q9")
@pytest.mark.parametrize("line", MASKED)
def test_a_line_that_passes_whatever_happens_is_doubted_with_the_reason(line: str) -> None:
    assert MASKED[line] in (masked(line) or "")


@pytest.mark.spec("Q9")
@pytest.mark.parametrize("line", HEARD)
def test_a_line_whose_programs_are_heard_is_not(line: str) -> None:
    assert masked(line) is None


@given(st.text(alphabet="ab ;|&<>(){}\"'\\$#\n!-0 if fi do done", max_size=60))
def test_any_text_is_read_to_its_end(line: str) -> None:
    masked(line)
