"""A reply is applied whole or not at all; located blocks wait for failed ones (SPEC E5, E6, Q10)."""

from __future__ import annotations

import pytest
from tests.unit.edits.build import applied, block, refused

from compile_loop.edits.apply import Applied, HeldBlocks, Refused, Target, apply_reply

pytestmark = pytest.mark.spec("E6")


def on(path: str, *blocks: str) -> str:
    return f"<<< path={path} >>>\n" + "".join(blocks)


class TestWholeOrNothing:
    def test_over_all_files(self) -> None:
        targets = [Target("keep.txt", b"k\n"), Target("b.txt", b"b\n")]
        result = apply_reply(on("keep.txt", block("k\n", "")) + on("b.txt", block("nope\n", "x\n")), targets)
        assert isinstance(result, Refused)
        assert [(r.index, r.path, r.ok) for r in result.reports] == [(1, "keep.txt", True), (2, "b.txt", False)]

    def test_several_files_with_the_same_text(self) -> None:
        targets = [Target("a.c", b"x\n"), Target("b.c", b"x\n")]
        result = apply_reply(on("b.c", block("x\n", "y\n")), targets)
        assert isinstance(result, Applied)
        assert result.files == {"b.c": b"y\n"}

    def test_a_no_op_is_refused(self) -> None:
        assert "changes nothing" in refused("a\n", block("a\n", "a\n")).message
        assert "changes nothing" in refused("a\nb\n", block("a\n", "A\n") + block("b\n", "b\n")).message
        assert "change nothing" in refused("a\n", block("a\n", "b\n") + block("b\n", "a\n")).message

    def test_a_no_op_through_look_alikes_shows_the_difference(self) -> None:
        message = refused("puts(\u201chi\u201d);\n", block('puts("hi");\n', 'puts("hi");\n')).message
        assert "changes nothing" in message
        assert "\\u201chi\\u201d" in message

    def test_a_path_that_is_no_target(self) -> None:
        targets = [Target("src/a.c", b"x\n"), Target("b.c", b"x\n")]
        result = apply_reply(on("a.c", block("x\n", "y\n")), targets)
        assert isinstance(result, Refused)
        assert "none of the files that may be edited (src/a.c, b.c)" in result.message

    @pytest.mark.spec("Q11")
    def test_a_path_as_given_or_relative_to_the_root(self) -> None:
        targets = [Target("/w/src/a.c", b"x\n"), Target("./b.c", b"x\n")]
        for spelled in ("/w/src/a.c", "src/a.c", "./src/a.c", "src\\a.c"):
            result = apply_reply(on(spelled, block("x\n", "y\n")), targets, root="/w")
            assert isinstance(result, Applied), result.message
            assert result.files == {"/w/src/a.c": b"y\n"}
        result = apply_reply(on("b.c", block("x\n", "y\n")), targets, root="/w")
        assert isinstance(result, Applied)
        assert result.files == {"./b.c": b"y\n"}


@pytest.mark.spec("E5")
class TestSeveralBlocks:
    def test_all_are_located_in_the_text_as_it_was(self) -> None:
        text = "f(\n  1\n);\n// gone\ng();\n"
        reply = block("f(\n", "f(\n  0,\n  0,\n") + block("// gone\n", "")
        assert applied(text, reply) == "f(\n  0,\n  0,\n  1\n);\ng();\n"

    def test_in_any_order(self) -> None:
        assert applied("a\nb\nc\n", block("c\n", "C\n") + block("a\n", "A\n")) == "A\nb\nC\n"

    def test_swapping_does_not_chain(self) -> None:
        assert applied("a\nb\n", block("a\n", "b\n") + block("b\n", "a\n")) == "b\na\n"

    def test_neighbours_do_not_overlap(self) -> None:
        assert applied("a\nb\nc\n", block("a\n", "") + block("b\n", "B\n") + block("c\n", "")) == "B\n"

    def test_overlapping_blocks_are_refused(self) -> None:
        for second in ("b\nc\n", "a\n", "b\n", "a\nb\nc\n", "a\nb\n"):
            refusal = refused("a\nb\nc\n", block("a\nb\n", "A\nB\n") + block(second, "x\n"))
            assert "overlaps block 1" in refusal.message

    def test_the_same_block_twice_is_refused(self) -> None:
        assert "overlaps block 1" in refused("a\n", block("a\n", "b\n") * 2).message

    def test_a_block_on_what_an_earlier_one_wrote(self) -> None:
        assert applied("a\nb\n", block("a\n", "X\nY\n") + block("Y\nb\n", "Z\n")) == "X\nZ\n"
        assert applied("a\nb\n", block("a\n", "X\n") + block("X\n", "Y\n") + block("Y\n", "Z\n")) == "Z\nb\n"
        assert applied("a\nb\nc\n", block("b\n", "") + block("a\nc\n", "d\n")) == "d\n"

    def test_only_where_it_matches_nowhere_else(self) -> None:
        assert "overlaps" in refused("X\na\n", block("a\n", "X\n") + block("X\n", "Y\n") + block("a\n", "b\n")).message
        assert applied("X\na\n", block("a\n", "X\n") + block("X\n", "Y\n")) == "Y\nX\n"
        twice = refused("a\nb\n", block("a\n", "X\n") + block("b\n", "X\n") + block("X\n", "Y\n"))
        assert twice.reports[2].reason

    def test_written_exactly_and_in_the_file_loosely_is_unsure(self) -> None:
        refusal = refused("a\n    foo()\n", block("a\n", "foo()\n") + block("foo()\n", "bar()\n"))
        assert "which one is meant" in refusal.message

    def test_not_on_what_a_later_one_writes(self) -> None:
        assert refused("a\n", block("X\n", "Y\n") + block("a\n", "X\n")).reports[0].ok is False

    def test_a_third_block_on_lines_that_a_chain_took(self) -> None:
        reply = block("a\n", "X\n") + block("X\nb\n", "Y\n") + block("b\nc\n", "Z\n")
        assert "overlaps" in refused("a\nb\nc\n", reply).message


@pytest.mark.spec("E10")
@pytest.mark.spec("E4")
class TestNewFiles:
    def test_an_empty_search_creates_only_what_is_absent_or_empty(self) -> None:
        made = apply_reply(block("", "x\ny\n"), [Target("f.txt", None)], allow_new_files=True)
        assert isinstance(made, Applied)
        assert made.files == {"f.txt": b"x\ny\n"}
        assert applied("", block("", "x\n")) == "x\n"
        assert "has content" in refused("a\n", block("", "x\n")).message

    def test_new_files_must_be_allowed(self) -> None:
        assert "new files are not allowed" in refused(None, block("", "x\n")).message

    def test_an_empty_file_can_be_made_once(self) -> None:
        made = apply_reply(block("", ""), [Target("f.txt", None)], allow_new_files=True)
        assert isinstance(made, Applied)
        assert made.files == {"f.txt": b""}
        assert "empty already" in refused("", block("", "")).message

    def test_a_mark_alone_is_an_empty_file(self) -> None:
        result = apply_reply(block("", "x\n"), [Target("f.txt", b"\xef\xbb\xbf")])
        assert isinstance(result, Applied)
        assert result.files == {"f.txt": b"\xef\xbb\xbfx\n"}

    def test_created_twice_is_refused(self) -> None:
        result = apply_reply(block("", "x\n") + block("", "y\n"), [Target("f.txt", None)], allow_new_files=True)
        assert isinstance(result, Refused)

    def test_a_file_that_is_no_target(self) -> None:
        targets = [Target("a.c", b"x\n"), Target("b.c", b"x\n")]
        reply = on("new.h", block("", "int x;\n")) + on("a.c", block("x\n", "y\n"))
        free = {"new.h"}

        def may_create(path: str) -> str | None:
            return None if path in free else "it exists"

        made = apply_reply(reply, targets, allow_new_files=True, may_create=may_create)
        assert isinstance(made, Applied)
        assert made.files == {"new.h": b"int x;\n", "a.c": b"y\n"}
        assert isinstance(apply_reply(reply, targets, allow_new_files=True), Refused)
        free.clear()
        there = apply_reply(reply, targets, allow_new_files=True, may_create=may_create)
        assert isinstance(there, Refused)
        assert "it exists" in there.message
        hooks = apply_reply(
            on(".git/hooks/pre-commit", block("", "x\n")), targets, allow_new_files=True, may_create=lambda _: None
        )
        assert isinstance(hooks, Refused)

    def test_search_with_text_in_a_file_that_is_empty(self) -> None:
        assert "SEARCH must be empty" in refused("", block("a\n", "b\n")).message


@pytest.mark.spec("Q10")
class TestHeld:
    def test_located_blocks_land_with_the_corrected_one(self) -> None:
        first = refused("a\nb\nc\n", block("a\n", "A\n") + block("nope\n", "x\n") + block("c\n", "C\n"))
        assert first.held
        assert [held.index for held in first.held.blocks] == [1, 3]
        assert "Blocks 1 and 3 were found and are kept" in first.message
        assert "Send block 2 again, corrected, and only it" in first.message
        second = apply_reply(block("b\n", "B\n"), [Target("f.txt", b"a\nb\nc\n")], held=first.held)
        assert isinstance(second, Applied)
        assert second.files == {"f.txt": b"A\nB\nC\n"}
        assert [report.index for report in second.reports] == [1]

    def test_they_are_kept_over_several_failures(self) -> None:
        text = "a\nb\nc\n"
        one = refused(text, block("a\n", "A\n") + block("nope\n", "x\n"))
        two = refused(text, block("c\n", "C\n") + block("nope\n", "x\n"), held=one.held)
        three = refused(text, "I am done.\n", held=two.held)
        assert three.no_blocks
        assert three.held == two.held
        result = apply_reply(block("b\n", "B\n"), [Target("f.txt", text.encode())], held=three.held)
        assert isinstance(result, Applied)
        assert result.files == {"f.txt": b"A\nB\nC\n"}

    def test_one_whose_place_changed_is_dropped_and_named(self) -> None:
        first = refused("a\nb\nc\n", block("a\n", "A\n") + block("nope\n", "x\n"))
        result = apply_reply(block("b\n", "B\n"), [Target("f.txt", b"a2\nb\nc\n")], held=first.held)
        assert isinstance(result, Applied)
        assert result.files == {"f.txt": b"a2\nB\nc\n"}
        assert "its block 1, for f.txt) was dropped" in result.warnings[0]
        loose = refused("a \nb\n", block("a\n", "A\n") + block("nope\n", "x\n"))
        result = apply_reply(block("b\n", "B\n"), [Target("f.txt", b"a\t\nb\n")], held=loose.held)
        assert isinstance(result, Applied)
        assert result.warnings

    def test_sent_again_it_counts_once(self) -> None:
        first = refused("a\nb\n", block("a\n", "A\n") + block("nope\n", "x\n"))
        again = apply_reply(block("a\n", "A\n") + block("b\n", "B\n"), [Target("f.txt", b"a\nb\n")], held=first.held)
        assert isinstance(again, Applied)
        assert again.files == {"f.txt": b"A\nB\n"}
        assert again.warnings == ()

    def test_a_new_block_in_its_place_wins_and_is_named(self) -> None:
        first = refused("a\nb\n", block("a\n", "A\n") + block("a\nb\n", "x\n"))
        again = apply_reply(block("a\nb\n", "A\nB\n"), [Target("f.txt", b"a\nb\n")], held=first.held)
        assert isinstance(again, Applied)
        assert again.files == {"f.txt": b"A\nB\n"}
        assert "took the place of one kept" in again.warnings[0]

    def test_a_block_may_build_on_a_kept_one(self) -> None:
        first = refused("a\nb\n", block("a\n", "X\n") + block("Xx\n", "Y\n"))
        again = apply_reply(block("X\n", "Y\n"), [Target("f.txt", b"a\nb\n")], held=first.held)
        assert isinstance(again, Applied)
        assert again.files == {"f.txt": b"Y\nb\n"}

    def test_a_kept_block_for_a_file_that_is_no_longer_a_target(self) -> None:
        first = refused("a\nb\n", block("a\n", "X\n") + block("nope\n", "Y\n"))
        result = apply_reply(block("a\n", "b\n"), [Target("g.txt", b"a\n")], held=first.held)
        assert isinstance(result, Applied)
        assert result.files == {"g.txt": b"b\n"}
        assert result.warnings

    def test_a_cut_off_reply_is_refused_whole_and_its_whole_blocks_are_kept(self) -> None:
        reply = block("a\n", "A\n") + "<<<<<<< SEARCH\nb\n=======\nB"
        cut = apply_reply(reply, [Target("f.txt", b"a\nb\n")], truncated=True)
        assert isinstance(cut, Refused)
        assert "cut off" in cut.message
        assert cut.held
        rest = apply_reply(block("b\n", "B\n"), [Target("f.txt", b"a\nb\n")], held=cut.held)
        assert isinstance(rest, Applied)
        assert rest.files == {"f.txt": b"A\nB\n"}
        whole = apply_reply(block("a\n", "A\n"), [Target("f.txt", b"a\nb\n")], truncated=True)
        assert isinstance(whole, Refused)

    def test_none_held_when_nothing_located(self) -> None:
        assert refused("a\n", block("nope\n", "x\n")).held is None
        assert isinstance(HeldBlocks(()), HeldBlocks)


@pytest.mark.spec("Q10")
class TestToolEditsInTheSameReply:
    def test_a_twin_elsewhere_is_not_taken_for_lines_that_a_tool_changed(self) -> None:
        start, now = b"x = 1\ny\n    x = 1\n", b"x = 2\ny\n    x = 1\n"
        result = apply_reply(block("x = 1\n", "x = 3\n"), [Target("f.txt", now)], at_reply_start={"f.txt": start})
        assert isinstance(result, Refused)
        assert "earlier in the same reply changed line 1" in result.message

    def test_lines_that_only_moved_are_found(self) -> None:
        start, now = b"a\nb\n", b"new\na\nb\n"
        result = apply_reply(block("b\n", "B\n"), [Target("f.txt", now)], at_reply_start={"f.txt": start})
        assert isinstance(result, Applied)
        assert result.files == {"f.txt": b"new\na\nB\n"}

    def test_our_own_edits_are_no_conflict(self) -> None:
        result = apply_reply(block("B\n", "C\n"), [Target("f.txt", b"a\nB\n")], at_reply_start={"f.txt": b"a\nb\n"})
        assert isinstance(result, Applied)
        assert result.files == {"f.txt": b"a\nC\n"}


@pytest.mark.spec("Q10")
def test_a_new_block_that_cannot_land_pushes_no_kept_one_out() -> None:
    text = "a\nb\nc\n"
    first = refused(text, block("a\n", "A\n") + block("nope\n", "x\n"))
    second = refused(text, block("c\n", "C\n") + block("a\nb\nc\n", "z\n"), held=first.held)
    assert second.held
    assert [held.search for held in second.held.blocks] == [("a",), ("c",)]


def test_a_block_that_would_make_a_mark_is_not_kept() -> None:
    refusal = refused("a\n\ufeffb\n", block("a\n", ""))
    assert [(report.index, report.ok) for report in refusal.reports] == [(1, False)]
    assert refusal.held is None


@pytest.mark.spec("E7")
def test_an_unsure_divider_is_told_with_the_closest_lines() -> None:
    conflict = "<<<<<<< HEAD\nint alpha = 1;\n=======\nint beta = 2;\n>>>>>>> br\n"
    message = refused("x\n" + conflict, block(conflict.replace("2", "22"), "c\n")).message
    assert "could be the divider" in message
    assert '"int beta = 22;"' in message
    assert "> 5 | int beta = 2;" in message
