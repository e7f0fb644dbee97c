"""What an assertion demands (SPEC K7: weakened tests)."""

from __future__ import annotations

import pytest

from compile_loop.checks.honesty.assertions import STRENGTH, from_call, from_condition, split_top


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    ("condition", "form"),
    [
        ("f(2) == 4", "equal"),
        ("f(2) === 4", "equal"),
        ("f(2) != 4", "not_equal"),
        ("f(2) >= 4", "compare"),
        ("x in (200, 500)", "contains"),
        ("x is not None", "not_null"),
        ("x is None", "null"),
        ("x != nullptr", "not_null"),
        ("isinstance(x, int)", "type"),
        ("x", "truth"),
        ("True", "trivial"),
        ("1", "trivial"),
        ("x == x", "trivial"),
        ("1 == 1", "trivial"),
        ("a == 1 or b", "either"),
        ("(a == 1)", "equal"),
        ("f(a == 1)", "truth"),
        ('"a == b" in text', "contains"),
        ("a -> b == 3", "equal"),
        ("m[a == b] != 2", "not_equal"),
        ("x.is_ok()", "not_null"),
        ("!x.is_empty()", "null"),
    ],
)
def test_conditions(condition: str, form: str) -> None:
    assert from_condition(0, f"assert {condition}", condition).form == form


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    ("condition", "form"),
    [
        ("got != want", "equal"),
        ("got == 0", "not_equal"),
        ("err != nil", "null"),
        ("a != 1 && b != 2", "either"),
        ("false", "trivial"),
    ],
)
def test_conditions_that_lead_to_a_failure_demand_the_opposite(condition: str, form: str) -> None:
    assert from_condition(0, f"if {condition}", condition, inverted=True).form == form


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        ("assertEqual", "assertTrue"),
        ("assertEquals", "assertNotNull"),
        ("assert_eq", "assert_ne"),
        ("EXPECT_EQ", "EXPECT_NE"),
        ("toBe", "toBeDefined"),
        ("toEqual", "toContain"),
        ("toStrictEqual", "toBeTruthy"),
        ("isEqualTo", "isNotNull"),
        ("Equal", "NotNil"),
        ("assertEqual", "assertIn"),
        ("strictEqual", "ok"),
        ("toHaveLength", "toBeDefined"),
        ("EXPECT_EQ", "EXPECT_GE"),
        ("toBe", "toBeGreaterThan"),
    ],
)
def test_one_call_demands_more_than_another(strong: str, weak: str) -> None:
    first, second = (from_call(0, name, name, ["f(1)", "2"]) for name in (strong, weak))
    assert STRENGTH[first.form] > STRENGTH[second.form], (first.form, second.form)


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("assertEquals", "assertEqual"),
        ("EXPECT_EQ", "ASSERT_EQ"),
        ("toBe", "toEqual"),
        ("toEqual", "toStrictEqual"),
        ("equal", "strictEqual"),
        ("assertThrows", "toThrow"),
    ],
)
def test_some_calls_demand_the_same(one: str, other: str) -> None:
    first, second = (from_call(0, name, name, ["f(1)", "2"]) for name in (one, other))
    assert first.form == second.form


@pytest.mark.spec("K7")
def test_splitting_respects_brackets_and_strings() -> None:
    assert split_top('f(a, b), "x, y", [1, 2]', (",",)) == ["f(a, b)", '"x, y"', "[1, 2]"]
    assert split_top("a", (",",)) == ["a"]
    assert split_top(r'"a\", b", c', (",",)) == [r'"a\", b"', "c"]
