"""Where a SEARCH is: each tier gives exactly one place, or nothing is written (SPEC E5)."""

from __future__ import annotations

import pytest
from tests.unit.edits.build import apply, block, refused, tier

pytestmark = pytest.mark.spec("E5")


@pytest.mark.parametrize(
    ("text", "search", "expected"),
    [
        ("a\nb\n", "b\n", "exact"),
        ("a  \nb\n", "a\nb\n", "trailing-space"),
        ("    a\n      b\n", "a\n  b\n", "indent-shift"),
        ("    a\n      b\n", "          a\n            b\n", "indent-shift"),
        ("\ta\n\t\tb\n", "  a\n    b\n", "indent-map"),
        ("\tx = 1\n", "x = 1\n", "indent-map"),
        ("s = \u201ca\u201d\n", 's = "a"\n', "unicode"),
        ("x\u00a0= 1 \u2013 2\n", "x = 1 - 2\n", "unicode"),
        ("e\u0301 = 1\n", "\u00e9 = 1\n", "unicode"),
        ("alpha\nbeta\n", "1 | alpha\n2 | beta\n", "line-numbers"),
        ("alpha\n\nbeta\n", "1→alpha\n2→\n3→beta\n", "line-numbers"),
        ("alpha\nbeta\n", "2: beta\n", "line-numbers"),
        ("a\n\n\nb\n", "a\n\nb\n", "blank-lines"),
        ("a\nb\n", "a\n\nb\n", "blank-lines"),
        ("f() {\n  a\n  b\n  c\n}\n", "f() {\n  ...\n  c\n", "elision"),
    ],
)
def test_each_tier(text: str, search: str, expected: str) -> None:
    replace = search.replace("a\n", "A\n").replace("c\n", "C\n") if "..." in search or "  " in search else "new\n"
    assert tier(text, search, replace) == expected


class TestOnePlaceOnly:
    def test_two_places_are_refused_with_their_lines_and_a_preview(self) -> None:
        refusal = refused("def f():\n    return 0\ndef g():\n    return 0\n", block("    return 0\n", "    return 1\n"))
        assert "2 places, at lines 2, 4" in refusal.message
        assert "> 2 |     return 0" in refusal.message
        assert "> 4 |     return 0" in refusal.message
        assert "  3 | def g():" in refusal.message

    def test_overlapping_places_count(self) -> None:
        assert "2 places" in refused("foo\nfoo\nfoo\n", block("foo\nfoo\n", "bar\n")).message

    def test_a_unique_exact_place_wins_over_loose_ones(self) -> None:
        assert apply('g = \u201chi\u201d\ng = "hi"\n', 'g = "hi"\n', 'g = "yo"\n') == 'g = \u201chi\u201d\ng = "yo"\n'
        assert apply("  x\nx\n", "x\n", "y\n") == "  x\ny\n"

    def test_exact_twins_are_refused_though_a_looser_tier_would_give_one(self) -> None:
        text = "1 | a\nb\n1 | a\na\n"
        assert "2 places" in refused(text, block("1 | a\n", "x\n")).message

    def test_unique_only_when_normalised_with_twins_is_refused(self) -> None:
        refusal = refused("s = 'a'\n    s = 'a'\n", block("s = \u2018a\u2019\n", "s = 1\n"))
        assert "2 places, at lines 1, 2" in refusal.message
        refusal = refused("x = 1\ny\nx = 1\n", block("7 | x = 1\n8 | y\n", "z\n") + block("9\tx = 1\n", "z\n"))
        assert not any(report.ok for report in refusal.reports if report.index == 2)

    def test_one_line_has_no_shape_by_which_a_shift_could_be_told(self) -> None:
        refusal = refused("        return 0\n\treturn 0\n", block("    return 0\n", "    return 1\n"))
        assert "2 places" in refusal.message

    def test_several_lines_shifted_alike_win_over_those_that_are_not(self) -> None:
        text = "if a:\n    x\n  y\nif b:\n    x\n        y\n"
        assert apply(text, "x\n    y\n", "x\n    z\n") == "if a:\n    x\n  y\nif b:\n    x\n        z\n"

    @pytest.mark.timeout(20)
    def test_thousands_of_places_are_counted_in_bounded_time(self) -> None:
        refusal = refused("}\n" * 200_000, block("}\n}\n", "x\n"))
        assert "more than 100 places" in refusal.message
        refusal = refused(" }\n" * 200_000, block("}\n}\n", "x\n"))
        assert "more than 100 places" in refusal.message
        assert len(refusal.message) < 3000


class TestNeverBySimilarity:
    @pytest.mark.parametrize(
        ("text", "search"),
        [
            ("total = item.price\n", "total = item.prize\n"),
            ("Foo = 1\n", "foo = 1\n"),
            ("x = 10\n", "x = 1\n"),
            ("f(a, b)\n", "f(a,b)\n"),
            ("x = '\u0430'\n", "x = 'a'\n"),  # Cyrillic а
            ("x = \u00b2\n", "x = 2\n"),
            ("\ufb01 = 1\n", "fi = 1\n"),
            ("if a < b:\n", "if a &lt; b:\n"),
            ('r"\\\\d"\n', 'r"\\\\\\\\d"\n'),
            ("abc\ndef\n", "abc\nxyz\ndef\n"),
            ("abc\nxyz\ndef\n", "abc\ndef\n"),
            ("value = compute(1)\n", "compute(1)\n"),
        ],
    )
    def test_other_words_are_another_place(self, text: str, search: str) -> None:
        assert refused(text, block(search, "new\n")).reports[0].line is None


class TestReplacedLines:
    def test_a_shift_goes_over_to_replace(self) -> None:
        text = "class A:\n    def f(self):\n        return 1\n"
        new = "def f(self):\n    if x:\n\n        return 2\n"
        assert apply(text, "def f(self):\n    return 1\n", new) == (
            "class A:\n    def f(self):\n        if x:\n\n            return 2\n"
        )

    def test_a_shift_to_the_left(self) -> None:
        text = "if a:\n  x\n  y\n"
        assert apply(text, "    if a:\n      x\n", "    if b:\n      z\n") == "if b:\n  z\n  y\n"

    def test_replace_that_cannot_be_shifted_left_is_refused(self) -> None:
        refusal = refused("a\n  b\n", block("    a\n      b\n", "  a\n  c\n"))
        assert "how far to indent" in refusal.message

    def test_spaces_for_tabs(self) -> None:
        text = "func f() {\n\tif x {\n\t\treturn\n\t}\n}\n"
        new = "if y {\n    for {\n        return\n    }\n}\n"
        assert apply(text, "if x {\n    return\n}\n", new) == (
            "func f() {\n\tif y {\n\t\tfor {\n\t\t\treturn\n\t\t}\n\t}\n}\n"
        )

    def test_spaces_for_tabs_with_one_line_of_search(self) -> None:
        assert apply("f() {\n\treturn 0\n}\n", "    return 0\n", "    if x {\n        return 1\n    }\n") == (
            "f() {\n\tif x {\n\t\treturn 1\n\t}\n}\n"
        )
        assert apply("f() {\n\treturn 0\n}\n", "return 0\n", "if x {\n  return 1\n}\n") == (
            "f() {\n\tif x {\n\t\treturn 1\n\t}\n}\n"
        )

    def test_tabs_for_spaces(self) -> None:
        assert apply("f() {\n    a\n    b\n}\n", "\ta\n", "\tif x {\n\t\ta\n\t}\n") == (
            "f() {\n    if x {\n        a\n    }\n    b\n}\n"
        )

    def test_tabs_for_spaces_where_only_the_file_shows_its_step(self) -> None:
        assert apply("f() {\n  a\n}\n", "a\n", "if x {\n\ta\n}\n") == "f() {\n  if x {\n    a\n  }\n}\n"

    def test_four_spaces_for_two(self) -> None:
        text = "f() {\n  if x {\n    a\n  }\n}\n"
        assert apply(text, "    if x {\n        a\n", "    if x {\n        if y {\n            b\n        }\n") == (
            "f() {\n  if x {\n    if y {\n      b\n    }\n  }\n}\n"
        )

    def test_alignment_inside_a_tab_indented_file_keeps_its_odd_spaces(self) -> None:
        text = "\t/*\n\t * a\n\t */\n"
        assert (
            apply(text, "    /*\n     * a\n     */\n", "    /*\n     * b\n     * c\n     */\n")
            == "\t/*\n\t * b\n\t * c\n\t */\n"
        )

    def test_a_makefile_keeps_its_tab(self) -> None:
        assert apply("all:\n\tcc a.c\n", "all:\n    cc a.c\n", "all:\n    cc -g a.c\n    strip a\n") == (
            "all:\n\tcc -g a.c\n\tstrip a\n"
        )

    def test_lost_indentation_is_put_back_line_for_line(self) -> None:
        assert apply("if x:\n    a\n        b\n", "a\nb\n", "A\nB\n") == "if x:\n    A\n        B\n"

    def test_lost_indentation_with_more_lines_is_refused(self) -> None:
        refusal = refused("if x:\n    a\n        b\n", block("a\nb\n", "A\nB\nC\n"))
        assert "copy the indentation of the file" in refusal.message

    def test_lost_indentation_with_lines_taken_away(self) -> None:
        assert apply("if x:\n    a\n        b\n    c\n", "a\nb\nc\n", "a\nc\n") == "if x:\n    a\n    c\n"

    def test_the_first_line_keeps_its_spaces(self) -> None:
        assert apply(
            "if a:\n        x = 1\n        y = 2\n", "        x = 1\n        y = 2\n", "        x = 3\n        y = 4\n"
        ) == ("if a:\n        x = 3\n        y = 4\n")

    def test_kept_lines_keep_what_search_got_wrong(self) -> None:
        text = "s = \u201ca\u201d  \nt = 1\t\n"
        assert apply(text, 's = "a"\nt = 1\n', 's = "a"\nt = 2\n') == "s = \u201ca\u201d  \nt = 2\n"

    def test_white_space_inside_strings_that_stay(self) -> None:
        text = 'x = """\n  two  \n\ttab\n"""\ny = 1\n'
        new = apply(text, 'x = """\n  two\n\ttab\n"""\ny = 1\n', 'x = """\n  two\n\ttab\n"""\ny = 2\n')
        assert new == text.replace("y = 1", "y = 2")

    def test_replacement_text_is_no_template(self) -> None:
        odd = "$& $1 $$ $' \\1 \\g<0> %s {0} \\n\n"
        assert apply("a\nb\n", "b\n", odd) == f"a\n{odd}"

    def test_line_numbers_are_taken_from_replace_as_well(self) -> None:
        assert apply("alpha\n  beta\n", "1 | alpha\n2 |   beta\n", "1 | alpha\n2 |   BETA\n3 |   more\n") == (
            "alpha\n  BETA\n  more\n"
        )
        mixed = refused("alpha\nbeta\n", block("1 | alpha\n2 | beta\n", "1 | alpha\nBETA\n"))
        assert "line numbers" in mixed.message

    def test_numbers_that_may_be_content_need_the_files_own_numbering(self) -> None:
        assert refused("x\nfoo\n", block("7: foo\n", "bar\n")).reports
        assert refused("x\nfoo\n", block("7\tfoo\n", "bar\n")).reports
        assert apply("x\nfoo\n", "2\tfoo\n", "bar\n") == "x\nbar\n"


class TestBlankLines:
    @pytest.mark.parametrize(
        ("text", "search", "replace", "expected"),
        [
            ("a\nb\n", "\na\nb\n", "A\nB\n", "A\nB\n"),
            ("a\nb\n", "\na\nb\n", "\nA\nB\n", "A\nB\n"),
            ("a\nb\n", "a\nb\n\n", "a\nB\n\n", "a\nB\n"),
            ("a\n\nb\n", "a\nb\n", "A\nB\n", "A\n\nB\n"),
            ("a\n\nb\n", "a\nb\n", "c\n", "c\n"),
            ("a\nb\nc\n", "a\n\nb\n", "a\n\nx\nb\n", "a\n\nx\nb\nc\n"),
            ("a\n\n\nb\n", "a\n\nb\n", "a\n\nb2\n", "a\n\n\nb2\n"),
            ("\n\na\n", "\na\nb\n", "", None),
            ("  a\n\n\n    b\n", "a\n\n  b\n", "a\n\n  c\n", "  a\n\n\n    c\n"),
            ("a\n \t\nb\n", "a\n\nb\n", "a\n\nc\n", "a\n \t\nc\n"),
        ],
    )
    def test_surplus_and_missing(self, text: str, search: str, replace: str, expected: str | None) -> None:
        if expected is None:
            refused(text, block(search, replace))
        else:
            assert apply(text, search, replace) == expected

    def test_blank_search_goes_nowhere(self) -> None:
        for search in ("\n", " \n\n", "\u00a0\n"):
            assert "SEARCH is empty" in refused("a\n\nb\n", block(search, "c\n")).message


class TestElision:
    TEXT = "def f():\n    a = 1\n    b = 2\n    return a\n\ndef g():\n    c = 3\n    return c\n"

    def test_what_is_left_out_stays(self) -> None:
        search, replace = "def f():\n    ...\n    return a\n", "def f(x):\n    ...\n    return x\n"
        assert apply(self.TEXT, search, replace) == self.TEXT.replace("f()", "f(x)").replace("return a", "return x")

    def test_two_functions_are_not_taken_for_one(self) -> None:
        refusal = refused(self.TEXT, block("def f():\n    ...\n    return c\n", "def f():\n    ...\n    return 0\n"))
        assert "one block of code" in refusal.message

    def test_each_piece_must_be_unique_and_in_order(self) -> None:
        assert refused("a\nx\na\ny\nb\n", block("a\n...\nb\n", "A\n...\nb\n")).reports
        assert refused("a\nb\n", block("b\n...\na\n", "B\n...\na\n")).reports

    def test_replace_must_leave_out_the_same(self) -> None:
        assert "same `...` lines" in refused("a\nx\nb\n", block("a\n...\nb\n", "A\nb\n")).message

    def test_dots_that_are_code(self) -> None:
        assert (
            apply("def f():\n    ...\n", "def f():\n    ...\n", "def f():\n    return 1\n")
            == "def f():\n    return 1\n"
        )


def test_after_the_last_line_end_there_is_no_further_line() -> None:
    assert tier("\t}\n", "\t}\n\n", "x\n") == "blank-lines"
    assert tier("a\n\t}\n", "\t}\n\n", "x\n") == "blank-lines"
    assert tier("a\n\n", "a\n\n", "x\n") == "exact"
    assert tier("a\n\nb", "a\n\nb\n", "x\n") == "exact"
