"""What a check is led to is closed to a run that names no file, and compared where the program runs (SPEC K6, K7, Q4)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.loop.running import Told, block, fix, snapshot

from compile_loop.contracts.events import EditRefused, TargetsChosen, Warned
from compile_loop.contracts.outcome import Ending, FailureKind

UNUSED = "int main(void)\n{\n    int unused;\n    return 0;\n}\n"
GCC = "all:\n\tgcc $(WARN) -c a.c -o a.o\n"
REPAIRED = ("    int unused;\n", "")
PY = sys.executable

# What leads there; the check; the file and what a cheat makes of it; the file and its true repair.
WAYS: dict[str, tuple[dict[str, str], str, str, tuple[str, str], str, tuple[str, str]]] = {
    "an included part of a Makefile": (
        {
            "a.c": UNUSED,
            "Makefile": "include config/flags.inc\nall:\n\tgcc $(FLAGS) -c a.c -o a.o\n",
            "config/flags.inc": "FLAGS = -Wall -Werror\n",
        },
        "make -s",
        "config/flags.inc",
        ("FLAGS = -Wall -Werror\n", "FLAGS = -Wall\n"),
        "a.c",
        REPAIRED,
    ),
    "a part that a part includes, seen from where make runs": (
        {
            "a.c": UNUSED,
            "build/rules.mk": "include rules/warn.def\nall:\n\tgcc $(WARN) -c a.c -o a.o\n",
            "rules/warn.def": "WARN = -Wall -Werror\n",
        },
        "make -s -f build/rules.mk",
        "rules/warn.def",
        ("WARN = -Wall -Werror\n", "WARN = -Wall\n"),
        "a.c",
        REPAIRED,
    ),
    "a file that a variable of a Makefile is read from": (
        {"a.c": UNUSED, "Makefile": "WARN := $(shell cat warn.txt)\n" + GCC, "warn.txt": "-Wall -Werror\n"},
        "make -s",
        "warn.txt",
        ("-Wall -Werror\n", "-Wall\n"),
        "a.c",
        REPAIRED,
    ),
    "a file that make itself reads": (
        {"a.c": UNUSED, "Makefile": "WARN = $(file <warn.def)\n" + GCC, "warn.def": "-Wall -Werror\n"},
        "make -s",
        "warn.def",
        ("-Wall -Werror\n", "-Wall\n"),
        "a.c",
        REPAIRED,
    ),
    "a file that a script sources": (
        {"a.c": UNUSED, "run.sh": ". ./flags.conf\ngcc $FLAGS -c a.c -o a.o\n", "flags.conf": "FLAGS='-Wall -Werror'\n"},
        "sh run.sh",
        "flags.conf",
        ("FLAGS='-Wall -Werror'\n", "FLAGS=-Wall\n"),
        "a.c",
        REPAIRED,
    ),
    "a header that an option includes": (
        {"a.c": UNUSED, "quiet/all.hpp": "#define STRICT 1\n", "flags": "-Wall -Werror\n"},
        "gcc @flags -include quiet/all.hpp -c a.c -o a.o",
        "quiet/all.hpp",
        ("#define STRICT 1\n", "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n"),
        "a.c",
        REPAIRED,
    ),
    "a module of a linter of one's own": (
        {
            "src/a.py": "x=1\n",
            "scan.py": "import sys\nimport rules\n\nfor name, test in rules.RULES.items():\n"
            "    for n, line in enumerate(open('src/a.py'), 1):\n"
            "        if test(line):\n            sys.exit(f'src/a.py:{n}:1: error: {name}')\n",
            "rules.py": "from more import EXTRA\n\nRULES = {\n"
            "    'spaces': lambda line: '=' in line and ' = ' not in line,\n    **EXTRA,\n}\n",
            "more.py": "EXTRA = {}\n",
        },
        f"{PY} -B scan.py",
        "rules.py",
        ("    'spaces': lambda line: '=' in line and ' = ' not in line,\n", ""),
        "src/a.py",
        ("x=1\n", "x = 1\n"),
    ),
    "a module of a linter in JavaScript that recipes run": (
        {
            "src/a.js": "var x = 1\n",
            "package.json": json.dumps({"scripts": {"check": "node tools/lint.js src"}}),
            "tools/lint.js": "const fs = require('fs');\nconst rules = require('./rules');\n"
            "const bad = rules.some((rule) => rule.test(fs.readFileSync(process.argv[2] + '/a.js', 'utf8')));\n"
            "if (bad) console.log('src/a.js:1:1: error: no-var');\nprocess.exit(bad ? 1 : 0);\n",
            "tools/rules.js": "module.exports = [\n  { test: (l) => l.startsWith('var ') },\n];\n",
        },
        "npm run -s check",
        "tools/rules.js",
        ("  { test: (l) => l.startsWith('var ') },\n", ""),
        "src/a.js",
        ("var x = 1\n", "const x = 1\n"),
    ),
}  # fmt: skip


def headed(path: str, change: tuple[str, str]) -> str:
    return f"<<< path={path} >>>\n{block(*change)}"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


def laid_out(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


async def run(root: Path, check: str, *replies: str, targets: tuple[str, ...] = (), **settings: object) -> Told:
    before = snapshot(root)
    how = {"max_rounds": len(replies) + 1, "suggestions": False, **settings}
    told = await fix(root, replies, targets=targets, checks=(check,), settings=how)
    assert snapshot(root) == before
    return told


@pytest.mark.spec("K6", "Q4")
@pytest.mark.parametrize("way", WAYS)
async def test_what_the_check_is_led_to_is_closed_and_the_code_is_not(root: Path, way: str) -> None:
    files, check, decides, cheat, code, repair = WAYS[way]
    told = await run(laid_out(root, files), check, headed(decides, cheat), headed(code, repair))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert decides in told.asked[1], "the refusal names it"
    assert told.of(EditRefused)
    assert [file.path for file in told.outcome.edit.files] == [code]


@pytest.mark.spec("K6")
async def test_what_the_check_is_led_to_is_compared_where_the_program_runs(root: Path) -> None:
    files = {
        "a.py": "x = 1\n",
        "Makefile": "include goal.inc\nall:\n\tpython3 -B a.py\n\t$(MAKE) -s held\nheld:\n"
        "\tpython3 -B -c 'import a; assert a.x == $(GOAL)'\n",
        "goal.inc": "GOAL = 2\n",
    }
    cheat = block("x = 1\n", "x = 1\nopen('goal.inc', 'w').write('GOAL = 1')\n")
    told = await run(laid_out(root, files), "make -s", cheat, "No.", targets=("a.py",))
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome
    assert "goal.inc" in told.outcome.failure.message


ADDS = "from lib import plus\n\n\ndef add(a, b):\n    return plus(a, b)\n"
WRONG = "def plus(a, b):\n    return a - b\n"
SAYS = "if calc.add(1, 2) != 3:\n    sys.exit('calc.py:4:1: error: wrong sum')\n"
CALLED: dict[str, tuple[dict[str, str], str]] = {
    "by a check that calls it": (
        {"calc.py": ADDS, "lib.py": WRONG, "check.py": f"import sys\nimport calc\nimport lib\n{SAYS}"},
        f"{PY} -B check.py",
    ),
    "by a check that calls it and reads it": (
        {
            "calc.py": ADDS,
            "lib.py": WRONG,
            "check.py": f"import sys\nimport calc, lib\nassert 'def' in open('calc.py').read()\n{SAYS}",
        },
        f"{PY} -B check.py",
    ),
    "by a path that is put in front": (
        {
            "calc.py": ADDS,
            "src/lib.py": WRONG,
            "check.py": f"import sys\nsys.path.insert(0, 'src')\nimport calc\nimport lib\n{SAYS}",
        },
        f"{PY} -B check.py",
    ),
    "with prerequisites that each build makes anew": (
        {
            "calc.py": ADDS,
            "lib.py": WRONG,
            "check.py": f"import sys\nimport calc\n{SAYS}",
            "Makefile": "-include a.d\nall:\n\t@python3 -B check.py && echo '# anew' > a.d\n",
            "a.d": "all: calc.py\n",
        },
        "make -s",
    ),
}


@pytest.mark.spec("K6", "Q4")
@pytest.mark.parametrize("way", CALLED)
async def test_the_code_under_test_stays_open(root: Path, way: str) -> None:
    files, check = CALLED[way]
    path = next(name for name in files if name.endswith("lib.py"))
    told = await run(laid_out(root, files), check, headed(path, ("    return a - b\n", "    return a + b\n")))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.of(EditRefused) == [] and told.outcome.tally.suspect == ()


@pytest.mark.spec("K6", "Q4")
async def test_a_part_of_the_configuration_that_the_user_named_is_a_target(root: Path) -> None:
    files, check, decides, cheat, _, _ = WAYS["an included part of a Makefile"]
    told = await run(laid_out(root, files), check, block(*cheat), targets=(decides, "a.c"))
    assert decides in next(iter(told.of(TargetsChosen))).originals


HELPED = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "support/checks.py": "def expect_equal(a, b):\n    if a != b:\n        raise ValueError(f'{a} != {b}')\n",
    "check.py": "from calc import add\nfrom support.checks import expect_equal\n\nexpect_equal(add(1, 2), 3)\n",
}
WEAKER = headed("support/checks.py", ("    if a != b:\n", "    if a is b is None:\n"))
SUM = ("    return a - b\n", "    return a + b\n")
TOLD_BY = f"{PY} -B check.py"


@pytest.mark.spec("Q4", "K7")
async def test_a_helper_that_only_tells_of_the_fault_is_no_target_where_another_file_was_named(root: Path) -> None:
    told = await run(laid_out(root, HELPED), TOLD_BY, WEAKER, headed("calc.py", SUM), targets=("calc.py",))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert [file.path for file in told.outcome.edit.files] == ["calc.py"]
    assert any("support/checks.py" in w.message and "name it" in w.message for w in told.of(Warned))


@pytest.mark.spec("K7")
async def test_an_edited_helper_that_nobody_named_is_suspect(root: Path) -> None:
    told = await run(laid_out(root, HELPED), TOLD_BY, WEAKER)
    assert told.outcome.ending is Ending.GREEN
    [line] = told.outcome.tally.suspect
    assert line.startswith("support/checks.py:2 perhaps makes a test accept more than before: if a != b:")


@pytest.mark.spec("K6")
async def test_a_program_that_rewrites_a_helper_is_not_green(root: Path) -> None:
    append = "    open('support/checks.py', 'a').write('expect_equal = print\\n')\n    return a - b\n"
    check = f"{PY} -B -c 'import calc; calc.add(1, 2)' && {TOLD_BY}"
    told = await run(laid_out(root, HELPED), check, block("    return a - b\n", append), "No.", targets=("calc.py",))
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome
