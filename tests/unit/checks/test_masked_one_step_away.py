"""Masks one step away from a check's line: in recipes, scripts and package scripts, beside many that are honest (SPEC Q9)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compile_loop.checks.masked import masked
from compile_loop.contracts.checks import Check

Case = tuple[dict[str, str], str]


def sh(text: str) -> Case:
    return {"check.sh": f"#!/bin/sh\n{text}"}, "./check.sh"


def bash(text: str) -> Case:
    return {"check.sh": f"#!/usr/bin/env bash\n{text}"}, "./check.sh"


def make(text: str, goal: str = "") -> Case:
    return {"Makefile": text}, f"make {goal}".strip()


def npm(name: str = "test", **scripts: str) -> Case:
    return {"package.json": json.dumps({"scripts": scripts})}, f"npm run {name}"


HONEST: dict[str, Case] = {
    "set_e": bash("""set -euo pipefail
cd "$(dirname "$0")"
echo "building"
make -j4
./a.out > out.txt
diff -u expected.txt out.txt
echo "all good"
"""),
    "traps": bash("""set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
./gen.sh > "$tmp/x"
cmp "$tmp/x" golden/x
echo ok
"""),
    "cleanup_fn": bash("""set -e
cleanup() {
  rc=$?
  docker compose down -v || true
  exit $rc
}
trap cleanup EXIT
docker compose up -d
npm test
echo finished
"""),
    "count": bash("""set -e
n=$(grep -c TODO src/*.c || true)
echo "TODOs: $n"
make check
"""),
    "install": sh("""command -v shellcheck >/dev/null 2>&1 || apt-get install -y shellcheck
shellcheck *.sh
"""),
    "loop_exit": sh("""for f in tests/*.sh; do
  echo "== $f"
  sh "$f" || exit 1
done
echo all passed
"""),
    "loop_count": sh("""failed=0
for t in tests/*.in; do
  ./prog < "$t" > out.tmp
  if cmp -s out.tmp "${t%.in}.out"; then
    echo "ok $t"
  else
    echo "FAIL $t"
    failed=$((failed + 1))
  fi
done
[ "$failed" -eq 0 ]
"""),
    "loop_count2": sh("""fail=0
pass=0
for t in tests/*.in; do
  exp="${t%.in}.out"
  got=$(./prog < "$t")
  if [ "$got" = "$(cat $exp)" ]; then pass=$((pass+1)); else fail=$((fail+1)); echo "FAIL: $t"; fi
done
echo "$pass passed, $fail failed"
if [ $fail -gt 0 ]; then
  exit 1
fi
"""),
    "status": sh("""status=0
gcc -Wall -Werror -c src/a.c -o /dev/null || status=1
gcc -Wall -Werror -c src/b.c -o /dev/null || status=1
exit $status
"""),
    "rc": sh("""./runtests > log.txt 2>&1
rc=$?
tail -20 log.txt
exit $rc
"""),
    "rc2": sh("""./runtests > log.txt 2>&1
if [ $? -ne 0 ]; then
  cat log.txt
  exit 1
fi
echo ok
"""),
    "wait": bash("""./server &
pid=$!
sleep 1
./client
rc=$?
kill $pid
wait $pid 2>/dev/null
exit $rc
"""),
    "wait_each": bash("""set -e
pids=()
for s in a b c; do
  ./shard.sh $s &
  pids+=($!)
done
for p in "${pids[@]}"; do
  wait "$p"
done
echo done
"""),
    "tee": bash("""set -o pipefail
make test 2>&1 | tee build.log
"""),
    "tee_sub": bash("""set -e
exec > >(tee -a build.log) 2>&1
make test
echo done
"""),
    "pipestatus": bash("""make test 2>&1 | tee build.log
exit ${PIPESTATUS[0]}
"""),
    "die": sh("""die() { echo "error: $*" >&2; exit 1; }
[ -d src ] || die "no src"
gcc -c src/a.c -o a.o || die "compile"
gcc a.o -o a || die "link"
./a || die "run"
echo PASS
"""),
    "run_fn": bash("""run() {
  echo "+ $*"
  "$@" || { echo "failed: $*"; exit 1; }
}
run gcc -c a.c
run ./a
echo fine
"""),
    "expect_fn": bash("""errors=0
expect() {
  local want="$1"; shift
  local got
  got=$("$@")
  if [ "$got" != "$want" ]; then
    echo "want $want, got $got"
    errors=$((errors+1))
  fi
}
expect 5 ./calc 2 + 3
expect 6 ./calc 2 '*' 3
exit $errors
"""),
    "expect_fn2": bash("""fail() { echo "FAIL: $1"; FAILED=1; }
FAILED=0
out=$(./calc 1 + 1); [ "$out" = 2 ] || fail "add"
out=$(./calc 3 - 1); [ "$out" = 2 ] || fail "sub"
[ $FAILED -eq 0 ] && echo PASS
exit $FAILED
"""),
    "must_fail": bash("""set -e
if ./calc bogus 2>/dev/null; then
  echo "should have failed"
  exit 1
fi
! ./calc 2>/dev/null
./calc 1 + 1 | grep -q '^2$'
echo ok
"""),
    "simple": sh("""gcc -Wall -Werror -c src/a.c -o a.o
"""),
    "two": sh("""gcc src/a.c -o a
./a
"""),
    "build_then_test": sh("""cd "$(dirname "$0")"
mkdir -p build
cd build
cmake ..
make
ctest --output-on-failure
"""),
    "configureish": sh("""srcdir=${srcdir:-.}
if test -f "$srcdir/config.h"; then :; else echo "#define X 1" > config.h; fi
CC=${CC:-cc}
if $CC --version >/dev/null 2>&1; then have_cc=yes; else have_cc=no; fi
if echo 'int main(void){return 0;}' | $CC -x c - -o /dev/null 2>/dev/null; then
  echo "HAVE_CC=1" > config.mk
else
  echo "HAVE_CC=0" > config.mk
fi
make
"""),
    "venv": bash("""set -e
if [ ! -d .venv ]; then python3 -m venv .venv; fi
. .venv/bin/activate
pip install -q -r requirements.txt
pytest -q "$@"
"""),
    "venv_nose": bash("""source .venv/bin/activate
python manage.py migrate
python manage.py test
"""),
    "exec": sh("""export PYTHONPATH=src
exec python3 -m pytest "$@"
"""),
    "retry": bash("""for i in 1 2 3; do
  curl -sf localhost:8080/health && break
  sleep 1
done
./integration_test
"""),
    "retry_exit": bash("""n=0
until ./flaky_test; do
  n=$((n+1))
  if [ $n -ge 3 ]; then echo "gave up"; exit 1; fi
  sleep 2
done
"""),
    "usage": bash("""set -e
usage() { echo "usage: $0 [-v]"; exit 2; }
while getopts "vh" o; do
  case $o in
    v) set -x ;;
    h) usage ;;
    *) usage ;;
  esac
done
shift $((OPTIND-1))
./run_tests
"""),
    "case": bash("""set -e
case "${1:-all}" in
  lint) ruff check . ;;
  test) pytest ;;
  all) ruff check . && pytest ;;
  *) echo "what?"; exit 2 ;;
esac
"""),
    "docker": bash("""set -e
docker build -t app .
docker run --rm app pytest
docker rmi app || true
"""),
    "git": bash("""set -e
go generate ./...
git diff --exit-code || { echo "run go generate"; exit 1; }
gofmt -l . | (! grep .)
go vet ./...
go test ./...
"""),
    "gofmt": sh("""out=$(gofmt -l .)
if [ -n "$out" ]; then
  echo "$out"
  exit 1
fi
go test ./...
"""),
    "or_exit": sh("""npm ci || exit 1
npm run lint || exit 1
npm test || exit 1
"""),
    "chain": sh("""make &&
make check &&
echo "all ok"
"""),
    "info": sh("""echo "node $(node --version), npm $(npm --version)"
python3 --version | head -1
uname -a | cut -c1-40
ps aux | head -3
make check
"""),
    "sums": bash("""set -e
./gen | sort > actual.txt
diff actual.txt expected.txt
sha256sum -c sums.txt
"""),
    "subshell": sh("""(cd lib && make test) || exit 1
(cd app && make test) || exit 1
"""),
    "errtrap": bash("""trap 'echo "failed at line $LINENO"; exit 1' ERR
make
./a
echo done
"""),
    "timeout": bash("""set -u
timeout 10 ./a < in.txt > out.txt
code=$?
if [ $code -eq 124 ]; then echo "timeout"; exit 1; fi
if [ $code -ne 0 ]; then echo "crash $code"; exit 1; fi
diff out.txt expected.txt
"""),
    "skip": sh("""if ! command -v docker >/dev/null; then
  echo "no docker, skipped"
  exit 0
fi
docker compose run tests
"""),
    "python_probe": bash("""if python3 -c "import numpy" 2>/dev/null; then
  python3 -m pytest tests/
else
  python3 -m pytest tests/ -k "not numpy"
fi
"""),
    "sourced_set_e": (
        {
            "check.sh": "#!/bin/bash\n. ./common.sh\nmake test\necho done\n",
            "common.sh": 'set -euo pipefail\nlog() { echo "$@"; }\n',
        },
        "./check.sh",
    ),
    "shebang_e": ({"check.sh": "#!/bin/bash -e\nmake test\necho done\n"}, "./check.sh"),
    "sh_e": ({"check.sh": "make test\necho done\n"}, "sh -e check.sh"),
    "two_level": (
        {
            "ci.sh": "#!/bin/bash\nset -e\n./scripts/build.sh\n./scripts/test.sh\n",
            "scripts/build.sh": "#!/bin/sh\nset -e\ngcc a.c -o a\necho built\n",
            "scripts/test.sh": "#!/bin/sh\n./a | diff - exp\n",
        },
        "bash ci.sh",
    ),
    "tested": bash("""result=$(./run-tests --json)
echo "$result" | jq -e '.failed == 0'
"""),
    "unread_helpers": bash(""". ./not/here.bash
for t in tests/*
do
  ./run "$t" || fail_and_stop "$t"
done
echo ok
"""),
    "own_test_function": bash("""total=0
good=0
function test {
  want=$1; shift
  ./run "$@"
  got=$?
  let total++
  if [ $got -eq $want ]; then
    let "good = $good + 1"
  fi
}
test 0 a
test 1 b
if [ $total -eq $good ]; then exit 0; else exit 1; fi
"""),
    "let_counts": bash("""let "bad = 0"
for t in `ls test*.sh`; do
  if ./$t; then echo OK; else let "bad = $(($bad + 1))"; fi
done
echo " FAILED: $bad"
if [ $bad -ne 0 ]; then
  exit -1
fi
"""),
    "diff_file": bash("""all() {
  for t in "$@"; do
    out=${t%.*}.out
    seen=${t%.*}.diff
    ./$t > $out 2>&1
    diff $out ${t%.*}.ok > $seen
    if [ -s $seen ]; then
      echo fail
      exit 1
    fi
  done
}
all test_*.sh
"""),
    "diff_in_if": bash("""bad=0
for t in $(find tests -name "*.test"); do
  if res=$(bash $t | diff -B $t.result -); then echo OK; else echo "$res"; bad=1; fi
done
exit $bad
"""),
    "asked_after": sh("""make lint
if [ $? -eq 0 ]
then
  echo ok
else
  exit 1
fi
make test
"""),
    "named_kill": bash("""set -euo pipefail
cd "$(dirname "$0")"
./test_kill.sh
echo "All passed."
"""),
    "mk_bash_c": make(
        'all: lint test\nlint:\n\t@ls\n\t@bash -c "t/lint.sh" || exit 1\ntest:\n\t@bash -c "cd t; ./t.sh" || exit 1\n'
    ),
    "sourced_env": ({"env.sh": "export A=1\nmodule_x foo\n"}, ". ./env.sh; ./t"),
    "mk_env_bash": make("SHELL := /usr/bin/env bash\nall:\n\t./t\n"),
    "mk_own_cc": make("prog: main.o\n\t$(CC) -o $@ $^\n\t$(STRIP) -x prog\n"),
    "mk_if_changed": make("a: b\n\tsed 's/`x`/system/' b > a.new\n\tcmp -s a.new a || mv a.new a\n"),
    "mk_plain": make("""CC = gcc
CFLAGS = -Wall -Werror
all: a
a: a.o b.o
\t$(CC) -o $@ $^
%.o: %.c
\t@echo "  CC $@"
\t$(CC) $(CFLAGS) -c $< -o $@
clean:
\t-rm -f *.o a
"""),
    "mk_test": make(
        """.PHONY: test
test: prog
\t@mkdir -p out
\t-@rm -f out/*
\t./prog < in.txt > out/o.txt
\tdiff out/o.txt expected.txt
\t@echo "PASS"
prog: prog.c
\tgcc -o $@ $<
""",
        "test",
    ),
    "mk_loop": make("""TESTS = t1 t2
check: $(TESTS)
\t@for t in $(TESTS); do ./$$t || exit 1; done
\t@set -e; for t in $(TESTS); do echo $$t; ./$$t; done
\t@fail=0; for t in $(TESTS); do ./$$t || fail=1; done; exit $$fail
t%: t%.c
\tgcc -o $@ $<
"""),
    "mk_loop2": make("""check:
\t@failed=0; \\
\tfor t in tests/*; do \\
\t  if ./run $$t; then echo "ok $$t"; else echo "FAIL $$t"; failed=`expr $$failed + 1`; fi; \\
\tdone; \\
\ttest $$failed -eq 0
"""),
    "mk_sub": make(
        """SUBDIRS = a b
all:
\t@for d in $(SUBDIRS); do $(MAKE) -C $$d || exit $$?; done
clean:
\tfor d in $(SUBDIRS); do $(MAKE) -C $$d clean; done
\t-rm -rf build
distclean: clean
\t-rm config.mk
""",
        "all",
    ),
    "mk_clean_first": make("""all: clean build
clean:
\tfor d in a b; do $(MAKE) -C $$d clean; done
\t-rm -rf build
build:
\tgcc a.c
"""),
    "mk_pipefail": make("""SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
test:
\tgo test ./... | tee test.log
"""),
    "mk_ifexists": make("""test:
\t@if [ -x ./extra ]; then ./extra; else echo "skipping extra"; fi
\t@test -d build || mkdir build
\t@which gcc > /dev/null || (echo "no gcc"; exit 1)
\t@[ -f config ] && . ./config || true
\t./t
"""),
    "mk_kill": make("""test:
\t./server & echo $$! > pid; sleep 1
\t./client
\t-kill `cat pid`
"""),
    "mk_docker": make("""test:
\t-docker rm -f testdb
\tdocker run -d --name testdb postgres
\tgo test ./...
\t-docker rm -f testdb
"""),
    "mk_diffcmd": make("""test:
\t@./prog > got.txt; diff got.txt want.txt && echo OK
\t@if ! ./prog --self-check; then echo "failed"; exit 1; fi
"""),
    "mk_oneshell": make(""".ONESHELL:
SHELL = /bin/bash
.SHELLFLAGS = -ec
test:
\tcd build
\tcmake ..
\tctest
\techo done
"""),
    "mk_grep": make("""lint:
\t! grep -rn "printf(" src
\t@grep -rn TODO src | wc -l
\tcppcheck --error-exitcode=1 src
"""),
    "mk_wildcard": make("""SRC := $(wildcard *.c)
OBJ := $(SRC:.c=.o)
VERSION := $(shell git describe --tags 2>/dev/null || echo dev)
prog: $(OBJ)
\t$(CC) $^ -o $@
-include $(OBJ:.o=.d)
"""),
    "npm": npm(test="npm run build && node --test", build="tsc -p .", pretest="eslint ."),
    "npm2": npm(test="jest --coverage", posttest="nyc report"),
    "npm3": npm(test="mocha && eslint .", pretest="rimraf dist"),
    "npm4": npm(
        test="cross-env NODE_ENV=test vitest run",
    ),
    "npm5": npm(
        "build", build="rm -rf dist && tsc && cp -r static dist/", prebuild="npm run clean", clean="rm -rf dist"
    ),
    "npm6": npm("check", check="run-s lint typecheck test", lint="eslint . --max-warnings 0", typecheck="tsc --noEmit"),
    "npm7": npm(test="node test.js | tap-spec"),
    "npm_ifpresent": ({"package.json": json.dumps({"scripts": {"build": "tsc"}})}, "npm run build --if-present"),
}
MASKED: dict[str, Case] = {
    "counted_and_shown": sh("""bad=0
for f in tests/*.sh
do
  ./$f
  rc=$?
  if [ $rc -eq 0 ]; then echo PASS; else bad=$((bad + 1)); fi
done
echo "$bad failed."
"""),
    "diff_and_shown": bash("""bad=0
for i in *.result; do
  diff $i $i.want > /dev/null
  if [ $? -ne 0 ]; then ((bad += 1)); fi
done
if [ $bad -eq 0 ]; then echo "All pass!"; else echo "$bad failed!"; fi
"""),
    "left_early": bash("""for t in test_*.sh; do
  ./$t > out 2>&1
  if ! cmp -s out ok; then echo fail; break; fi
done
"""),
    "mk_shell": make("SHELL = /bin/true\nall:\n\t./q.sh\n"),
    "mk_shell_given": ({"Makefile": "all:\n\t./q.sh\n"}, "make SHELL=true"),
    "mk_tee": make("tee:\n\t./q.sh | tee log\n"),
    "mk_dash": make("all:\n\t-@./q.sh\n"),
    "mk_dash2": make("all:\n\t-./q.sh\n\techo done\n"),
    "mk_ignore": make(".IGNORE:\nall:\n\t./q.sh\n"),
    "mk_ignore2": make(".IGNORE: all\nall:\n\t./q.sh\n"),
    "mk_flags": make("MAKEFLAGS += -i\nall:\n\t./q.sh\n"),
    "mk_true": make("all:\n\t./q.sh || true\n"),
    "mk_loop": make("all:\n\tfor t in a b; do ./$$t; done\n"),
    "mk_subloop": make("all:\n\tfor d in a b; do $(MAKE) -C $$d; done\n"),
    "mk_semi": make("all:\n\t./q.sh; echo done\n"),
    "mk_cont": make("all:\n\t./q.sh; \\\n\techo done\n"),
    "mk_need": make("all: t\n\techo ok\nt:\n\t./q.sh | cat\n"),
    "mk_deep": ({"Makefile": "all:\n\t$(MAKE) -C sub\n", "sub/Makefile": "all:\n\t./q.sh | cat\n"}, "make"),
    "mk_if": make("all:\n\t@if ./q.sh; then echo ok; else echo bad; fi\n"),
    "mk_script": ({"Makefile": "all:\n\t./ck.sh\n", "ck.sh": "./q.sh\necho done\n"}, "make"),
    "mk_go": make("test:\n\tgo test ./... | tee test.log\n"),
    "mk_pytest": make("test:\n\t-pytest\n\tflake8\n"),
    "sh_tail": sh("./q.sh | tail\n"),
    "sh_echo": sh("./q.sh\necho done\n"),
    "sh_exit": sh("./q.sh\nexit 0\n"),
    "sh_true": sh("./q.sh || true\n"),
    "sh_seq": sh("./test_a.sh\n./test_b.sh\necho\n"),
    "sh_seq2": sh("python -m pytest tests/a\npython -m pytest tests/b\n"),
    "sh_set_e_pipe": bash("set -e\nmake test | tee log\n"),
    "sh_trap": bash('set -e\ntrap "rm -f x; exit 0" EXIT\nmake test\n'),
    "sh_loop": sh("for t in tests/*.sh; do sh $t; done\n"),
    "sh_fn": sh('run() { "$@"; echo "ran $1"; }\nrun ./q.sh\n'),
    "sh_fn2": sh("check() { ./q.sh || return 0; }\ncheck\n"),
    "sh_count": sh('fail=0\n./q.sh || fail=1\necho "fail: $fail"\n'),
    "sh_read": sh("ls tests | while read t; do ./run $t || fail=1; done\nexit $fail\n"),
    "sh_nested": (
        {"ci.sh": "#!/bin/bash\nset -e\n./scripts/test.sh\n", "scripts/test.sh": "#!/bin/sh\n./q.sh | cat\n"},
        "bash ci.sh",
    ),
    "sh_sourced": (
        {"ci.sh": "#!/bin/bash\n. ./lib.sh\nrun_all\n", "lib.sh": "run_all() { ./q.sh; echo ok; }\n"},
        "./ci.sh",
    ),
    "sh_arg": ({"ci.sh": '#!/bin/bash\n"$@" | tee log\n'}, "./ci.sh ./q.sh"),
    "npm_cat": npm(test="./q.sh | cat"),
    "npm_true": npm(test="jest || true"),
    "npm_exit": npm(test="mocha; exit 0"),
    "npm_pre": npm(test="eslint .", pretest="tsc || exit 0"),
    "npm_run": npm(test="npm run unit && echo ok", unit="mocha | tee log"),
    "npm_missing": ({"package.json": json.dumps({"scripts": {}})}, "npm test --if-present"),
    "bash_c": ({"Makefile": "t:\n\t./q.sh | cat\n"}, "bash -c 'make t'"),
    "and": ({"Makefile": "t:\n\t./q.sh | cat\n"}, "cd . && make t && echo ok"),
}


def after(text: str) -> Case:
    """A script whose first check is heard; what comes then is looked at."""
    return bash(f"set -e\npython3 -m py_compile calc.py\n{text}\n")


def recipe(text: str) -> Case:
    return make(f"check:\n\tpython3 -m py_compile calc.py\n\t{text}\n", "check")


def package(text: str) -> Case:
    return npm(test=f"python3 -m py_compile calc.py && {text}")


HIDDEN: dict[str, Case] = {
    "loop_if": after("for t in check*.py; do\n  if python3 $t; then echo PASS; else echo FAIL; fi\ndone"),
    "loop_if_log": after(
        'for t in t*.py; do if python3 "$t" > log 2>&1; then echo ok; else echo "FAIL $t"; cat log; fi; done'
    ),
    "loop_if_not": after('for t in *.py; do if ! python3 "$t"; then echo "FAIL $t"; fi; done'),
    "loop_if_program": after('for t in tests/*.sh; do if "$t"; then echo PASS; else echo FAIL; fi; done'),
    "loop_if_counted": after(
        'for t in a.py b.py; do if python3 $t; then n=$((n + 1)); else bad=$((bad + 1)); fi; done\necho "$n, $bad"'
    ),
    "loop_if_recipe": recipe("@for t in check.py; do if python3 $$t; then echo PASS; else echo BAD; fi; done"),
    "kept_or_says": after('out=$(python3 check.py) || echo "warning: $out"'),
    "kept_or_true": after('out=$(./q.sh 2>&1) || true\necho "$out"'),
    "kept_in_function": after('f() {\n  local r\n  r=$(python3 check.py) || true\n  echo "$r"\n}\nf'),
    "kept_recipe": recipe('@out=`python3 check.py` || echo "warning: $$out"'),
    "local": after('f() { local r=$(python3 check.py); echo "$r"; }\nf'),
    "export": after('export RESULT=$(python3 check.py)\necho "$RESULT"'),
    "declare": after('declare -r r="$(python3 check.py | tail -1)"\necho "$r"'),
    "readonly": after('readonly r=$(./run_tests)\nprintf "%s\\n" "$r"'),
    "cat_of": after("cat <(python3 check.py)"),
    "read_of": after('while read -r line; do echo "> $line"; done < <(python3 check.py)'),
    "mapfile_of": after('mapfile -t lines < <(python3 check.py 2>&1)\nprintf "%s\\n" "${lines[@]}"'),
    "behind_wait": after("python3 check.py & wait"),
    "behind_wait_log": after("nohup python3 check.py > log.txt &\nwait\ncat log.txt"),
    "behind_each": after("for t in tests/test_*.sh; do sh $t & done\nwait"),
    "behind_package": package("(python3 check.py & wait)"),
    "behind_unasked": after("ok=1\npython3 check.py & pid=$!\nwait $pid || ok=0\necho $ok"),
    "asked_or_says": after('[[ $(python3 check.py) == *ok* ]] || echo "not ok"'),
    "case_says": after('case "$(python3 check.py)" in\n *ok*) echo pass;;\n *) echo fail;;\nesac'),
    "shell_in_recipe": make('check: syntax\n\t@echo "$(shell python3 check.py)"\nsyntax:\n\tgcc -c a.c\n', "check"),
}
"""Tests whose failure a form hides, behind a check that is heard."""
OPEN: dict[str, Case] = {
    "loop_if_exit": after("for t in check*.py; do if python3 $t; then echo PASS; else echo FAIL; exit 1; fi; done"),
    "loop_if_counted": after(
        "bad=0\nfor t in *.py; do if python3 $t; then echo PASS; else bad=$((bad + 1)); fi; done\n[ $bad -eq 0 ]"
    ),
    "loop_if_set": after("bad=0\nfor t in *.py; do if python3 $t; then echo PASS; else bad=1; fi; done\nexit $bad"),
    "loop_retry": after("for i in 1 2 3; do if ./ping.sh; then echo up; break; fi; sleep 1; done"),
    "loop_compilers": bash("for c in clang gcc; do\n  if $c -x c p.c; then CC=$c; fi\ndone\n$CC a.c\n./a.out\n"),
    "loop_flags": after('for f in -Wa -Wb; do if gcc $f -c p.c; then echo "has $f"; else echo "no $f"; fi; done\n./t'),
    "loop_compiled": after("for f in tests/*.c; do gcc -o t $f; ./t || exit 1; done"),
    "kept_or_exit": after('out=$(python3 check.py) || { echo "$out"; exit 1; }'),
    "kept_or_status": after('rc=0\nout=$(python3 check.py) || rc=$?\necho "$out"\nexit $rc'),
    "kept_alone": after('out=$(python3 check.py)\necho "$out"'),
    "kept_version": after('version=$(./scripts/version.sh) || true\necho "of $version"'),
    "kept_git": after('version=$(git describe --tags 2>/dev/null || echo dev)\necho "$version"\npython3 check.py'),
    "kept_asked": after('out=$(python3 check.py) || true\n[ "$out" = ok ]'),
    "kept_judged": after('out=$(python3 check.py) || true\necho "$out" | grep -q "^ok"'),
    "kept_written": after('out=$(python3 check.py) || true\necho "$out" > out.txt\ndiff out.txt want.txt'),
    "local_apart": after('f() { local r; r=$(python3 check.py); echo "$r"; }\nf'),
    "local_used": after('f() { local d=$(./where.sh); cd "$d"; make; }\nf'),
    "local_asked": after('f() { local r=$(python3 check.py); [ "$r" = ok ]; }\nf'),
    "export_used": after("export PORT=$(python3 tests/free_port.py)\nexport URL=$(./scripts/url.sh)\npython3 check.py"),
    "diff_of": after("diff <(python3 check.py) want.txt"),
    "cat_of_judged": after("cat <(python3 check.py) | grep -q ok"),
    "read_of": after('while read -r f; do gcc -c "$f"; done < <(./list-tests.sh)'),
    "mapfile_of": after('mapfile -t files < <(python3 scripts/pick.py)\ngcc -c "${files[@]}"'),
    "echo_of": after('echo "$(node --version), $(./scripts/count-tests.sh) tests"\npython3 check.py'),
    "behind_named": after("python3 check.py & pid=$!\nwait $pid"),
    "behind_asked": after("ok=1\npython3 check.py & pid=$!\nwait $pid || ok=0\n[ $ok = 1 ]"),
    "behind_server": after("./test-server &\nsrv=$!\ntrap 'kill $srv' EXIT\npython3 check.py"),
    "behind_server_kept": after("python3 tests/mock_server.py &\npython3 check.py"),
    "asked_or_exit": after('[[ $(python3 check.py) == *ok* ]] || { echo "not ok"; exit 1; }'),
    "case_exit": after('case "$(python3 check.py)" in\n *ok*) echo pass;;\n *) echo fail; exit 1;;\nesac'),
    "shell_in_recipe": recipe("@echo $(shell git describe) && python3 check.py"),
}
"""Lines close to them that hide no test."""


def doubts(root: Path, case: Case) -> tuple[str, ...]:
    files, line = case
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return masked(Check("check", line), root)


@pytest.mark.spec("Q9")
@pytest.mark.parametrize("name", MASKED)
def test_a_mask_behind_the_line_is_doubted_with_its_place(name: str, tmp_path: Path) -> None:
    said = doubts(tmp_path, MASKED[name])
    assert said and all(each.startswith("in ") for each in said), said


@pytest.mark.spec("Q9")
@pytest.mark.parametrize("name", HONEST)
def test_of_what_people_have_in_their_scripts_nothing_is_said(name: str, tmp_path: Path) -> None:
    assert doubts(tmp_path, HONEST[name]) == ()


@pytest.mark.spec("Q9")
@pytest.mark.parametrize("name", HIDDEN)
def test_a_test_behind_one_that_is_heard_is_doubted_where_its_form_hides_it(name: str, tmp_path: Path) -> None:
    said = doubts(tmp_path, HIDDEN[name])
    assert said and all(each.startswith("in ") for each in said), said


@pytest.mark.spec("Q9")
@pytest.mark.parametrize("name", OPEN)
def test_a_form_that_hides_no_test_is_not_doubted(name: str, tmp_path: Path) -> None:
    assert doubts(tmp_path, OPEN[name]) == ()


@pytest.mark.spec("Q9")
def test_what_the_line_reads_in_belongs_to_it(tmp_path: Path) -> None:
    (said,) = doubts(tmp_path, ({"ck.sh": "./q.sh | tail\n"}, ". ./ck.sh"))
    assert said.startswith("its exit code is that of “tail”, whatever “./q.sh” says")


@pytest.mark.spec("Q9")
def test_the_reason_names_the_place_and_what_is_not_heard(tmp_path: Path) -> None:
    (said,) = doubts(tmp_path, make("all: t\n\techo ok\nt:\n\t./q.sh | cat\n"))
    assert said.startswith("in the recipe of t (Makefile), its exit code is that of “cat”, whatever “./q.sh” says")
    (said,) = doubts(tmp_path, make("all:\n\t-@./q.sh\n"))
    assert said == "in the recipe of all (Makefile), make goes on whatever “./q.sh” says"


@pytest.mark.spec("Q9")
@pytest.mark.parametrize(
    "line", ["make || ./other.sh; true", "./check.sh | grep -q PASS", 'test "$(./check.sh)" = PASS']
)
def test_a_place_is_looked_at_only_where_its_exit_code_is_heard(line: str, tmp_path: Path) -> None:
    files = {"Makefile": "all:\n\t./q.sh | cat\n", "check.sh": "#!/bin/sh\n./q.sh | cat\n"}
    assert not any(each.startswith("in ") for each in doubts(tmp_path, (files, line)))


@pytest.mark.spec("Q9")
def test_places_that_lead_to_each_other_are_looked_at_once(tmp_path: Path) -> None:
    files = {
        "a.sh": "#!/bin/sh\n. ./a.sh\n./b.sh\n",
        "b.sh": "#!/bin/sh\nsh a.sh && make\n",
        "Makefile": "all: all\n\tmake\n",
    }
    assert doubts(tmp_path, (files, "./a.sh")) == ()
