"""tsc beyond the recorded programs (SPEC D2, D3)."""

from __future__ import annotations

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.contracts.diagnostics import Phase

FILES = {"src/a.ts": 'const é = "😀"; let abc: number = é;\nlet b = 1;\n', "tsconfig.json": "{}\n"}


@pytest.mark.spec("D3")
def test_continuation_belongs_to_the_message_and_the_next_header_does_not() -> None:
    log = """\
src/a.ts(1,21): error TS2322: Type 'A' is not assignable to type 'B'.
  The types of 'x' are incompatible.
    Type 'string' is not assignable to type 'number'.
src/a.ts(2,5): error TS6133: 'b' is declared but its value is never read.
"""
    first, second = diagnose(log, FILES)
    assert spot(first) == ("src/a.ts", 0, 20, 0, 23)
    assert first.message.count("\n") == 2
    assert first.message.endswith("type 'number'.")
    assert spot(second) == ("src/a.ts", 1, 4, 1, 5)


@pytest.mark.spec("D3")
def test_pretty_related_places_of_old_and_new_compilers() -> None:
    old = "  src/a.ts:2:5\n    2 let b = 1;\n          ~\n    'b' was also declared here.\n"
    new = "  src/a.ts:2:5 - 'b' was also declared here.\n    2 let b = 1;\n          ~\n"
    for related in (old, new):
        snippet = '1 const é = "😀"; let abc: number = é;\n                      ~~~~~~~~~~~\n'
        log = f"src/a.ts:1:21 - error TS2322: bad\n\n{snippet}\n{related}\n\nFound 1 error.\n"
        (one,) = diagnose(log, FILES)
        assert spot(one) == ("src/a.ts", 0, 20, 0, 31)
        assert [(r.file, r.range.start.line, r.message) for r in one.related] == [
            ("src/a.ts", 1, "'b' was also declared here.")
        ]


@pytest.mark.spec("D2")
@pytest.mark.parametrize(
    ("line", "file", "code"),
    [
        ("error TS18003: No inputs were found in config file '/w/tsconfig.json'.", "tsconfig.json", "TS18003"),
        ("error TS5058: The specified path does not exist: 'nope'.", None, "TS5058"),
        ("error TS6053: File 'x.ts' not found.", None, "TS6053"),
        ("tsconfig.json(1,1): error TS5023: Unknown compiler option 'x'.", "tsconfig.json", "TS5023"),
    ],
)
def test_configuration(line: str, file: str | None, code: str) -> None:
    (one,) = diagnose(line + "\n", FILES)
    assert (one.file, one.code, one.phase) == (file, code, Phase.CONFIGURE)


@pytest.mark.spec("Q3")
@pytest.mark.parametrize(
    ("code", "phase"),
    [
        ("TS1005", Phase.PARSE),
        ("TS1109", Phase.PARSE),
        ("TS1308", Phase.TYPE),
        ("TS2304", Phase.TYPE),
        ("TS6133", Phase.TYPE),
        ("TS18048", Phase.TYPE),
    ],
)
def test_phases(code: str, phase: Phase) -> None:
    assert diagnose(f"src/a.ts(1,1): error {code}: x\n", FILES)[0].phase is phase


@pytest.mark.spec("D3")
@pytest.mark.parametrize("prefix", ["@x/core: ", "web:build: ", "packages/core | "])
def test_prefix_of_a_monorepo_runner(prefix: str) -> None:
    files = {"packages/core/src/index.ts": "let a = 1;\n", "apps/web/src/index.ts": "let a = 1;\n"}
    (one,) = diagnose(f"{prefix}src/index.ts(1,5): error TS2322: no\n", files)
    assert one.file == ("apps/web/src/index.ts" if prefix.startswith("web") else "packages/core/src/index.ts")
