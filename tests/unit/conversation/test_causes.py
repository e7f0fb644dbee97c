"""Causes before what follows from them, the same complaint once (SPEC C5)."""

from __future__ import annotations

import pytest

from compile_loop.contracts.checks import CheckResult, ContractResult
from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range, Related
from compile_loop.conversation.causes import in_order
from compile_loop.conversation.failures import render
from compile_loop.conversation.steady import steady

pytestmark = pytest.mark.spec("C5")


def error(message: str, file: str = "a.c", line: int = 0, **more: object) -> Diagnostic:
    return Diagnostic(message, file, Range.of(line, 0, line, 1), **more)  # type: ignore[arg-type]


def messages(*errors: Diagnostic) -> list[str]:
    return [cause.error.message for cause in in_order(errors, steady)]


def test_an_earlier_phase_comes_first() -> None:
    assert messages(error("late", phase=Phase.LINK), error("early", phase=Phase.PARSE)) == ["early", "late"]


def test_what_is_missing_comes_before_what_is_wrong_before_what_follows() -> None:
    found = messages(
        error("Parameter 'n' implicitly has an 'any' type."),
        error("Type 'string' is not assignable to type 'number'."),
        error("Cannot find module './maths'."),
    )
    assert found[0].startswith("Cannot find module")
    assert found[2].startswith("Parameter")


def test_a_file_that_others_point_to_comes_first() -> None:
    chain = (Related("inner.h", Range.of(0, 0, 0, 1), "declared here"),)
    assert messages(error("no match", related=chain), error("bad declaration", "inner.h")) == [
        "bad declaration",
        "no match",
    ]


def test_the_same_complaint_is_one_wherever_it_is_made() -> None:
    found = [error("wrong"), *(error("unknown type name ‘item_t’", f"{n}.c", n) for n in range(9))]
    first, second = in_order(found, steady)
    assert (first.error.file, first.times, first.others[:2]) == ("0.c", 9, ("1.c:2", "2.c:3"))
    assert second.times == 1
    text = render(ContractResult((CheckResult("make", False, 2, diagnostics=tuple(found)),)), found, lambda _path: None)
    assert (
        "1. 0.c:1:1: unknown type name ‘item_t’ (9 times; also 1.c:2, 2.c:3, 3.c:4, 4.c:5, 5.c:6, 6.c:7 and 2 more)"
        in text
    )


def test_the_tools_own_order_stays_among_equals() -> None:
    assert messages(error("one"), error("two"), error("three")) == ["one", "two", "three"]
