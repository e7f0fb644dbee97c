"""Red without the edit, green with it: what comes and goes by itself is said, and nothing is said of a true repair (SPEC K9)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loop.running import Told, block, fix, workspace

from compile_loop.contracts.events import CheckFinished, Pass
from compile_loop.contracts.outcome import Ending

NOT_READY = "b.txt:1: error: server not ready"


def by_turns(root: Path, *ends: str) -> str:
    """A check that ends each time as the next of `ends` says, and then as the last; an empty one is green."""
    counter = root.parent / f"{root.name}-count"
    counter.touch()
    cases = "".join(f"{n}) e='{end}';; " for n, end in enumerate(ends[:-1], 1))
    return (
        f"echo x >> {counter}; case $(wc -l < {counter}) in {cases}*) e='{ends[-1]}';; esac; "
        '[ -z "$e" ] || { echo "$e"; exit 1; }'
    )


async def run(root: Path, edited: str, replies: str, *ends: str) -> Told:
    workspace(root, a_txt="one\n", b_txt="b\n")
    return await fix(
        root, [f"<<< path={edited} >>>\n{replies}"], targets=["a.txt", "b.txt"], checks=(by_turns(root, *ends),)
    )


LUCK = {
    "an edit in the very line": ("b.txt", block("b\n", "c\n"), (NOT_READY, NOT_READY, "")),
    "a comment in the very file": ("b.txt", block("b\n", "# now\nb\n"), (NOT_READY, NOT_READY, "")),
    "white space in the very file": ("b.txt", block("b\n", "b  \n"), (NOT_READY, NOT_READY, "")),
    "red once more by chance": ("a.txt", block("one\n", "two\n"), (NOT_READY, NOT_READY, "", NOT_READY, "")),
    "a comment, and red once more": ("b.txt", block("b\n", "# now\nb\n"), (NOT_READY, NOT_READY, "", NOT_READY, "")),
    "red with another message": ("a.txt", block("one\n", "two\n"), (NOT_READY, NOT_READY, "", "b.txt:1: error: port in use", "")),
    "by its exit alone": ("a.txt", block("one\n", "two\n"), ("not ready", "not ready", "")),
}  # fmt: skip


@pytest.mark.spec("K9", "Q8")
@pytest.mark.parametrize("how", LUCK)
async def test_green_by_luck_is_said_to_be_flaky_whatever_was_edited(tmp_path: Path, how: str) -> None:
    edited, reply, ends = LUCK[how]
    told = await run(tmp_path / "ws", edited, reply, *ends)
    assert told.outcome.ending is Ending.GREEN
    assert any(line.startswith("the check is flaky: run again") for line in told.outcome.tally.suspicious)


@pytest.mark.spec("K9")
async def test_a_comment_that_is_green_once_and_then_red_is_said_to_be_flaky(tmp_path: Path) -> None:
    ends = (NOT_READY, NOT_READY, "", NOT_READY, NOT_READY, "")
    told = await run(tmp_path / "ws", "b.txt", block("b\n", "# now\nb\n"), *ends)
    assert "the check is flaky: run again with the edit, it fails" in told.outcome.tally.suspicious


@pytest.mark.spec("K9", "L2")
async def test_one_edit_that_fails_and_passes_from_a_clean_start_is_flaky_and_costs_no_round(tmp_path: Path) -> None:
    ends = (NOT_READY, NOT_READY, "", NOT_READY, NOT_READY, "")
    told = await run(tmp_path / "ws", "b.txt", block("b\n", "c\n"), *ends)
    assert told.outcome.ending is Ending.GREEN and told.outcome.tally.rounds == 1
    (doubt,) = told.outcome.tally.suspicious
    assert doubt == "the check is flaky: run twice from a clean start with the same edit, it failed and passed"


MAKE = "prog: main.c\n\t$(CC) -Wall -o $@ $<\n\ntest: prog\n\t./prog\n"
REPAIRS = {
    "in the failing line": ({"a.c": "int f(void) { return 1 }\n"}, "a.c", ("return 1 }", "return 1; }"), "gcc -c a.c -o a.o"),
    "a header": (
        {"a.h": "int one(void)\n", "a.c": '#include "a.h"\nint two(void) { return one(); }\n'},
        "a.h", ("int one(void)", "int one(void);"), "gcc -c a.c -o a.o",
    ),
    "far above the failing line": (
        {"a.c": "int g;\n" + "\n" * 30 + 'void f(void) { puts("x"); }\n'},
        "a.c", ("int g;", "#include <stdio.h>\nint g;"), "gcc -Werror=implicit-function-declaration -c a.c -o a.o",
    ),
    "another file than the test's": (
        {"calc.py": "def add(a, b):\n    return a - b\n", "check.py": "from calc import add\nassert add(1, 2) == 3\n"},
        "calc.py", ("a - b", "a + b"), "python3 -B check.py",
    ),
    "a cause that the failure does not name": (
        {"conf.json": '{"n": 1}\n', "check.py": "import json\nassert json.load(open('conf.json'))['n'] == 2\n"},
        "conf.json", ('{"n": 1}', '{"n": 2}'), "python3 -B check.py",
    ),
    "white space that a linter wants": ({"a.txt": "one  \ntwo\n"}, "a.txt", ("one  \n", "one\n"), "! grep -n ' $' a.txt"),
    "a comment that a linter wants": (
        {"a.txt": "one\n"},
        "a.txt",
        ("one\n", "# Licence: MIT\none\n"),
        "grep Licence a.txt || { echo 'a.txt:1: error: none'; exit 1; }",
    ),
    "indentation": ({"a.py": "if 1:\nx = 1\n"}, "a.py", ("if 1:\nx", "if 1:\n    x"), "python3 -B a.py"),
    "times and addresses in the output": (
        {"a.py": "x = 1\n"}, "a.py", ("x = 1", "x = 2"),
        "python3 -B -c 'import a, os, time; print(object(), time.time(), os.getpid()); assert a.x == 2, object()'",
    ),
    "a build that goes on": (
        {"main.c": "int main(void) { return 1; }\n", "Makefile": MAKE}, "main.c", ("return 1", "return 0"), "make test"),
    "a build that goes on, then a comparison": (
        {"main.c": '#include <stdio.h>\nint main(void) { puts("41"); }\n', "Makefile": MAKE, "golden.txt": "42\n"},
        "main.c", ("41", "42"), "make prog && ./prog | diff - golden.txt"),
    "a compiled form": (
        {"a.py": "x = 1\n", "make.py": "import os, sys\nif not os.path.exists('out'):\n    print('building')\n    os.mkdir('out')\n"
                                       "import a\nsys.exit(a.x)\n"},
        "a.py", ("x = 1", "x = 0"), "python3 -B make.py"),
    "names of temporary files": (
        {"a.py": "def save(p):\n    return p\n", "check.py": "import a, os, tempfile\np = a.save(tempfile.mkdtemp() + '/a')\n"
                                                             "assert os.path.exists(p), f'missing {p}'\n"},
        "a.py", ("return p", "open(p, 'w').close(); return p"), "python3 -B check.py"),
    "ids": (
        {"a.py": "import uuid\ndef user():\n    return {'id': str(uuid.uuid4())}\n",
         "check.py": "import a\nd = a.user()\nassert set(d) == {'id', 'name'}, d\n"},
        "a.py", ("4())}", "4()), 'name': ''}"), "python3 -B check.py"),
    "a set's order": (
        {"a.py": "x = {'red', 'green', 'blue', 'white'}\n", "check.py": "import a\nassert len(a.x) == 3, a.x\n"},
        "a.py", (", 'white'", ""), "python3 -B check.py"),
    "two at a time": (
        {"a.txt": "no\n", "Makefile": "check: a b\na b:\n\t@sleep 0.0$$(( $$$$ % 7 )); "
                                      "grep -q yes a.txt || { echo $@ is wrong; exit 1; }\n"},
        "a.txt", ("no", "yes"), "make -k -j2 check"),
}  # fmt: skip


@pytest.mark.spec("K9")
@pytest.mark.parametrize("what", REPAIRS)
async def test_nothing_is_said_of_a_repair_that_does_make_the_difference(tmp_path: Path, what: str) -> None:
    files, edited, (old, new), check = REPAIRS[what]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    whole = files[edited]
    reply = f"<<< path={edited} >>>\n" + block(whole, whole.replace(old, new))
    told = await fix(tmp_path, [reply], targets=list(files), checks=(check,), settings={"suggestions": False})
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.suspicious == ()
    again = [e.result.ok for e in told.of(CheckFinished) if e.in_pass is Pass.AGAIN]
    assert again and not again[0]


@pytest.mark.spec("K9")
async def test_a_usual_repair_costs_one_more_run_of_a_quick_check(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="int f(void) { return 1 }\n")
    told = await fix(tmp_path, [block("int f(void) { return 1 }\n", "int f(void) { return 1; }\n")], targets=["a.c"],
                     checks=("gcc -c a.c -o a.o",), settings={"suggestions": False})  # fmt: skip
    passes = [e.in_pass for e in told.of(CheckFinished)]
    assert passes == [Pass.BASELINE, Pass.BASELINE, Pass.ROUND, Pass.AGAIN, Pass.FINAL]


@pytest.mark.spec("K9", "Q2")
async def test_a_wish_on_a_green_tree_is_no_flaky_check(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="int x;\n")
    told = await fix(
        tmp_path,
        [block("int x;\n", "int x = 1;\n")],
        targets=["a.c"],
        checks=("gcc -c a.c -o a.o",),
        spec="Start at 1.",
    )
    assert told.outcome.ending is Ending.GREEN and told.outcome.tally.suspicious == ()
