"""What toolchains offer, inside whole runs (SPEC D5)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loop.running import block, fix, workspace
from tests.support.programs import CACHE
from tests.support.tools import ROOT, need, search_path

from compile_loop.contracts.events import CheckFinished, Pass, RoundStarted, SuggestionApplied, SuggestionDropped
from compile_loop.contracts.outcome import Ending

MAKEFILE = "all:\n\tcc -Wall -c a.c -o a.o\n"
BROKEN = "struct point { int width; };\nint area(struct point p) { return p.widht * 2; }\n"


@pytest.mark.spec("D5")
async def test_compiler_offers_its_fix_inside_a_users_own_build(tmp_path: Path) -> None:
    """The Makefile asks for no fix-its; the check's environment makes the compiler print them."""
    need("gcc")
    workspace(tmp_path, a_c=BROKEN)
    (tmp_path / "Makefile").write_text(MAKEFILE)
    told = await fix(tmp_path, targets=["a.c"], checks=("make",))
    outcome = told.outcome
    assert outcome.ending is Ending.GREEN, outcome.failure
    assert outcome.tally.spending.calls == 0
    assert outcome.edit.files[0].after == BROKEN.replace("widht", "width").encode()
    assert len(told.of(SuggestionApplied)) == 1


@pytest.mark.spec("K3")
async def test_users_own_variable_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GCC_EXTRA_DIAGNOSTIC_OUTPUT", "theirs")
    workspace(tmp_path, a_c="int x;\n")
    check = 'test "$GCC_EXTRA_DIAGNOSTIC_OUTPUT" = theirs && test -n "$CCC_OVERRIDE_OPTIONS"'
    told = await fix(tmp_path, targets=["a.c"], checks=(check,))
    assert told.outcome.ending is Ending.NOTHING_TO_FIX


LINTER = """\
import json, sys
text = open("a.js").read()
WORDS = %s
found = [(word, new) for word, new in WORDS.items() if word in text]
messages = [
    {"ruleId": f"no-{word}", "severity": 2, "message": f"Unexpected {word}.", "line": 1, "column": 1,
     "endLine": 1, "endColumn": 1 + len(word), "fix": {"range": [text.index(word), text.index(word) + len(word)], "text": new}}
    for word, new in found
]
print(json.dumps([{"filePath": "a.js", "messages": messages}]))
sys.exit(bool(messages))
"""


def linted(root: Path, words: dict[str, str]) -> None:
    """A linter of a few words, that speaks as ESLint does and fixes each word by another."""
    workspace(root, a_js="one = 1;\n")
    (root / "lint.py").write_text(LINTER % words)


@pytest.mark.spec("D5")
async def test_fixer_may_take_a_few_passes(tmp_path: Path) -> None:
    """What a fix brings up and the same tool can fix is gone on with: `var` to `let` to `const`."""
    linted(tmp_path, {"one": "two", "two": "three"})
    told = await fix(tmp_path, targets=["a.js"], checks=("python3 lint.py",))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.edit.files[0].after == b"three = 1;\n"
    assert [event.message for event in told.of(SuggestionApplied)] == ["Unexpected one.", "Unexpected two."]


@pytest.mark.spec("D5")
@pytest.mark.parametrize("words", [{"one": "two", "two": "one"}, {"one": "oneone"}], ids=["in a circle", "ever more"])
async def test_fixer_that_never_ends_is_given_up(words: dict[str, str], tmp_path: Path) -> None:
    linted(tmp_path, words)
    told = await fix(tmp_path, targets=["a.js"], checks=("python3 lint.py",), settings={"max_rounds": 1})
    passes = [event for event in told.of(CheckFinished) if event.in_pass is Pass.SUGGESTION]
    assert len(passes) <= 3
    assert told.of(SuggestionApplied) == []
    assert told.outcome.edit.files == (), "what was tried is taken back"


@pytest.mark.spec("D5")
async def test_fix_that_brings_an_error_is_taken_back(tmp_path: Path) -> None:
    linted(tmp_path, {"one": "two"})
    check = "python3 lint.py && { ! grep two a.js || { echo 'a.js:1:1: error: two is wrong'; exit 1; }; }"
    told = await fix(tmp_path, targets=["a.js"], checks=(check,), settings={"max_rounds": 1})
    assert told.of(SuggestionApplied) == []
    assert [event.reason for event in told.of(SuggestionDropped)] == ["it brought a new error"]


@pytest.mark.spec("D5")
@pytest.mark.parametrize(
    ("tool", "check", "files", "after"),
    [
        ("ruff", "ruff check --select F --output-format concise .", {"a.py": "import os\nx = 1\n"}, "x = 1\n"),
        (
            "eslint",
            "eslint .",
            {"a.mjs": "var n = 1\nn;\n", "eslint.config.mjs": 'export default [{ rules: { semi: "error" } }];\n'},
            "var n = 1;\nn;\n",
        ),
        (
            "cargo",
            "cargo check --offline",
            {
                "src/lib.rs": "pub fn f() -> i32 {\n    let n = 1\n    n\n}\n",
                "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
            },
            "pub fn f() -> i32 {\n    let n = 1;\n    n\n}\n",
        ),
        (
            "tsserver",
            "tsc --noEmit -p . --pretty true",
            {
                "a.ts": "function f(): Promise<void> {\n  await Promise.resolve();\n}\nf();\n",
                "tsconfig.json": '{"compilerOptions": {"strict": true, "target": "es2022", "types": []}}\n',
            },
            "async function f(): Promise<void> {\n  await Promise.resolve();\n}\nf();\n",
        ),
    ],
)
async def test_tool_that_printed_text_is_asked_for_its_fixes(
    tool: str, check: str, files: dict[str, str], after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's own command prints for people; the tool, or its language service, knows more."""
    need(tool)
    monkeypatch.setenv("PATH", search_path())
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "node_modules").symlink_to(CACHE / "node_modules")
    target = next(iter(files))
    told = await fix(tmp_path, targets=[target], checks=(check,))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.spending.calls == 0
    assert told.outcome.edit.files[0].after == after.encode()


@pytest.mark.spec("D5")
async def test_language_server_is_asked_where_there_is_no_service_to_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The TypeScript that this project has is a native program: a language server, asked over the protocol."""
    need("tsc")
    monkeypatch.setenv("PATH", search_path())
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    (tmp_path / "tsconfig.json").write_text('{"compilerOptions": {"strict": true, "types": []}}\n')
    (tmp_path / "math.ts").write_text("export const square = (n: number) => n * n;\n")
    (tmp_path / "é 😀.ts").write_text("/* 😀 */ export const nine: number = square(3);\n")
    told = await fix(tmp_path, targets=["é 😀.ts"], checks=("node_modules/.bin/tsc --noEmit -p . --pretty false",))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    after = told.outcome.edit.files[0].after
    assert after is not None
    assert after.decode() == 'import { square } from "./math";\n\n/* 😀 */ export const nine: number = square(3);\n'


GUESSED = "pub fn minus(a: i32, b: i32) -> i32 {\n    let _ = b;\n    a - c\n}\n"


@pytest.mark.spec("D5", "K7")
async def test_what_the_compiler_only_guesses_is_for_a_person_to_confirm(tmp_path: Path) -> None:
    """`a - c` compiles as `a - a`, which nobody meant; the tool itself calls it no more than likely."""
    need("cargo")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/lib.rs").write_text(GUESSED)
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n')
    told = await fix(tmp_path, targets=["src/lib.rs"], checks=("cargo check --offline",))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.edit.files[0].after == GUESSED.replace("- c", "- a").encode()
    (line,) = told.outcome.tally.suspect
    assert "src/lib.rs:3" in line and "similar name" in line
    assert (tmp_path / "src/lib.rs").read_text() == GUESSED, "nothing is written unasked"


@pytest.mark.spec("D5")
async def test_a_guess_that_the_model_repairs_is_spoken_of_no_more(tmp_path: Path) -> None:
    need("gcc")
    workspace(tmp_path, a_c="int f(int nn) {\n    return n + undefined_one(nn);\n}\n")
    (tmp_path / "check.sh").write_text("gcc -Werror=implicit-function-declaration -c a.c\n")
    reply = block(
        "int f(int nn) {\n    return nn + undefined_one(nn);\n", "int f(int value) {\n    return 2 * value;\n"
    )
    told = await fix(tmp_path, [reply], targets=["a.c"], checks=("sh check.sh",))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.suspect == ()


UNMASKS = """\
int twice(const char *text)
{
    printf("%s\\n", text);
    return strlen(text, 2) + strlen(text);
}
int once(const char *text)
{
    return abs(text);
}
"""
STRICT = "cc -Wall -Werror -c a.c -o a.o"


@pytest.mark.spec("D5")
@pytest.mark.spec("Q3")
async def test_include_that_unmasks_an_error_stays(tmp_path: Path) -> None:
    """What the compiler finds once it knows a name was there before: the model starts from the fewest errors reached."""
    need("gcc")
    workspace(tmp_path, a_c=UNMASKS)
    told = await fix(tmp_path, ["I do not know."], targets=["a.c"], checks=(STRICT,), settings={"max_rounds": 1})
    baseline = next(event for event in told.of(CheckFinished) if event.in_pass is Pass.BASELINE)
    first = told.of(RoundStarted)[0]
    assert first.errors < len(baseline.result.errors)
    for header in ("stdio", "stdlib", "string"):
        assert f"#include <{header}.h>" in told.asked[0]
    assert len(told.of(SuggestionApplied)) == 3, "an include that several errors ask for is one fix"
    for name in ("printf", "strlen"):
        assert f"‘{name}’" in told.outcome.tally.explanation


@pytest.mark.spec("Q3")
async def test_include_with_an_error_of_its_own_is_taken_back(tmp_path: Path) -> None:
    """Not fewer errors, and the new ones are in other lines than those that use the name."""
    need("gcc")
    workspace(
        tmp_path,
        a_c="int fgetc(int n)\n{\n    return n;\n}\nint remove(int n)\n{\n    return n;\n}\n"
        "void *ends(void)\n{\n    return stdin;\n}\n",
    )
    told = await fix(
        tmp_path, targets=["a.c"], checks=("cc -w -fno-builtin -c a.c -o a.o",), settings={"max_rounds": 1}
    )
    assert told.of(SuggestionApplied) == []
    assert "it brought a new error" in {event.reason for event in told.of(SuggestionDropped)}
    assert told.outcome.edit.files == ()


@pytest.mark.spec("L9")
@pytest.mark.spec("D5")
async def test_try_that_is_taken_back_is_never_the_partial_result(tmp_path: Path) -> None:
    """Two fixes together leave fewer errors, and a new one: what the run says and offers is what it went on from."""
    linted(tmp_path, {"one": "two", "1;": "2;", "a": "b"})
    (tmp_path / "a.js").write_text("one = 1;\na\n")
    check = (
        "python3 lint.py; left=$?; grep -q two a.js && { echo 'a.js:1:1: error: two is wrong'; exit 1; }; exit $left"
    )
    told = await fix(tmp_path, targets=["a.js"], checks=(check,), settings={"max_rounds": 1})
    assert told.of(SuggestionDropped)[0].message == "these 3 fixes together"
    assert len(told.of(SuggestionApplied)) == 2
    assert told.outcome.edit.files[0].after == b"one = 2;\nb\n", "what was taken back is in no result"
    assert told.outcome.tally.errors_after == 1
