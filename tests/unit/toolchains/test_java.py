"""javac and stack traces beyond the recorded programs (SPEC D2, D3)."""

from __future__ import annotations

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.contracts.diagnostics import Phase

B = "class B {\n\tvoid f(int a) {}\n\tvoid g() { f(2.0); h(); }\n}\n"


@pytest.mark.spec("D3")
def test_details_before_and_after_the_caret() -> None:
    log = """\
src/B.java:3: error: no suitable method found for f(double)
\tvoid g() { f(2.0); h(); }
\t           ^
    method B.f(int) is not applicable
      (argument mismatch; possible lossy conversion)
src/B.java:3: error: cannot find symbol
\tvoid g() { f(2.0); h(); }
\t                   ^
  symbol:   method h()
  location: class B
2 errors
"""
    first, second = diagnose(log, {"src/B.java": B})
    assert spot(first) == ("src/B.java", 2, 12, 2, 13)
    assert first.message.split("\n")[1:] == [
        "    method B.f(int) is not applicable",
        "      (argument mismatch; possible lossy conversion)",
    ]
    assert spot(second) == ("src/B.java", 2, 20, 2, 21)
    assert second.message == "cannot find symbol\n  symbol:   method h()\n  location: class B"


@pytest.mark.spec("D3")
def test_base_name_of_raw_mode_is_no_guess() -> None:
    """Of two files with that name the one that the command names is meant; without one there is no file."""
    line = "B.java:3:20: compiler.err.cant.resolve: kindname.method, f, , \n"
    files = {"a/B.java": B, "b/B.java": B}
    assert diagnose(line, files, hint="make")[0].file is None
    (one,) = diagnose(line, files, hint="javac -XDrawDiagnostics b/B.java")
    assert spot(one) == ("b/B.java", 2, 12, 2, 13)


@pytest.mark.spec("D2")
@pytest.mark.parametrize(
    ("line", "phase"),
    [
        ("error: warnings found and -Werror specified", Phase.TYPE),
        ("error: file not found: C.java", Phase.CONFIGURE),
        ("error: invalid target release: 99", Phase.CONFIGURE),
        ("error: release version 99 not supported", Phase.CONFIGURE),
    ],
)
def test_without_a_file(line: str, phase: Phase) -> None:
    (one,) = diagnose(f"{line}\nUsage: javac <options> <source files>\n1 error\n", {})
    assert (one.file, one.message, one.phase, one.source) == (None, line.removeprefix("error: "), phase, "javac")


@pytest.mark.spec("Q3")
@pytest.mark.parametrize(
    ("message", "phase"),
    [
        ("';' expected", Phase.PARSE),
        ("reached end of file while parsing", Phase.PARSE),
        ("illegal start of expression", Phase.PARSE),
        ("class, interface, enum, or record expected", Phase.PARSE),
        ("cannot find symbol", Phase.TYPE),
        ("incompatible types: String cannot be converted to int", Phase.TYPE),
        ("package nope does not exist", Phase.TYPE),
    ],
)
def test_phases(message: str, phase: Phase) -> None:
    assert diagnose(f"B.java:3: error: {message}\n", {"B.java": B})[0].phase is phase


@pytest.mark.spec("D2")
def test_stack_trace_is_at_the_innermost_frame_of_ours() -> None:
    log = """\
Exception in thread "main" java.lang.IllegalStateException: boom
\tat demo.Run.main(Run.java:3)
Caused by: java.lang.NullPointerException: x is null
\tat java.base/java.util.Objects.requireNonNull(Objects.java:233)
\tat demo.Run.q(Run.java:2)
\tat demo.Run.main(Run.java:3)
\t... 1 more
"""
    (one,) = diagnose(log, {"src/demo/Run.java": B})
    assert (one.file, one.range.start.line, one.phase) == ("src/demo/Run.java", 1, Phase.TEST)
    assert one.message == "java.lang.NullPointerException: x is null"
    assert [r.range.start.line for r in one.related] == [2]
