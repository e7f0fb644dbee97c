"""Node and ESLint beyond the recorded programs (SPEC D2, D3)."""

from __future__ import annotations

import json

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.contracts.diagnostics import Phase, Severity

FILES = {
    "a.mjs": 'import fs from "fs";\nimport { nope } from "./lib.mjs";\nfoo(;\n',
    "lib.mjs": "export const x = 1;\n",
    "c.mjs": 'import x from "./gone.mjs";\n',
    "d.js": 'const x = require("./gone");\n',
    "g.js": 'JSON.parse("{a");\n',
    "h.js": 'throw new Error("multi\\nline");\n',
    "t/sum.test.js": "// 😀\ntest('adds', () => { assert.strictEqual(2, 3); });\ntest('bad', () => {});\n",
}
INTERNALS = "    at finalizeResolution (node:internal/modules/esm/resolve:283:11)\n"


@pytest.mark.spec("D3")
@pytest.mark.parametrize(
    ("log", "where", "phase"),
    [
        (
            "file:///w/a.mjs:3\nfoo(;\n    ^\n\nSyntaxError: Unexpected token ';'\n    at x (node:internal/x:1:2)\n",
            ("a.mjs", 2, 4, 2, 5),
            Phase.PARSE,
        ),
        (
            'file:///w/a.mjs:2\nimport { nope } from "./lib.mjs";\n         ^^^^\n'
            "SyntaxError: The requested module './lib.mjs' does not provide an export named 'nope'\n",
            ("a.mjs", 1, 9, 1, 13),
            Phase.TYPE,
        ),
        (
            "node:internal/modules/esm/resolve:283\n    throw new X(\n          ^\n\nError [ERR_MODULE_NOT_FOUND]: "
            f"Cannot find module '/w/gone.mjs' imported from /w/c.mjs\n{INTERNALS}",
            ("c.mjs", 0, 15, 0, 25),
            Phase.TYPE,
        ),
        (
            "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module './gone'\n"
            f"Require stack:\n- /w/d.js\n{INTERNALS}",
            ("d.js", 0, 19, 0, 25),
            Phase.TYPE,
        ),
        (
            "<anonymous_script>:1\n{a\n ^\n\nSyntaxError: Expected property name\n    at JSON.parse (<anonymous>)\n"
            "    at Object.<anonymous> (/w/g.js:1:6)\n",
            ("g.js", 0, 5, 0, 10),
            Phase.TEST,
        ),
    ],
)
def test_deaths(log: str, where: tuple[str, int, int, int, int], phase: Phase) -> None:
    (one,) = diagnose(log + "\nNode.js v20.20.2\n", FILES)
    assert spot(one) == where
    assert one.phase is phase


@pytest.mark.spec("D3")
def test_message_of_several_lines_and_a_value_that_is_no_error() -> None:
    log = '/w/h.js:1\nthrow new Error("multi\\nline");\n^\n\nError: multi\nline\n    at Object.<anonymous> (/w/h.js:1:7)\n'
    (one,) = diagnose(log, FILES)
    assert (one.message, spot(one)) == ("Error: multi\nline", ("h.js", 0, 6, 0, 9))
    (one,) = diagnose("/w/h.js:1\nthrow 5\n^\n5\n(Use `node --trace-uncaught ...` to show where)\n", FILES)
    assert one.message == "5"


@pytest.mark.spec("D4")
def test_a_place_alone_is_nothing() -> None:
    assert diagnose("/w/h.js:1\n", FILES, exit_code=0) == []


TAP = """\
TAP version 13
# Subtest: nest
    # Subtest: inner
    not ok 1 - inner
      ---
      location: '/w/t/sum.test.js:2:1'
      failureType: 'testCodeFailure'
      error: |-
        Expected values to be strictly equal:

        2 !== 3
      stack: |-
        TestContext.<anonymous> (/w/t/sum.test.js:2:29)
        Test.run (node:internal/test_runner/test:796:25)
      ...
    1..1
not ok 1 - nest
  ---
  location: '/w/t/sum.test.js:2:1'
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
not ok 2 - later # TODO
  ---
  error: 'x'
  ...
"""


@pytest.mark.spec("D3")
def test_tap_tells_each_failed_test_once() -> None:
    (one,) = diagnose(TAP, FILES)
    assert spot(one) == ("t/sum.test.js", 1, 28, 1, 39)
    assert one.message == "inner: Expected values to be strictly equal:\n\n2 !== 3"


@pytest.mark.spec("D3")
def test_test_file_that_dies_is_read_from_the_comments() -> None:
    log = """\
# /w/a.mjs:3
# SyntaxError: Unexpected token ';'
#     at wrapSafe (node:internal/modules/cjs/loader:1464:18)
# Node.js v20.20.2
# Subtest: /w/a.mjs
not ok 1 - /w/a.mjs
  ---
  location: '/w/a.mjs:1:1'
  failureType: 'testCodeFailure'
  error: 'test failed'
  ...
"""
    (one,) = diagnose(log, FILES)
    assert (one.file, one.range.start.line) == ("a.mjs", 2)


@pytest.mark.spec("D3")
def test_summary_for_people() -> None:
    log = """\
✖ failing tests:

test at t/sum.test.js:2:1
✖ adds (1.2ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  2 !== 3

      at TestContext.<anonymous> (/w/t/sum.test.js:2:29)
      at Test.run (node:internal/test_runner/test:796:25) {
    code: 'ERR_ASSERTION',
  }
"""
    (one,) = diagnose(log, FILES)
    assert spot(one) == ("t/sum.test.js", 1, 28, 1, 39)
    assert one.message.startswith("adds: AssertionError")


ESLINT = {"b.js": '\ufeffexport const a = "é😀" == 2;\r\nfoo();\r\nlet b = 1;\r\n', "bad.js": "if (a) {\n"}


@pytest.mark.spec("D3")
def test_eslint_offsets_count_utf16_without_the_mark_and_with_both_line_ends() -> None:
    source = ESLINT["b.js"].removeprefix("\ufeff")
    at = len(source[: source.index("==")].encode("utf-16-le")) // 2
    b = source.index("let b") + 1  # one surrogate more than characters
    messages = [
        {"ruleId": "eqeqeq", "severity": 2, "message": "Use ===.", "line": 1, "column": at + 1, "endLine": 1,
         "endColumn": at + 3, "fix": {"range": [at, at + 2], "text": "==="}},
        {"ruleId": "no-undef", "severity": 1, "message": "'foo' is not defined.", "line": 2, "column": 1,
         "suggestions": [{"desc": "Remove it.", "fix": {"range": [b, b + 10], "text": ""}}]},
        {"ruleId": None, "fatal": True, "severity": 2, "message": "Parsing error: x", "line": 3, "column": 1},
    ]  # fmt: skip
    log = json.dumps([{"filePath": "/w/b.js", "messages": messages, "source": source}])
    first, second, third = diagnose(log + "\n", ESLINT)
    assert spot(first) == ("b.js", 0, at, 0, at + 2)
    (fix,) = first.suggestions
    assert (fix.edits[0].range, fix.edits[0].new_text, fix.safe) == (first.range, "===", True)
    assert first.code_href == "https://eslint.org/docs/latest/rules/eqeqeq"
    assert (second.severity, second.suggestions[0].safe) == (Severity.WARNING, False)
    assert (second.suggestions[0].edits[0].range.start.line, second.suggestions[0].edits[0].range.start.character) == (
        2,
        0,
    )
    assert (third.phase, third.code) == (Phase.PARSE, None)


@pytest.mark.spec("D3")
def test_eslint_rows_of_several_files() -> None:
    log = """
/w/b.js
  1:18  warning  Expected '===' and instead saw '=='   eqeqeq
  2:1   error    'foo' is not defined                  @scope/plugin/no-undef

/w/bad.js
  2:1  error  Parsing error: Unexpected token

✖ 3 problems (2 errors, 1 warning)
"""
    found = diagnose(log, ESLINT)
    assert [(one.file, one.code, one.severity.value) for one in found] == [
        ("b.js", "eqeqeq", "warning"),
        ("b.js", "@scope/plugin/no-undef", "error"),
        ("bad.js", None, "error"),
    ]
