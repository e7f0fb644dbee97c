"""Kotlin, Maven, Gradle, ghc, zig, swiftc and .NET beyond the recorded programs (SPEC D2, D3)."""

from __future__ import annotations

import json

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.contracts.diagnostics import Phase, Severity

FILES = {
    "src/k.kt": 'fun main() {\n\tval x: Int = "s"\n}\n',
    "src/main/java/App.java": "class App {\n\tint x = mm;\n}\n",
    "src/test/java/AppTest.java": "class AppTest {\n  void adds() {\n    assertEquals(1, 2);\n  }\n}\n",
    "pom.xml": "<project>\n<a>\n</project>\n",
    "build.gradle": "apply\nfoo()\n",
    "B.hs": "module Main where\nimport Data.Lisst\nmain = do\n\tputStrLn {- é -} (1 :: Int)\n",
    "z.zig": 'const a = 1;\n    const s = "é"; foo();\n',
    "a.swift": 'func f() {\n\tlet é = "😀"; foo()\n}\n',
    "P/Program.cs": 'class A {\n  int x = "s";\n}\n',
}


@pytest.mark.spec("D2")
@pytest.mark.parametrize(
    "line",
    [
        'src/k.kt:2:15: error: type mismatch\n\tval x: Int = "s"\n              ^',
        "file:///w/src/k.kt:2:15: error: [TYPE_MISMATCH] type mismatch",
        "e: file:///w/src/k.kt:2:15 type mismatch",
        "e: /w/src/k.kt: (2, 15): type mismatch",
    ],
)
def test_kotlin_in_all_forms(line: str) -> None:
    (one,) = diagnose(f"{line}\n", FILES)
    assert (spot(one), one.message, one.source) == (("src/k.kt", 1, 14, 1, 17), "type mismatch", "kotlinc")
    (warning,) = diagnose("w: /w/src/k.kt: (2, 6): variable 'x' is never used\n", FILES, exit_code=0)
    assert warning.severity is Severity.WARNING


@pytest.mark.spec("D2")
def test_maven_repeats_itself_and_lists_failed_tests() -> None:
    again = "/w/src/main/java/App.java:[2,17] cannot find symbol\n"
    log = f"""\
[ERROR] COMPILATION ERROR :
[ERROR] {again}  symbol:   variable mm
[INFO] 1 error
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.10.1:compile: Compilation failure
[ERROR] {again}[ERROR]   symbol:   variable mm
[ERROR] Failures:
[ERROR]   AppTest.adds:3 expected: <1> but was: <2>
[FATAL] Non-parseable POM /w/pom.xml: end tag (position: END_TAG seen @3:11)  @ line 3, column 11 -> [Help 1]
"""
    compile_error, test, pom = diagnose(log, FILES)
    assert (spot(compile_error), compile_error.source) == (("src/main/java/App.java", 1, 9, 1, 11), "javac")
    assert (test.file, test.range.start.line, test.phase) == ("src/test/java/AppTest.java", 2, Phase.TEST)
    assert (pom.file, pom.range.start.line, pom.phase) == ("pom.xml", 2, Phase.CONFIGURE)


@pytest.mark.spec("D2")
def test_gradle_tells_about_its_files_and_not_about_its_tasks() -> None:
    log = """\
* Where:
Build file '/w/build.gradle' line: 2

* What went wrong:
A problem occurred evaluating root project 'p'.
> Could not find method foo()

* Try:
Run with --stacktrace
"""
    (one,) = diagnose(log, FILES)
    assert (one.file, one.range.start.line, one.phase) == ("build.gradle", 1, Phase.CONFIGURE)
    assert one.message.endswith("> Could not find method foo()")
    task = "* What went wrong:\nExecution failed for task ':compileJava'.\n> Compilation failed\n"
    assert [found.file for found in diagnose(task, FILES, exit_code=0)] == []


@pytest.mark.spec("D3")
def test_ghc_text_and_json_of_old_and_new() -> None:
    log = """\
B.hs:2:1: error: [GHC-87110]
    Could not find module ‘Data.Lisst’
    Perhaps you meant Data.List
  |
2 | import Data.Lisst
  | ^^^^^^^^^^^^^^^^^

B.hs:4:27-34: warning: [-Wall] Bad
B.hs:(3,1)-(4,8): error: parse error
"""
    first, second, third = diagnose(log, FILES)
    assert (spot(first), first.code) == (("B.hs", 1, 0, 1, 17), "GHC-87110")
    assert first.message.startswith("Could not find module")
    assert (spot(second), second.code) == (("B.hs", 3, 19, 3, 27), "-Wall")
    assert (spot(third), third.phase) == (("B.hs", 2, 0, 3, 1), Phase.PARSE)
    span = {"file": "B.hs", "start": {"line": 4, "column": 27}, "end": {"line": 4, "column": 35}}
    new = {
        "version": "1.0",
        "span": span,
        "severity": "Error",
        "code": 83865,
        "message": ["No match"],
        "hints": ["try"],
    }
    (one,) = diagnose(json.dumps(new) + "\n", FILES)
    assert (spot(one), one.code, one.message) == (("B.hs", 3, 19, 3, 27), "GHC-83865", "No match\ntry")
    assert one.code_href == "https://errors.haskell.org/messages/GHC-83865"


@pytest.mark.spec("D3")
def test_zig_and_swift_count_bytes() -> None:
    zig = """\
z.zig:2:21: error: use of undeclared identifier 'foo'
    const s = "é"; foo();
                    ^~~
z.zig:1:7: note: declared here
const a = 1;
      ^
referenced by:
    f: z.zig:4:13
"""
    (one,) = diagnose(zig, FILES)
    assert (spot(one), one.source) == (("z.zig", 1, 19, 1, 22), "zig")
    assert [(r.range.start.line, r.range.start.character) for r in one.related] == [(0, 6)]
    swift = """\
/w/a.swift:2:19: error: cannot find 'foo' in scope
1 | func f() {
2 |   let é = "😀"; foo()
  |                 `- error: cannot find 'foo' in scope
"""
    (one,) = diagnose(swift, FILES)
    assert (spot(one), one.source) == (("a.swift", 1, 15, 1, 18), "swiftc")


@pytest.mark.spec("D2")
def test_dotnet_is_read_and_told_once() -> None:
    line = "/w/P/Program.cs(2,11): error CS0029: Cannot implicitly convert type 'string' to 'int' [/w/P/P.csproj]\n"
    (one,) = diagnose(f"{line}\nBuild FAILED.\n\n{line}", FILES)
    assert (spot(one), one.code, one.source) == (("P/Program.cs", 1, 10, 1, 13), "CS0029", "csc")
