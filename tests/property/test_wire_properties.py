"""However a reply is cut into pieces and chunks, the same text comes out (SPEC M3)."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from compile_loop.models.openai import ChunkReader
from compile_loop.models.thinking import ThinkingFilter, visible_text

texts = st.text(alphabet=st.characters(codec="utf-8"), max_size=60)
tags = st.sampled_from(
    ["<think>", "</think>", "<", "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n", "```\n", "\n", "a"]
)
replies = st.lists(st.one_of(tags, texts), max_size=12).map("".join)

calls = ["tool_calls", "function", "name", "arguments", "id"]
names = st.sampled_from(["choices", "delta", "message", "content", "type", "text", "usage", "index", *calls])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(names, each, max_size=4),
)


def cut(text: str, places: list[int]) -> list[str]:
    edges = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    return [text[a:b] for a, b in pairwise(edges)]


@given(replies, st.lists(st.integers(0, 500), max_size=8))
def test_reader_puts_any_pieces_together(text: str, places: list[int]) -> None:
    reader = ChunkReader()
    pieces = cut(text, places)
    for piece in pieces:
        added = reader.feed("", json.dumps({"choices": [{"index": 0, "delta": {"content": piece}}]}))
        assert added == piece
    reader.feed("", '{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}')
    assert reader.complete
    assert reader.text == text


@given(replies, st.lists(st.integers(0, 500), max_size=8))
def test_filter_does_not_depend_on_the_pieces(text: str, places: list[int]) -> None:
    whole, parts = ThinkingFilter(), ThinkingFilter()
    expected = whole.feed(text) + whole.end()
    assert "".join([*(parts.feed(piece) for piece in cut(text, places)), parts.end()]) == expected


@given(replies)
def test_visible_text_adds_nothing_and_ends(text: str) -> None:
    visible = visible_text(text)
    assert len(visible) <= len(text)
    if "think>" not in text:
        assert visible == text


@given(anything)
def test_reader_survives_any_json(value: object) -> None:
    reader = ChunkReader()
    reader.feed("message", json.dumps({"choices": value, "usage": value}))
    reader.feed("message", json.dumps({"choices": [value]}))
    assert isinstance(reader.text, str)
