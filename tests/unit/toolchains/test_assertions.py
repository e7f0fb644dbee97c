"""Failed assertions of frameworks that print the place of a test: they are failures of a run, not of a compiler (SPEC D2, Q3).

The outputs are what the frameworks print, cut to what matters.
"""

from __future__ import annotations

import pytest
from tests.support.sources import diagnose

from compile_loop.contracts.diagnostics import Phase

SOURCE = "".join(f"line {n}\n" for n in range(1, 13))

GOOGLETEST = """\
[ RUN      ] Twice.Two
t.cpp:4: Failure
Expected equality of these values:
  twice(2)
    Which is: 5
  4
t.cpp:5: Failure
Value of: twice(2) == 4
  Actual: false
Expected: true
[  FAILED  ] Twice.Two (1 ms)
[==========] 1 test from 1 test suite ran. (1 ms total)
 1 FAILED TEST
"""
CATCH2 = """\
-------------------------------------------------------------------------------
twice
-------------------------------------------------------------------------------
t.cpp:4
...............................................................................

t.cpp:5: FAILED:
  CHECK( twice(2) == 4 )
with expansion:
  5 == 4

===============================================================================
test cases: 1 | 1 failed
"""
DOCTEST = """\
t.cpp:4:
TEST CASE:  twice

t.cpp:5: ERROR: CHECK( twice(2) == 4 ) is NOT correct!
  values: CHECK( 5 == 4 )

t.cpp:6: FATAL ERROR: REQUIRE( twice(2) == 4 ) is NOT correct!
  values: REQUIRE( 5 == 4 )

===============================================================================
[doctest] test cases: 2 | 0 passed | 2 failed | 0 skipped
"""
CPPUTEST = """\
t.cpp:5: error: Failure in TEST(G, Twice)
\texpected <4 (0x4)>
\tbut was  <5 (0x5)>

.
Errors (1 failures, 1 tests, 1 ran, 1 checks, 0 ignored, 0 filtered out, 0 ms)
"""
BOOST = """\
Running 2 test cases...
t.cpp(5): \x1b[1;31;49merror: in "c": check twice(2) == 4 has failed [5 != 4]\x1b[0;39;49m
t.cpp(7): \x1b[4;31;49mfatal error: in "c": critical check twice(2) == 4 has failed\x1b[0;39;49m
unknown location(0): \x1b[4;31;49mfatal error: in "d": unknown type\x1b[0;39;49m
t.cpp(9): \x1b[1;36;49mlast checkpoint: "d" test entry\x1b[0;39;49m

*** 3 failures are detected in the test module "m"
"""
CHECK = """\
Running suite(s): Core
0%: Checks: 2, Failures: 1, Errors: 1
t.c:3:F:tc:two:0: Assertion 'twice(2) == 4' failed: twice(2) == 5, 4 == 4
t.c:4:E:tc:segv:0: (after this point) Received signal 11 (Segmentation fault)
"""
CMOCKA = """\
[ RUN      ] two
[  ERROR   ] --- 0x5 != 0x4
[   LINE   ] --- t.c:7: error: Failure!
[  FAILED  ] two
"""
OUTPUTS = {
    "GoogleTest": (
        GOOGLETEST,
        [(4, "Expected equality of these values:\n  twice(2)\n    Which is: 5\n  4"), (5, "  Actual: false")],
    ),
    "Catch2": (CATCH2, [(5, "with expansion:\n  5 == 4")]),
    "Catch2, compact": ("t.cpp:5: failed: twice(2) == 4 for: 5 == 4\n", [(5, "5 == 4")]),
    "doctest": (DOCTEST, [(5, "values: CHECK( 5 == 4 )"), (6, "REQUIRE( twice(2) == 4 ) is NOT correct!")]),
    "CppUTest": (CPPUTEST, [(5, "Failure in TEST(G, Twice)\n\texpected <4 (0x4)>\n\tbut was  <5 (0x5)>")]),
    "Boost.Test": (BOOST, [(5, "check twice(2) == 4 has failed"), (7, "critical check"), (9, 'in "d": unknown type')]),
    "Check": (CHECK, [(3, "Assertion 'twice(2) == 4' failed"), (4, "Received signal 11")]),
    "cmocka": (CMOCKA, [(7, "0x5 != 0x4")]),
    "CxxTest": ("t.h:3: Error: Expected (twice(2) == 4), found (5 != 4)\n", [(3, "found (5 != 4)")]),
    "Unity": ("t.c:9:test_twice:FAIL: Expected 4 Was 5\nt.c:10:test_ok:PASS\n", [(9, "test_twice:FAIL: Expected 4 Was 5")]),
    "Criterion": ("[----] t.c:5: Assertion Failed\n[----]   twice is wrong\n", [(5, "Assertion Failed")]),
    "CUnit": ("    1. t.c:5  - CU_ASSERT_EQUAL(twice(2),4)\n", [(5, "CU_ASSERT_EQUAL(twice(2),4)")]),
    "XCTest": ('t.swift:5: error: Lib.testTwice : XCTAssertEqual failed: ("5") is not equal to ("4")\n', [(5, "XCTAssertEqual")]),
    "assert of glibc": ("prog: t.c:4: main: Assertion `two == 4' failed.\nAborted\n", [(4, "Assertion `two == 4' failed")]),
    "assert in C++": ("./a.out: t.cpp:4: int main(): Assertion `n == 4' failed.\n", [(4, "int main(): Assertion `n == 4'")]),
    "assert of macOS": ("Assertion failed: (n == 4), function main, file t.c, line 4.\n", [(4, "(n == 4)")]),
    "assert of musl": ("Assertion failed: n == 4 (t.c: main: 4)\n", [(4, "n == 4")]),
    "made by hand": ("t.c:5: error: expected 4, got 5\nt.c:6: error: test_two failed\n", [(5, "expected 4, got 5"), (6, "failed")]),
    "made by hand, in words of its own": ("test_t.c:5: error: bad value 5\n", [(5, "bad value 5")]),
    "in a shell": ("t.sh:3: error: wrong output\nFAIL: t.sh:4: no file\n", [(3, "wrong output"), (4, "no file")]),
    "said first": ("FAIL t.c:5: twice(2) is 5\nnot ok 2 - t.c:6: assertion failed: x\n", [(5, "is 5"), (6, "assertion failed: x")]),
}  # fmt: skip


@pytest.mark.spec("D2", "Q3")
@pytest.mark.parametrize("framework", OUTPUTS)
def test_a_failed_assertion_is_a_failure_of_a_test(framework: str) -> None:
    output, expected = OUTPUTS[framework]
    found = diagnose(output, dict.fromkeys(("t.c", "t.cpp", "t.h", "t.swift", "t.sh", "test_t.c"), SOURCE))
    assert [one.range.start.line + 1 for one in found] == [line for line, _ in expected]
    for one, (_, said) in zip(found, expected, strict=True):
        assert one.is_error and one.phase is Phase.TEST and one.file is not None
        assert said in one.message and "[doctest]" not in one.message and "test cases" not in one.message


@pytest.mark.spec("D2", "Q3")
@pytest.mark.parametrize(
    "line",
    [
        "t.c:5:9: error: ‘x’ undeclared (first use in this function)",
        "t.c:5:9: error: static assertion failed: \"size\"",
        "t.c:5:9: error: expected ‘;’ before ‘}’ token",
        "t.c:5: error: ';' expected (got \"}\")",  # tcc
        "t.c:5: error: 'x' undeclared",
        "test_t.c:5: error: unterminated #if",
        "test_t.c:5: error: expected ';' before '}' token",
        "t.c:5: error: unterminated #if",
        "t.c(5): error C2065: 'x': undeclared identifier",
    ],
)  # fmt: skip
def test_what_a_compiler_says_of_a_test_is_no_failed_test(line: str) -> None:
    (one,) = diagnose(f"{line}\n", {"t.c": SOURCE, "test_t.c": SOURCE})
    assert one.phase in (Phase.PARSE, Phase.TYPE)
