"""A green edit that silences the check is found, told, and never applied unasked (SPEC K7)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.loop.running import block, fix, workspace

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
    leave = block("    return a - b\n", "    __import__('o' + 's').__dict__['_ex' + 'it'](0)\n    return a - b\n")
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
