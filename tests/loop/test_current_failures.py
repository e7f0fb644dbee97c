"""Only what this state of the files gave is told to the model (SPEC L4, Q7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loop.running import block, fix, workspace

from compile_loop.contracts.outcome import FailureKind

CHECK = """\
case $(cat a.txt) in
one) echo 'a.txt:1:1: error: the first fault'; exit 1;;
two) echo 'a.txt:1:1: error: the second fault'; exit 1;;
slow) echo begun; sleep 47.5;;
esac
"""


@pytest.mark.spec("L4")
async def test_d11_errors_from_before_the_edit_are_never_told_as_current(tmp_path: Path) -> None:
    workspace(tmp_path, a_txt="one\n", check_sh=CHECK)
    replies = [block("one\n", "two\n"), block("two\n", "three\n")]
    told = await fix(tmp_path, replies, targets=["a.txt"], checks=("sh check.sh",))
    first, second = told.asked
    assert "the first fault" in first and "the second fault" not in first
    assert "a.txt:1:1: the second fault" in second and "a.txt:1:1: the first fault" not in second


@pytest.mark.spec("Q7")
async def test_d11_a_timeout_is_neither_the_old_errors_nor_none(tmp_path: Path) -> None:
    workspace(tmp_path, a_txt="one\n", check_sh=CHECK)
    replies = [block("one\n", "slow\n"), block("slow\n", "three\n")]
    settings = {"check_idle_timeout_seconds": 2, "max_rounds": 2}
    told = await fix(tmp_path, replies, targets=["a.txt"], checks=("sh check.sh",), settings=settings)
    _, second = told.asked
    assert "ended by its timeout" in second
    assert "a.txt:1:1: the first fault" not in second
    assert told.outcome.failure is None or told.outcome.failure.kind is not FailureKind.INTERNAL
