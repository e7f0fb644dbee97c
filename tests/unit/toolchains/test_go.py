"""go build, vet and test beyond the recorded programs (SPEC D2, D3)."""

from __future__ import annotations

import json

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.contracts.diagnostics import Phase

FILES = {
    "go.mod": "module demo\n\ngo 1.19\nfoo bar\n",
    "main.go": 'package main\n\nimport "os"\n\nfunc main() {\n\tvar i sub.I = sub.T{}\n\tprintln(sub.F(7), i)\n}\n',
    "sub/a.go": "package sub\n\nfunc F(n int) int {\n\tx := []int{1}\n\treturn x[n]\n}\n",
    "sub/a_test.go": 'package sub\n\nfunc TestBad(t *testing.T) {\n\tt.Log("some log")\n\tt.Errorf("first")\n\tF(5)\n}\n',
    "other/a_test.go": "package other\n",
}


@pytest.mark.spec("D3")
def test_lines_that_begin_with_a_tab_belong_to_the_message() -> None:
    log = """\
# demo
./main.go:6:16: cannot use sub.T{} (value of type sub.T) as type sub.I in variable declaration:
\tsub.T does not implement sub.I (wrong type for M method)
\t\thave M(s string) string
./main.go:7:2: too many errors
"""
    first, second = diagnose(log, FILES)
    assert spot(first) == ("main.go", 5, 15, 5, 18)
    assert first.message.endswith("\t\thave M(s string) string")
    assert second.message == "too many errors"


@pytest.mark.spec("D2")
@pytest.mark.parametrize(
    ("line", "where", "phase"),
    [
        ("vet: sub/a.go:5:9: expected '}', found 'EOF'", ("sub/a.go", 4, 8, 4, 9), Phase.PARSE),
        ("sub/a.go:5:1: syntax error: unexpected EOF, expecting }", ("sub/a.go", 4, 0, 4, 1), Phase.PARSE),
        ("main.go:3:8: no required module provides package x; to add it:", ("main.go", 2, 7, 2, 11), Phase.CONFIGURE),
        ("/w/go.mod:4: unknown directive: foo", ("go.mod", 3, 0, 3, 7), Phase.CONFIGURE),
        ("sub/a.go:4:7: x declared and not used (SA4006)", ("sub/a.go", 3, 6, 3, 7), Phase.TYPE),
    ],
)
def test_headers(line: str, where: tuple[str, int, int, int, int], phase: Phase) -> None:
    (one,) = diagnose(line + "\n", FILES)
    assert one.phase is phase
    assert spot(one)[:3] == where[:3]


@pytest.mark.spec("D2")
def test_what_go_says_about_itself_counts_only_if_it_failed() -> None:
    log = "go: downloading x v1.0.0\ngo: cannot find main module, but found .git/config in /w\n"
    assert [one.message for one in diagnose(log, FILES)] == ["cannot find main module, but found .git/config in /w"]
    assert diagnose("go: something odd\n", FILES, exit_code=0) == []


@pytest.mark.spec("D2")
def test_import_cycle_is_one_diagnostic_with_its_chain() -> None:
    log = "package demo\n\timports demo/sub\n\timports demo/sub: import cycle not allowed\n"
    (one,) = diagnose(log, FILES)
    assert one.message.split("\n")[0] == "package demo"
    assert one.phase is Phase.CONFIGURE


@pytest.mark.spec("D2")
def test_vet_json() -> None:
    finding = {"posn": "/w/sub/a.go:5:9", "message": "possible nil"}
    log = "# demo/sub\n" + json.dumps({"demo/sub": {"printf": [finding]}}, indent="\t") + "\n"
    (one,) = diagnose(log, FILES)
    assert spot(one) == ("sub/a.go", 4, 8, 4, 9)
    assert one.source == "go vet"


@pytest.mark.spec("D3")
def test_base_names_belong_to_the_package_that_follows() -> None:
    log = """\
ok  \tdemo/other\t0.1s
--- FAIL: TestBad (0.00s)
    a_test.go:4: some log
    --- FAIL: TestBad/case_one (0.00s)
        a_test.go:5: first
            second
FAIL
FAIL\tdemo/sub\t0.002s
FAIL
"""
    log_line, failure = diagnose(log, FILES)
    assert spot(failure) == ("sub/a_test.go", 4, 1, 4, 18)
    assert failure.message == "TestBad/case_one: first\nsecond"
    assert log_line.message == "TestBad: some log", "a log line is told only where nothing else is"


@pytest.mark.spec("D2")
def test_passing_tests_say_nothing_in_verbose_mode() -> None:
    log = """\
=== RUN   TestOk
    a_test.go:4: fine
--- PASS: TestOk (0.00s)
=== RUN   TestBad
    a_test.go:5: first
--- FAIL: TestBad (0.00s)
FAIL
FAIL\tdemo/sub\t0.002s
"""
    assert [one.message for one in diagnose(log, FILES)] == ["TestBad: first"]


PANIC = """\
panic: runtime error: index out of range [5] with length 1 [recovered]
\tpanic: runtime error: index out of range [5] with length 1

goroutine 7 [running]:
testing.tRunner.func1.2({0x518a00, 0xc00001a0c0})
\t/usr/lib/go-1.19/src/testing/testing.go:1396 +0x24e
panic({0x518a00, 0xc00001a0c0})
\t/usr/lib/go-1.19/src/runtime/panic.go:884 +0x212
demo/sub.F(0x5)
\t/w/sub/a.go:5 +0x8c
demo/sub.TestBad(0x0?)
\t/w/sub/a_test.go:6 +0x1e
created by testing.(*T).Run
\t/usr/lib/go-1.19/src/testing/testing.go:1493 +0x35f
"""


@pytest.mark.spec("D3")
def test_panic_stands_at_the_innermost_frame_of_ours() -> None:
    (one,) = diagnose(f"--- FAIL: TestBad (0.00s)\n{PANIC}FAIL\tdemo/sub\t0.004s\nFAIL\n", FILES)
    assert spot(one)[:2] == ("sub/a.go", 4)
    assert one.message == "runtime error: index out of range [5] with length 1"
    assert [(r.file, r.range.start.line) for r in one.related] == [("sub/a_test.go", 5)]


@pytest.mark.spec("D2")
def test_json_wraps_the_same_text() -> None:
    def event(action: str, text: str | None = None, test: str | None = "TestBad") -> str:
        fields = {"Action": action, "Package": "demo/sub", "Test": test, "Output": text}
        return json.dumps({name: value for name, value in fields.items() if value is not None})

    lines = ["=== RUN   TestBad", "    a_test.go:5: first", "--- FAIL: TestBad (0.00s)", *PANIC.splitlines()]
    log = "\n".join([*(event("output", f"{line}\n") for line in lines), event("fail"), event("fail", test=None)])
    found = diagnose(log + "\n", FILES)
    assert [spot(one)[:2] for one in found] == [("sub/a.go", 4)]
    built = '{"ImportPath":"demo","Action":"build-output","Output":"./main.go:3:8: undefined: os\\n"}\n'
    assert [spot(one)[:2] for one in diagnose(built, FILES)] == [("main.go", 2)]
