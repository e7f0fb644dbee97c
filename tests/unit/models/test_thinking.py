"""Thinking is kept out of the reply; the contents of files are not touched (SPEC M3)."""

from __future__ import annotations

import pytest

from compile_loop.models.thinking import ThinkingFilter, visible_text

BLOCK = "<<<<<<< SEARCH\nx\n=======\nGOOD\n>>>>>>> REPLACE\n"
DRAFT = "<<<<<<< SEARCH\nx\n=======\nBAD\n>>>>>>> REPLACE\n"


@pytest.mark.spec("M3")
@pytest.mark.parametrize(
    ("reply", "visible"),
    [
        ("plain", "plain"),
        (f"<think>hm</think>{BLOCK}", BLOCK),
        (f"\n <thinking>\n{DRAFT}</thinking>\n\n{BLOCK}", BLOCK),
        (f"<thought>a</thought><reasoning>b</reasoning>{BLOCK}", BLOCK),
        (f"{DRAFT}So.\n</think>\n{BLOCK}", BLOCK),
        (f"no tag <<<<<<< SEARCH is what I will write\n</think>{BLOCK}", BLOCK),
        (f"<<<<<<< SEARCH\nnever ended\n</think>\n{BLOCK}", BLOCK),
        (f"First:\n{BLOCK}<think>\nor rather\n{DRAFT}</think>\n{BLOCK}", f"First:\n{BLOCK}{BLOCK}"),
        (f"<think>never ended\n{DRAFT}", ""),
        (f"{BLOCK}<think>never ended\n{DRAFT}", BLOCK),
        (f"I <think> it is `</thinkers>`.\n{BLOCK}", f"I <think> it is `</thinkers>`.\n{BLOCK}"),
        (f"```\n<think>content</think>\n```\n{BLOCK}", f"```\n<think>content</think>\n```\n{BLOCK}"),
        (f"{BLOCK.replace('GOOD', '</think>')}done\n", f"{BLOCK.replace('GOOD', '</think>')}done\n"),
        ("```c\nint x;\n```", "```c\nint x;\n```"),
    ],
)
def test_visible_text(reply: str, visible: str) -> None:
    assert visible_text(reply).strip() == visible.strip()
    assert "BAD" not in visible_text(reply)


@pytest.mark.spec("M3")
@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ("<think>a</think>b", "b"),
        ("  <think>a</think>  b", "  b"),
        ("<thin ice", "<thin ice"),
        ("<", "<"),
        ("<think>a", ""),
        ("a <think>b</think>", "a <think>b</think>"),
        ("<think>a</think><thought>b</thought>c", "c"),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_filter_shows_the_same_however_it_is_split(reply: str, shown: str, size: int) -> None:
    stream = ThinkingFilter()
    pieces = [stream.feed(reply[at : at + size]) for at in range(0, len(reply), size)]
    assert "".join([*pieces, stream.end()]) == shown


def test_text_passes_at_once() -> None:
    stream = ThinkingFilter()
    assert stream.feed("The") == "The"
    assert stream.feed(" <think>") == " <think>"


def test_long_thinking_is_not_kept_in_memory() -> None:
    stream = ThinkingFilter()
    stream.feed("<think>")
    for _ in range(1000):
        stream.feed("x" * 1000)
    assert len(stream._held) < 100
