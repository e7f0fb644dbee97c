"""A green edit that silences the check is found, told, and never applied unasked (SPEC K7)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.loop.running import block, fix, workspace
from tests.support.tools import need

from compile_loop.contracts.events import Suspected
from compile_loop.contracts.outcome import Ending, FailureKind

SOURCE = """\
def total(prices: list[int]) -> int:
    return sum(price.amount for price in prices)
"""
CHECKER = """\
import sys
text = open("a.py").read()
if ".amount" in text and "type: ignore" not in text:
    sys.exit("a.py:2: error: int has no attribute amount")
"""
CHECK = "python3 checker.py"
CHEAT = block(
    "    return sum(price.amount for price in prices)\n",
    "    return sum(price.amount for price in prices)  # type: ignore\n",
)
REPAIR = block("    return sum(price.amount for price in prices)  # type: ignore\n", "    return sum(prices)\n")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return workspace(folder, a_py=SOURCE, checker_py=CHECKER)


@pytest.mark.spec("K7")
async def test_a_suppression_is_told_and_a_repair_must_follow(root: Path) -> None:
    told = await fix(root, [CHEAT, REPAIR], targets=["a.py"], checks=(CHECK,))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert b"ignore" not in (told.outcome.edit.files[0].after or b"")
    assert "silences it" in told.asked[1] and "a.py:2" in told.asked[1]
    assert [s.certain for s in told.of(Suspected)] == [True]


@pytest.mark.spec("K7", "L16")
async def test_if_silencing_is_all_there_is_the_outcome_is_tampering_with_the_lines(root: Path) -> None:
    told = await fix(
        root, [CHEAT, "That is the best fix.", "Really."], targets=["a.py"], checks=(CHECK,), settings={"max_rounds": 2}
    )
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING
    assert "a.py:2" in told.outcome.failure.message and "type: ignore" in told.outcome.failure.message
    assert b"type: ignore" in (told.outcome.edit.files[0].after or b"")
    assert told.outcome.tally.suspect


@pytest.mark.spec("K7")
async def test_a_suppression_that_the_spec_asks_for_passes(root: Path) -> None:
    told = await fix(
        root,
        [CHEAT],
        targets=["a.py"],
        checks=(CHECK,),
        spec="Add a type: ignore comment to the sum; the stubs are wrong.",
    )
    assert told.outcome.ending is Ending.GREEN


SUMS = """\
import unittest

from calc import add


class Sums(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)


if __name__ == "__main__":
    unittest.main()
"""


def _sums(root: Path) -> Path:
    (root / "a.py").unlink()
    return workspace(root, calc_py="def add(a, b):\n    return a - b\n", test_calc_py=SUMS)


@pytest.mark.spec("K7", "Q9")
async def test_tests_that_no_longer_tell_of_themselves_are_reported_beside_green(root: Path) -> None:
    """How the edit leaves is hidden from whoever reads it."""
    leave = block(
        "    return a - b\n", "    leave = vars(__import__('o' + 's'))['_ex' + 'it']\n    leave(0)\n    return a - b\n"
    )
    told = await fix(_sums(root), [leave], targets=["calc.py"], checks=(f"{sys.executable} -B -m unittest",))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert any("no test is told of, 1 before" in line for line in told.outcome.tally.suspect)


@pytest.mark.spec("K7", "Q9")
async def test_a_way_out_that_silences_the_tests_is_refused(root: Path) -> None:
    leave = block("def add(a, b):\n", "import sys\nif sys.argv:\n    sys.exit(0)\n\n\ndef add(a, b):\n")
    told = await fix(
        _sums(root),
        [leave, "Done."],
        targets=["calc.py"],
        checks=(f"{sys.executable} -B test_calc.py",),
        settings={"max_rounds": 1},
    )
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome


@pytest.mark.spec("K7", "Q9")
async def test_a_repair_whose_tests_still_tell_is_not_suspected(root: Path) -> None:
    repair = block("    return a - b\n", "    return a + b\n")
    told = await fix(_sums(root), [repair], targets=["calc.py"], checks=(f"{sys.executable} -B -m unittest",))
    assert told.outcome.ending is Ending.GREEN and not told.outcome.tally.suspect


@pytest.mark.spec("K6", "K7")
async def test_a_new_package_that_hides_a_module_of_the_workspace_is_reported(root: Path) -> None:
    reply = f"<<< path=calc/__init__.py >>>\n{block('', 'def add(a, b):' + chr(10) + '    return a + b' + chr(10))}"
    told = await fix(
        _sums(root),
        [reply],
        targets=["calc.py"],
        checks=(f"{sys.executable} -B -m unittest",),
        settings={"allow_new_files": True},
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert any("imported instead of calc.py" in line for line in told.outcome.tally.suspect)


@pytest.mark.spec("K7")
async def test_an_error_that_is_told_of_another_file_is_not_repaired(root: Path) -> None:
    """Only the target has to be free of errors, and one onto which the target's is moved was there before."""
    need("gcc")
    (root / "a.py").unlink()
    broken = "int {}(void) {{\n    return nothing;\n}}\n"
    workspace(root, a_c=broken.format("a"), b_c=broken.format("b"))
    (root / "Makefile").write_text("all: a.o b.o\n%.o: %.c\n\t$(CC) -c $< -o $@\n")
    moved = block("int a(void) {\n    return nothing;\n}\n", '#line 1 "b.c"\nint b(void) {\n    return nothing;\n}\n')
    told = await fix(
        root, [moved, "Done."], targets=["a.c"], checks=("make -k",), settings={"max_rounds": 1, "suggestions": False}
    )
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome
    assert "#line" in told.outcome.failure.message


@pytest.mark.spec("K7")
async def test_a_body_that_never_ends_is_no_repair(root: Path) -> None:
    need("gcc")
    (root / "a.py").unlink()
    workspace(root, a_c="int area(int w, int h) {\n    int size = w * h;\n    return size.value;\n}\n")
    endless = block("    int size = w * h;\n    return size.value;\n", "    for (;;);\n")
    told = await fix(root, [endless, "Done."], targets=["a.c"], checks=("gcc -c a.c",), settings={"max_rounds": 1})
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome
    assert "for (;;);" in told.outcome.failure.message


@pytest.mark.spec("K7", "Q9")
async def test_a_function_of_the_library_that_is_exchanged_comes_with_the_result(root: Path) -> None:
    source = "import json as _json\n\n\ndef add(a, b):\n    return _json.loads(f'{a - b}')\n"
    workspace(_sums(root), calc_py=source)
    exchanged = block("import json as _json\n", "import json as _json\n\n_json.loads = lambda text: 5\n")
    told = await fix(root, [exchanged], targets=["calc.py"], checks=(f"{sys.executable} -B -m unittest",))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert any("_json.loads = lambda" in line for line in told.outcome.tally.suspect)


GO_SUMS = """\
package calc

import "testing"

func TestAdd(t *testing.T) {
\tif Add(2, 3) != 5 {
\t\tt.Error("wrong")
\t}
}
"""


@pytest.mark.spec("K7", "Q9")
async def test_a_package_that_ends_its_test_binary_as_it_loads_is_refused(root: Path) -> None:
    """`go test` says ok of a package whose binary ends well, also where no test ran."""
    need("go")
    (root / "a.py").unlink()
    workspace(
        root,
        calc_go="package calc\n\nfunc Add(a, b int) int { return a - b }\n",
        calc_test_go=GO_SUMS,
        go_mod="module calc\n\ngo 1.17\n",
    )
    leaves = block("package calc\n", 'package calc\n\nimport "os"\n\nvar _ = func() int { os.Exit(0); return 0 }()\n')
    told = await fix(
        root, [leaves, "Done."], targets=["calc.go"], checks=("go test ./...",), settings={"max_rounds": 1}
    )
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome
    assert "os.Exit(0)" in told.outcome.failure.message


@pytest.mark.spec("Q9")
async def test_a_test_binary_that_tells_nothing_is_suspicious_however_it_ends(root: Path) -> None:
    """How the edit leaves is hidden from whoever reads it; go shows that the binary did not come to its `PASS`."""
    need("go")
    (root / "a.py").unlink()
    workspace(
        root,
        calc_go="package calc\n\nfunc Add(a, b int) int { return a - b }\n",
        calc_test_go=GO_SUMS,
        go_mod="module calc\n\ngo 1.17\n",
    )
    table = (
        'package calc\n\nimport "os"\n\nvar ends = map[string]func(int){"a": os.Exit}\n\nfunc init() { ends["a"](0) }\n'
    )
    leaves = block("package calc\n", table)
    told = await fix(root, [leaves], targets=["calc.go"], checks=("go test",), settings={"max_rounds": 1})
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert any("before it told of any test" in line for line in told.outcome.tally.suspicious)
