"""Command lines that pass whatever their programs say, and lines close to them that do not (SPEC Q9)."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from compile_loop.checks.masked import masked
from compile_loop.contracts.checks import Check, Expectation

NOWHERE = Path("/nowhere/at/all")


def doubts(line: str) -> tuple[str, ...]:
    """What is said of a line by itself."""
    return masked(Check("check", line), NOWHERE)


REASONS = {
    'for f in c/*.in; do ./prog < "$f" | diff - "${f%.in}.out"; done': "only the last turn of its loop counts",
    "gcc a.c -o a && ./a | tail -5": "its exit code is that of “tail -5”, whatever “./a” says",
    "make 2>&1 | tail -20": "its exit code is that of “tail -20”",
    "python -m pytest -q 2>&1 | grep -v warning": "grep -v warning",
    "cd x && make | head -3": "head -3",
    "./a | jq .failed": "jq .failed",
    "./q.sh; true": "“true” comes after “./q.sh”, whose failure nobody hears",
    "./q.sh\ntrue": "“true” comes after",
    "make; echo done": "“echo done” comes after “make”",
    "./q.sh > log 2>&1; cat log": "“cat log” comes after",
    "./q.sh & sleep 1; cat log": "in the background",
    "./server &": "in the background",
    "./q.sh & wait": "in the background",
    "if ! ./q.sh; then echo bad; fi": "only decides which branch",
    "if ./q.sh; then echo ok; else echo bad; fi": "only decides which branch",
    "for f in *.c; do gcc -c $f; done": "only the last turn of its loop counts",
    "for t in tests/*; do ./run $t; done; echo done": "only the last turn",
    "make -i": "goes on after errors",
    "make -ki all": "goes on after errors",
    "MAKEFLAGS=-i make": "goes on after errors",
    "make -n": "nothing is made",
    "ruff check --exit-zero .": "whatever it finds",
    "env CI=1 pylint --exit-zero a.py": "whatever it finds",
    "pytest --collect-only -q": "not run",
    "python -m pytest --co": "not run",
    "go test -list . ./...": "not run",
    "ctest -N": "not run",
    "mvn -q test -DskipTests": "tests are skipped",
    "gradle check -x test": "tests are skipped",
    'trap "exit 0" EXIT; ./q.sh': "a trap sets the exit code",
    'echo "$(./q.sh)"': "only the output of",
    "exit 0; ./q.sh": "“./q.sh” is never come to",
    "find . -name q.sh -exec {} \\;": "“find” passes whatever “{}” says",
    "script -qc ./q.sh /dev/null": "“script” passes whatever “./q.sh” says",
    "python3 -c \"import subprocess; subprocess.run(['./q.sh'])\"": "starts a program and goes on",
    "./q.sh || cat f": "it passes even where “./q.sh” fails (“|| cat f”)",
    "./q.sh || { echo failed; }": "(“|| { echo failed; }”)",
    "bash <<'E'\n./q.sh\ntrue\nE": "“true” comes after",
}
MASKED = [
    *REASONS,
    "./q.sh | grep -q .",
    "grep -q x f; true",
    "grep -rn TODO src || true",
    "grep -q a f; grep -q b f; echo ok",
    "grep x f | cat",
    'trap "exit 0" ERR; ./q.sh',
    "python3 - <<'E'\nimport subprocess\nsubprocess.run(['./q.sh'])\nE",
    "while ./q.sh; do break; done",
    "./q.sh|cat",
    "./q.sh ||:",
    "until ./q.sh; do break; done",
    "while ! ./q.sh; do sleep 1; break; done; echo ok",
    "./q.sh | awk '{print}'",
    "./q.sh | perl -pe 1",
    "./q.sh | rg error",
    "./q.sh | xcpretty",
    "./q.sh || date",
    "./q.sh || return 0",
    "./q.sh; exit 0",
    "./q.sh >log; grep -c steps log",
    "bash -c './q.sh | tee log'",
    "ls q.sh a.c | while read x; do ./q $x; done",
    'echo ./q.sh | xargs -I{} sh -c "{}; true"',
    "mvn -fn test",
    "make -t",
    "make MAKEFLAGS=-i",
    "scons -i",
    "cmake --build b -- -i",
    "cargo test --no-run",
    "gradle -m test",
    "bandit --exit-zero -r .",
    'out=$(./q.sh) && echo "$out" || echo "$out"',
    'out=$(./q.sh); echo "$out"',
    "cat <(./q.sh)",
    "./q.sh && echo ok || echo bad",
    './q.sh; rc=$?; echo "rc $rc"',
    "rc=0; ./q.sh || rc=$?; echo $rc",
    "./q.sh; ./r.sh; echo done",
    "for t in tests/*; do $t; done",
    "for i in 1 2 3; do ./q.sh && break; sleep 1; done",
    "fail=0; ls t | while read x; do ./q $x || fail=1; done; exit $fail",
    "set -e; ./q.sh | tee log",
    "set -e; ./q.sh && echo ok; echo done",
    "(./q.sh; true)",
    "{ ./q.sh; true; }",
    "sh -c './q.sh; true'",
    "time ./q.sh | tail",
    "eval './q.sh || true'",
    'run() { "$@" || true; }; run ./q.sh',
    'run() { "$@"; echo "ran"; }; run ./q.sh',
    './q.sh || echo "skipped" >&2',
    "./q.sh 2>/dev/null | head -1",
    "node -e \"require('child_process').spawnSync('./q.sh')\"",
    "perl -e 'system(\"./q.sh\")'",
    "awk 'BEGIN { system(\"./q.sh\") }'",
    "./q.sh; cd ..",
    "./q.sh; wait",
    "gcc -fsyntax-only a.c; gcc -fsyntax-only b.c",
    "pytest; flake8",
    "docker compose up -d; pytest; docker compose down",
    "case x in *) ./q.sh || true;; esac",
    "./q.sh | sed 's/x/y/' | sort",
    './q.sh | while read l; do echo "$l"; done',
    "./q.sh |& tee log",
    "exec ./q.sh | cat",
]
HEARD = [
    "cargo check --all-targets",
    "rustc --emit=metadata -o /dev/null a.rs",
    "zig build",
    "tsc -p . --noEmit",
    "tsc -b",
    "node --check a.js",
    "mvn -q -B test-compile",
    "./gradlew testClasses",
    "dotnet build",
    "gcc -fsyntax-only -Wall a.c",
    "pyright",
    "python3 -m compileall -q a.py",
    "php -l a.php",
    "php -l a.php && php -l b.php",
    "ruby -wc a.rb",
    "perl -c a.pl",
    "luac -p a.lua",
    "bash -n a.sh",
    "npm run -s build",
    "pnpm run typecheck",
    "yarn test",
    "npx --no-install tsc -p .",
    "bundle exec rspec",
    "stack build --fast",
    "cabal build all",
    "swift build",
    "mix compile --warnings-as-errors",
    "composer test",
    "vendor/bin/phpunit",
    "bazel test //...",
    "just test",
    "task test",
    "tox -e py311",
    "nox -s tests",
    "hatch test",
    "pre-commit run -a",
    "docker build .",
    "terraform validate",
    "helm lint .",
    "nix flake check",
    "luacheck .",
    "hadolint Dockerfile",
    "markdownlint .",
    "vale docs",
    "ctest --test-dir build",
    "meson test -C build",
    "xcodebuild test -scheme A",
    "flutter test",
    "dart analyze",
    "elixir a.exs",
    "sbt test",
    "lein test",
    "./mvnw verify",
    "bash ci/run.sh --fast",
    "python manage.py check --deploy",
    "python3 tests/run.py",
    "clang-tidy a.c -- -Iinc",
    "clang-format --dry-run -Werror a.c",
    "prettier --check .",
    "cargo fmt --check && cargo clippy -- -D warnings && cargo test",
    "go test -run TestX ./...",
    'pytest -k "not slow"',
    "make -j$(nproc)",
    "make check VERBOSE=1 || (cat test-suite.log; exit 1)",
    "ant test",
    "rake spec",
    "bin/rails test",
    "kubectl apply --dry-run=client -f x.yaml",
    "git apply --check p.diff",
    "patch --dry-run -p1 < p.diff",
    "if ./calc bogus; then echo 'should have failed'; exit 1; fi; ./calc 1",
    "./calc bogus && exit 1; ./calc 1",
    "./calc bogus; [ $? -ne 0 ] || exit 1",
    "./q.sh 2>&1 | grep -q FAIL && exit 1; echo ok",
    "! ./lint.sh | grep .",
    "! sed -n -f rules.sed a.py | grep .",
    "if ./lint.sh src | grep error; then exit 1; fi",
    "set -e; gofmt -l . | (! grep .); go vet ./...",
    "! grep -q x f",
    "[ -f a ] && grep -q x f",
    "grep -q x f && echo ok",
    "grep -q x f || echo missing\n! grep -q y f && grep -q z f",
    "if [ -d x ]; then echo y; fi",
    "[ -d b ] || mkdir b; grep -q x b/f",
    "ls *.c | grep -q a",
    "trap 'echo bad' ERR; ./q.sh",
    "trap 'exit 1' ERR; ./q.sh; echo ok",
    "python3 - <<'E'\nassert 1\nE",
    "until pg_isready; do n=$((n+1)); [ $n -gt 9 ] && break; sleep 1; done; ./client",
    "python3 -c 'import a; exec(open(\"t.py\").read())'",
    "md5sum a.bin; make",
    "make",
    "make -k -j4",
    "make -C sub/in install prefix=/tmp/in",
    "make && echo done",
    "gcc a.c -o a && ./a | diff - expected.txt",
    "./a | grep -q ok",
    "./a | grep ok > /dev/null",
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
    "bash -o pipefail -c 'make | tail'",
    "bash -eo pipefail -c 'make 2>&1 | tee log; echo ok'",
    "if [ -f Makefile ]; then make; fi",
    "if ./q.sh; then echo ok; else exit 1; fi",
    "for f in *.c; do gcc -c $f || exit 1; done",
    "for f in *.c; do gcc -c $f || { echo bad $f; exit 1; }; done",
    "fail=0; for f in *.c; do gcc -c $f || fail=1; done; exit $fail",
    "fail=0; for f in *.c; do gcc -c $f || fail=$((fail+1)); done; [ $fail -eq 0 ]",
    'for f in *.c; do if ! gcc -c $f; then bad=1; fi; done; test -z "$bad"',
    "./server & ./client",
    "./server & pid=$!; ./client; rc=$?; kill $pid; exit $rc",
    "./a & p=$!; ./b && wait $p",
    ". venv/bin/activate; pytest",
    "source venv/bin/activate && pytest -q",
    "rm -f a; gcc a.c",
    "ls *.c | xargs gcc -fsyntax-only",
    "find . -name '*.c' | xargs -n1 gcc -fsyntax-only",
    "find . -name '*.py' -exec python -m py_compile {} +",
    "find src -name '*.sh' -print0 | xargs -0 -n1 bash -n",
    'test "$(./a | tail -1)" = 5',
    '[ "$(./a)" = "42" ]',
    'out=$(./a) && [ "$out" = 42 ]',
    'out=$(./a); [ "$out" = 42 ] || exit 1',
    "./a > out.txt && cmp out.txt expected.txt",
    "./a > out.txt; diff out.txt expected.txt",
    "./a > out.txt 2>&1; grep -q PASS out.txt",
    "./a | sort > out.txt; cmp out.txt expected.txt",
    "./a | sort | diff - expected.txt",
    "diff <(./a) expected.txt",
    "mvn -q package -DskipTests",
    "gradle build -x test",
    "gradle assemble",
    "echo make -n",
    "# make | tail",
    "cd sub && make",
    "cd sub; make",
    "mkdir -p build && cd build && cmake .. && make && ctest --output-on-failure",
    "cmake -S . -B build && cmake --build build -j4",
    "export CI=1; npm test",
    "npm ci && npm test",
    "npm ci; npm test",
    "npm run build && npm test",
    "pip install -q -r requirements.txt; pytest",
    "python -m pytest -q",
    "python3 -m unittest discover -s tests -v",
    "docker compose up -d && pytest && docker compose down",
    "docker compose run --rm app pytest",
    "time make",
    "nice -n 10 make -j2",
    "timeout 60 ./q.sh",
    "env CC=clang make check",
    "xvfb-run -a npm test",
    "uv run pytest -q",
    "npx tsc --noEmit && npx eslint .",
    "tsc --noEmit && node --test",
    "cargo test --all --no-fail-fast",
    "cargo build 2>&1",
    "cargo clean; cargo test",
    "go build ./... && go vet ./... && go test ./...",
    "command -v shellcheck >/dev/null || exit 1; shellcheck a.sh",
    "command -v node >/dev/null && node --test",
    "test -x ./a || make a; ./a",
    "[ -d build ] || mkdir build; make -C build",
    "make || make V=1",
    "make || { cat build.log; exit 1; }",
    "make || (cat build.log && exit 1)",
    "make || exit",
    "make || false",
    "(cd a && make) && (cd b && make)",
    "(make)",
    "{ make; }",
    "! ./must_fail",
    "if ! make; then echo failed >&2; exit 1; fi",
    "if make; then :; else rc=$?; cat log; exit $rc; fi",
    "case $OS in Windows*) ./w.bat;; *) ./u.sh;; esac",
    "while ! nc -z localhost 80; do sleep 1; done; ./client",
    "until ./ready.sh; do sleep 1; done; ./client",
    "for i in 1 2 3; do ./flaky && exit 0; sleep 1; done; exit 1",
    "n=0; until ./t; do n=$((n+1)); [ $n -ge 3 ] && exit 1; done",
    "trap 'rm -rf tmp' EXIT; ./q.sh",
    "trap 'rc=$?; rm -rf tmp; exit $rc' EXIT; ./q.sh",
    "trap cleanup EXIT; ./q.sh",
    "set -euo pipefail; ./q.sh | tee log; echo done",
    "set -o errexit; ./q.sh; echo done",
    "exec ./q.sh",
    "exec make check",
    'eval "make check"',
    "make -C a && make -C b; ",
    "make test 2>&1 >/dev/null",
    "make > log 2>&1 || { tail -20 log; exit 1; }",
    "./a < input.txt | cmp - output.txt",
    "./a | python3 check.py",
    "./a | python3 -c \"import sys; assert sys.stdin.read() == '42\\n'\"",
    "./a | awk '{ s += $1 } END { exit s != 10 }'",
    "./a | tests/compare.sh",
    "python3 -c \"import subprocess; subprocess.run(['./q.sh'], check=True)\"",
    'python3 -c "import a; assert a.f(1) == 2"',
    "node -e \"require('assert').equal(require('./a')(1), 2)\"",
    "node -e \"process.exit(require('child_process').spawnSync('./q.sh').status)\"",
    "perl -e 'exit system(\"./q.sh\") >> 8'",
    "sha256sum -c sums.txt",
    "md5sum a.bin | diff - a.md5",
    "git diff --exit-code",
    "make fmt && git diff --exit-code",
    "black --check . && isort --check . && mypy .",
    "pre-commit run --all-files",
    "jest --passWithNoTests",
    "ninja -k 0",
    "pytest -x --maxfail=1 -p no:cacheprovider",
    "./configure && make && make check",
    "./configure --quiet; make check",
    "python manage.py migrate; python manage.py test",
    "ulimit -s unlimited; ./a",
    "sleep 1; ./a",
    "nvm use 18; npm test",
    "conda activate x; pytest",
    "git submodule update --init; make",
    "a=1 b=2 make",
    "./q.sh; exit $?",
    "./q.sh; exit",
    "./a; test $? -eq 3",
    "./a; [ $? = 3 ] || exit 1",
    "./a || [ $? -eq 3 ]",
    './a; code=$?; if [ $code -ne 3 ]; then echo "wrong $code"; exit 1; fi',
    "set -e; for t in tests/*; do $t; done",
    'run() { "$@" || exit 1; }; run ./a; run ./b',
    'run() { echo "+ $*"; "$@"; }; set -e; run ./a; run ./b; echo ok',
    'die() { echo "$*" >&2; exit 1; }; make || die "no make"; ./a || die "no a"; echo ok',
    "./test.sh 2>&1 | tee log; exit ${PIPESTATUS[0]}",
    "./test.sh 2>&1 | tee log; test ${PIPESTATUS[0]} -eq 0",
    "mkfifo p; cat p > log & ./a > p",
    "make 2> >(tee err.log >&2)",
    "exec > >(tee log) 2>&1; make",
    "grep -q x f || echo missing; make",
    "ls | wc -l; make",
    "cat <<'END' | ./prog\nmake | tail\nEND",
    "# make | tail\nmake",
    "sh -c 'unfinished",
    "",
]


@pytest.mark.spec("Q9")
@pytest.mark.parametrize("line", REASONS)
def test_a_line_that_passes_whatever_happens_is_doubted_with_the_reason(line: str) -> None:
    assert any(REASONS[line] in said for said in doubts(line)), doubts(line)


@pytest.mark.spec("Q9")
@pytest.mark.parametrize("line", MASKED)
def test_a_line_that_passes_whatever_happens_is_doubted(line: str) -> None:
    assert doubts(line)


@pytest.mark.spec("Q9")
@pytest.mark.parametrize("line", HEARD)
def test_of_a_line_whose_programs_are_heard_nothing_is_said(line: str) -> None:
    assert doubts(line) == ()


@pytest.mark.spec("Q9", "K1")
def test_a_check_by_its_output_is_not_masked_by_its_exit_code() -> None:
    assert masked(Check("check", "./q.sh | tee log", expect=Expectation(output_contains=("done",))), NOWHERE) == ()
    assert masked(Check("check", "./q.sh; true", expect=Expectation(json_equals={"/failed": 0})), NOWHERE) == ()


WRAPPED = [
    "( {} )",
    "{{ {}\n}}",
    "time {}",
    "{} # | tail",
    "  {}\n",
    "true && {}",
    "eval {q}",
    "bash -c {q}",
    "f() {{ {}\n}}; f",
]
WHOLE = [
    line for line in (*MASKED, *HEARD) if line.strip() and "<<" not in line and not line.startswith(("#", "sh -c 'unf"))
]


@pytest.mark.spec("Q9")
@settings(max_examples=150)
@given(st.sampled_from(WHOLE), st.sampled_from(WRAPPED))
def test_what_only_wraps_a_line_changes_nothing(line: str, wrapped: str) -> None:
    assume(wrapped != "time {}" or line.startswith((".", "make")))  # `time` stands before one pipeline only
    assert bool(doubts(wrapped.format(line, q=shlex.quote(line)))) == bool(doubts(line))


AROUND = [
    "{}; true",
    "true; {}",
    "{} && echo a",
    "{} || echo b",
    "{} || exit 1",
    "{} || {{ echo a; exit 2; }}",
    "( {} )",
    "{} | cat",
    "if {}; then echo a; fi",
    "if {}; then echo a; else exit 3; fi",
    "if true; then {}; fi",
    "for i in 1 2; do {}; done",
    "for i in 1 2; do {} || exit 1; done",
    "set -e; {}; echo a",
    "set -o pipefail; {}",
    "x=$( {} )",
    "x=$( {} ); echo $x",
    "rc=0; {} || rc=$?; exit $rc",
    "{}; rc=$?; if [ $rc -ne 0 ]; then exit 1; fi",
    "echo $( {} )",
    "f() {{ {}; }}; f",
    "trap 'echo x' EXIT; {}",
    "trap 'exit 0' EXIT; {}",
    "fail=0; {} || fail=1; [ $fail = 0 ]",
    "case a in a) {};; esac",
    'run() {{ "$@"; echo ran; }}; run true; {}',
    "eval {q}",
    "bash -c {q}",
    "bash -o pipefail -c {q}",
]
FAILS_ONCE = "#!/bin/sh\n[ -e .mark ] && exit 0\n: > .mark\nexit 1\n"


@pytest.mark.spec("Q9")
@pytest.mark.skipif(shutil.which("bash") is None, reason="the judge is bash")
@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(AROUND), min_size=1, max_size=3))
def test_what_is_doubted_is_what_bash_passes_where_the_program_fails(around: list[str]) -> None:
    line = "./q.sh"
    for each in around:
        line = each.format(line, q=shlex.quote(line))
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "q.sh")
        program.write_text(FAILS_ONCE)
        program.chmod(0o755)
        done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, check=False)
        assert Path(folder, ".mark").exists()
    assert bool(doubts(line)) == (done.returncode == 0), line


@given(st.text(alphabet="ab ;|&<>(){}\"'\\$#\n!-0 if fi do done", max_size=60))
def test_any_text_is_read_to_its_end(line: str) -> None:
    doubts(line)
