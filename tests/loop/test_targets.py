"""Which files a run answers for and may edit, as failures lead from one to the next (SPEC Q1, Q4, E1, E10)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.loop.running import block, fix, workspace

from compile_loop.contracts.events import EditRefused, RoundFinished, TargetsChosen, Warned
from compile_loop.contracts.outcome import Ending, FailureKind
from compile_loop.contracts.protocols import ToolCall
from compile_loop.models.scripted import ScriptedReply

CALC = "def add(a, b):\n    return a - b\n"
TEST = (
    "import unittest\n\nfrom calc import add\n\n\nclass Sums(unittest.TestCase):\n    def test_add(self):\n"
    "        self.assertEqual(add(2, 3), 5)\n"
)
UNITTEST = (f"{sys.executable} -B -m unittest",)
REPAIR = block("    return a - b\n", "    return a + b\n")


def headed(path: str, edit: str) -> str:
    return f"<<< path={path} >>>\n{edit}"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def tested(root: Path) -> Path:
    return workspace(root, calc_py=CALC, test_calc_py=TEST)


@pytest.mark.spec("Q1", "L3")
async def test_a_failed_test_is_a_failure_of_the_file_it_tests_and_stays_closed_to_edits(tested: Path) -> None:
    told = await fix(tested, ["It subtracts.\n" + REPAIR], targets=["calc.py"], checks=UNITTEST)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.edit.paths == ("calc.py",) or list(told.outcome.edit.paths) == ["calc.py"]
    assert [list(e.originals) for e in told.of(TargetsChosen)] == [["calc.py"]]
    assert any("test_calc.py" in e.message and "not edited" in e.message for e in told.of(Warned))


@pytest.mark.spec("Q1", "L3")
async def test_a_failed_test_that_nobody_repaired_is_not_green(tested: Path) -> None:
    told = await fix(tested, ["No idea."], targets=["calc.py"], checks=UNITTEST, settings={"max_rounds": 1})
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.MAX_ROUNDS


@pytest.mark.spec("Q1", "L3")
async def test_a_failed_link_concerns_the_file_that_lacks_the_symbol(root: Path) -> None:
    workspace(root, main_c="int add(int, int);\nint main(void) { return add(1, 2); }\n", add_c="int plus(void);\n")
    repair = block("int plus(void);\n", "int add(int a, int b) { return a + b; }\n")
    told = await fix(root, [headed("add.c", repair)], targets=["add.c"], checks=("gcc main.c add.c -o main",))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure


@pytest.mark.spec("Q4", "L7", "Q3")
async def test_files_that_a_build_names_only_later_join_a_run_over_the_workspace(root: Path) -> None:
    """Make stops at the first file that fails."""
    workspace(root, a_c="int a = one;\nint b = two;\n", main_c="int m = three;\n")
    (root / "Makefile").write_text("all: a.o main.o\n%.o: %.c\n\tgcc -c $< -o $@\n")
    first = headed("a.c", block("int a = one;\nint b = two;\n", "int a = 1;\nint b = 2;\n"))
    second = headed("main.c", block("int m = three;\n", "int m = 3;\n"))
    told = await fix(root, [first, second], checks=("make -s",), settings={"suggestions": False})
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert "may be edited now too: main.c" in told.asked[1] and "int m = three" in told.asked[1]
    assert [(e.errors_before, e.errors_after) for e in told.of(RoundFinished)] == [(2, 1), (1, 0)]


@pytest.mark.spec("L9", "Q3")
async def test_errors_that_stood_hidden_behind_others_make_no_state_worse(root: Path) -> None:
    """The one that comes to light is even of an earlier phase."""
    workspace(root, a_c="int a = one;\nint b = two;\n", main_c="int m = 3\n")
    (root / "Makefile").write_text("all: a.o main.o\n%.o: %.c\n\tgcc -c $< -o $@\n")
    first = headed("a.c", block("int a = one;\nint b = two;\n", "int a = 1;\nint b = 2;\n"))
    told = await fix(root, [first], checks=("make -s",), settings={"suggestions": False, "max_rounds": 1})
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.MAX_ROUNDS
    assert [file.path for file in told.outcome.edit.files] == ["a.c"]
    assert (told.outcome.tally.errors_before, told.outcome.tally.errors_after) == (2, 1)


@pytest.mark.spec("D5", "Q3")
async def test_a_suggestion_behind_which_others_come_to_light_is_kept_and_so_are_they(root: Path) -> None:
    typo = "static int value = 1;\nint {}(void) {{ return vlaue; }}\n"
    workspace(root, a_c=typo.format("f"), main_c=typo.format("g"))
    (root / "Makefile").write_text("all: a.o main.o\n%.o: %.c\n\tgcc -c $< -o $@\n")
    told = await fix(root, [], checks=("make -s",))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert sorted(file.path for file in told.outcome.edit.files) == ["a.c", "main.c"]


@pytest.mark.spec("Q4", "E10")
@pytest.mark.parametrize("channel", ["text", "tool"])
async def test_a_run_over_the_workspace_opens_the_source_file_where_the_cause_lies(tested: Path, channel: str) -> None:
    edit = ToolCall(
        "k1", "apply_search_replace", '{"path": "calc.py", "search": "return a - b", "replace": "return a + b"}'
    )
    replies = [headed("calc.py", REPAIR)] if channel == "text" else [ScriptedReply("", tool_calls=(edit,)), "DONE"]
    told = await fix(tested, replies, checks=UNITTEST)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert [file.path for file in told.outcome.edit.files] == ["calc.py"]


@pytest.mark.spec("Q4", "E10", "Z1")
@pytest.mark.parametrize("path", ["conftest.py", "pyproject.toml", ".github/workflows/ci.yml", "../outside.py", ".env"])
async def test_what_decides_or_lies_outside_is_not_opened_by_naming_it(tested: Path, path: str) -> None:
    place = tested / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("x = 1\n")
    told = await fix(tested, [headed(path, block("x = 1\n", "x = 2\n"))], checks=UNITTEST, settings={"max_rounds": 1})
    assert told.of(EditRefused) and place.read_text() == "x = 1\n"
    assert not told.outcome.edit.files


@pytest.mark.spec("E1", "E10")
@pytest.mark.parametrize("header", ["other.c", "./other.c", "sub/a.c"])
async def test_a_block_that_names_another_file_never_lands_in_the_one_target(root: Path, header: str) -> None:
    source = "int f(void) { return one; }\nint g(void) { return 1; }\n"
    workspace(root, a_c=source, other_c="int g(void) { return 1; }\n", sub__a_c="int g(void) { return 1; }\n")
    stray = headed(header, block("int g(void) { return 1; }\n", "int g(void) { return 2; }\n"))
    told = await fix(root, [stray], targets=["a.c"], checks=("gcc -fsyntax-only a.c",), settings={"max_rounds": 1})
    assert "none of the files that may be edited" in told.of(EditRefused)[0].reason
    assert not told.outcome.edit.files


@pytest.mark.spec("E1")
@pytest.mark.parametrize("header", ["a.c", "./a.c", "somewhere/else.c", "/tmp/a.c"])
async def test_a_header_that_names_no_other_file_is_ignored(root: Path, header: str) -> None:
    workspace(root, a_c="int f(void) { return one; }\n")
    reply = headed(header, block("int f(void) { return one; }\n", "int f(void) { return 1; }\n"))
    told = await fix(root, [reply], targets=["a.c"], checks=("gcc -fsyntax-only a.c",))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure


@pytest.mark.spec("E10", "K6", "Q4")
@pytest.mark.parametrize("line", ["python3 -B verify.py", "cd . && A=1 timeout 60 python3 -B -m verify"])
async def test_the_checks_own_script_is_no_target_of_a_run_over_the_workspace(root: Path, line: str) -> None:
    """Not even where the error seems to lie in it."""
    script = "from calc import add\n\nif add(2, 3) != 5:\n    raise ValueError('wrong sum')\n"
    workspace(root, calc_py=CALC, verify_py=script)
    cheat = headed("verify.py", block("    raise ValueError('wrong sum')\n", "    print('wrong sum')\n"))
    repair = headed("calc.py", REPAIR)
    told = await fix(root, [cheat, repair], checks=(line,), settings={"max_rounds": 2, "suggestions": False})
    assert "verify.py" not in told.outcome.edit.paths
    assert all("verify.py" not in e.originals for e in told.of(TargetsChosen))
    assert (root / "verify.py").read_text() == script


@pytest.mark.spec("E10")
async def test_the_checks_own_script_may_be_repaired_where_the_user_lists_it(root: Path) -> None:
    workspace(root, main_py="print(1 +)\n")
    told = await fix(
        root, [block("print(1 +)\n", "print(1 + 1)\n")], targets=["main.py"], checks=("cd . && python3 -B main.py",)
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
