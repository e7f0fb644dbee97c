"""Positions of the installed compilers on lines full of tabs, emoji, combining marks and wide characters (SPEC D3).

Each line has a comment of random characters before the token that is wrong; whatever unit the tool counts in, the range
must be that token.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.programs import read, run
from tests.support.tools import need

from compile_loop.edits.text import utf16_length

pytestmark = pytest.mark.spec("D3")

COUNT = 150
AWKWARD = [
    "\t",
    "😀",
    "é",
    "e\u0301",
    "日",
    "ｱ",
    "한",
    "👨\u200d👩\u200d👧",
    "🇩🇪",
    "\u00ad",
    "ß",
    "𝒳",
    "\u200b",
    " ",
    "x",
    "ﷺ",
    "\ufe0f",
]


def comments(seed: int) -> list[str]:
    """Random texts without line ends, controls, backslashes, or characters younger than the compilers."""
    chooser = random.Random(seed)
    pool = [
        chr(code)
        for code in chooser.sample(range(0xA1, 0x1F700), 4000)
        if unicodedata.category(chr(code)) not in {"Cc", "Cs", "Cn", "Co", "Zl", "Zp", "Cf"}
        and unicodedata.ucd_3_2_0.category(chr(code)) != "Cn"
    ]
    return ["".join(chooser.choices(AWKWARD * 20 + pool, k=chooser.randrange(12))) for _ in range(COUNT)]


def lost(root: Path, lines: list[str], name: str, command: str) -> list[str]:
    """The lines of which no error's range is exactly the token `nopeN`, after running the command there."""
    (root / name).write_bytes("\n".join(lines).encode() + b"\n")
    exit_code, output = run(command, root)
    assert exit_code != 0, output
    found = {(one.range.start, one.range.end) for one in read(output, root, command, exit_code) if one.file == name}
    missing = []
    for number, line in enumerate(lines):
        if "nope" not in line:
            continue
        start = utf16_length(line[: line.index("nope")])
        end = start + len(line[line.index("nope") :].partition(";")[0])
        places = [(a.line, a.character, b.character) for a, b in found if a.line == number]
        if (number, start, end) not in places:
            missing.append(f"{line!r}: {start} to {end}, not {places}")
    return missing


def c_like(declaration: str) -> Callable[[int], list[str]]:
    return lambda seed: [f"/* {text} */ {declaration.format(n=n)}" for n, text in enumerate(comments(seed))]


C = c_like("int q{n} = nope{n};")
RUST = c_like("const Q{n}: i32 = nope{n};")
TYPESCRIPT = c_like("const q{n}: number = nope{n};")


GO = c_like("var q{n} int = nope{n};")
KOTLIN = c_like("val q{n}: Int = nope{n};")
ECMASCRIPT = c_like("export const q{n} = nope{n};")


def python(seed: int) -> list[str]:
    return [f'q{n} = "{text}", nope{n};' for n, text in enumerate(comments(seed))]


def haskell(seed: int) -> list[str]:
    return ["module Main where", *(f"q{n} = {{- {text} -}} nope{n}" for n, text in enumerate(comments(seed)))]


def java(seed: int) -> list[str]:
    return ["class A {", *c_like("int q{n} = nope{n};")(seed), "}"]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("program", "name", "lines", "command"),
    [
        ("gcc", "a.c", C, "gcc -fsyntax-only a.c"),
        ("gcc", "a.c", C, "gcc -fsyntax-only -fdiagnostics-format=json a.c"),
        ("gcc", "a.c", C, "gcc -fsyntax-only -fdiagnostics-column-unit=byte a.c"),
        ("g++", "a.cpp", C, "g++ -fsyntax-only -fdiagnostics-parseable-fixits a.cpp"),
        ("clang", "a.c", C, "clang -fsyntax-only -ferror-limit=0 a.c"),
        ("clang", "a.c", C, "clang -fsyntax-only -ferror-limit=0 -fdiagnostics-format=msvc a.c"),
        ("rustc", "a.rs", RUST, "rustc --edition 2021 --crate-type lib --emit=metadata -o /dev/null a.rs"),
        (
            "rustc",
            "a.rs",
            RUST,
            "rustc --edition 2021 --crate-type lib --emit=metadata -o /dev/null --error-format=json a.rs",
        ),
        ("tsc", "a.ts", TYPESCRIPT, "tsc --noEmit --pretty false --types '' a.ts"),
        ("tsc", "a.ts", TYPESCRIPT, "tsc --noEmit --pretty true a.ts"),
        ("javac", "A.java", java, "javac -encoding UTF-8 -Xmaxerrs 0 -d out A.java"),
        ("javac", "A.java", java, "javac -encoding UTF-8 -Xmaxerrs 0 -XDrawDiagnostics -d out A.java"),
        ("go", "a.go", lambda seed: ["package a", *GO(seed)], "go vet a.go; go build -gcflags=-e -o /dev/null a.go"),
        ("ruff", "a.py", python, "ruff check --isolated --select F --output-format concise a.py"),
        ("ruff", "a.py", python, "ruff check --isolated --select F --output-format json a.py"),
        ("ruff", "a.py", python, "ruff check --isolated --select F --output-format full a.py"),
        ("mypy", "a.py", python, "mypy --show-column-numbers --show-error-end a.py"),
        ("mypy", "a.py", python, "mypy --no-native-parser --output json a.py"),
        ("pyright", "a.py", python, "pyright --outputjson a.py"),
        ("pyright", "a.py", python, "pyright a.py"),
        ("eslint", "a.mjs", ECMASCRIPT, "eslint --no-config-lookup --rule no-undef:2 a.mjs"),
        ("eslint", "a.mjs", ECMASCRIPT, "eslint --no-config-lookup --rule no-undef:2 -f json a.mjs"),
        pytest.param("ghc", "A.hs", haskell, "ghc -fno-code A.hs", marks=pytest.mark.heavy),
        pytest.param("ghc", "A.hs", haskell, "ghc -v0 -ddump-json -fno-code A.hs", marks=pytest.mark.heavy),
        pytest.param("kotlinc", "a.kt", KOTLIN, "kotlinc a.kt -d out", marks=pytest.mark.heavy),
    ],
)
def test_token_is_found(
    program: str, name: str, lines: Callable[[int], list[str]], command: str, seed: int, tmp_path: Path
) -> None:
    need(program)
    assert lost(tmp_path, lines(seed), name, command) == []
