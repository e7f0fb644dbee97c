"""Servers' habits with indices, ids and names, in any combination, give the same calls (SPEC M3)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from compile_loop.models.tool_calls import CallAssembler

NAMES = ("put", "put_file", "read", "run_build")


@dataclass(frozen=True)
class Habits:
    index: str
    ids: str
    names: str
    object_arguments: bool
    interleaved: bool
    """Fragments of different calls alternate; only where each has an index of its own, else nothing tells them apart."""


habits = st.builds(
    Habits,
    index=st.sampled_from(["own", "own, from 1", "reused", "absent", "null"]),
    ids=st.sampled_from(["once", "every", "fresh", "none", "empty"]),
    names=st.sampled_from(["once", "every", "empty later"]),
    object_arguments=st.booleans(),
    interleaved=st.booleans(),
)
arguments = st.lists(st.text(max_size=8), min_size=1, max_size=4, unique=True)
cuts = st.lists(st.integers(0, 60), max_size=4)


def fragments(habits: Habits, at: int, name: str, text: str, places: list[int]) -> list[dict[str, Any]]:
    """One call as this server streams it."""
    edges = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    pieces: list[Any] = ["", *(text[a:b] for a, b in pairwise(edges))]
    if habits.object_arguments:
        pieces = [json.loads(text)]
    made = []
    for n, piece in enumerate(pieces):
        fragment: dict[str, Any] = {"arguments": piece}
        if habits.index.startswith("own"):
            fragment["index"] = at + (habits.index != "own")
        elif habits.index != "absent":
            fragment["index"] = 0 if habits.index == "reused" else None
        if habits.ids in ("once", "every") and (n == 0 or habits.ids == "every"):
            fragment["id"] = f"k{at}"
        elif habits.ids == "fresh":
            fragment["id"] = f"k{at}.{n}" if n else f"k{at}"
        elif habits.ids == "empty":
            fragment["id"] = ""
        if n == 0 or habits.names == "every":
            fragment["name"] = name
        elif habits.names == "empty later":
            fragment["name"] = ""
        made.append(fragment)
    return made


@settings(deadline=None)
@given(habits, arguments, st.data())
def test_the_same_calls_come_out(habits: Habits, values: list[str], data: st.DataObject) -> None:
    expected, streams = [], []
    for at, value in enumerate(values):
        name = data.draw(st.sampled_from(NAMES))
        text = json.dumps({"p": value}, ensure_ascii=False)
        expected.append((f"k{at}" if habits.ids in ("once", "every", "fresh") else "", name, {"p": value}))
        streams.append(fragments(habits, at, name, text, data.draw(cuts)))
    assembler = CallAssembler(NAMES)
    order = [fragment for stream in streams for fragment in stream]
    if habits.interleaved and habits.index.startswith("own"):
        order = [each.pop(0) for each in streams]
        while any(streams):
            order.append(data.draw(st.sampled_from([each for each in streams if each])).pop(0))
    for each in order:
        assembler.feed(each.get("index"), each.get("id"), each.get("name"), each["arguments"])
    assert [(call.id, call.name, json.loads(call.arguments)) for call in assembler.calls] == expected


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.none() | st.integers(0, 2) | st.text(max_size=3)] * 4), max_size=8))
def test_no_fragment_breaks_it(fed: list[tuple[Any, Any, Any, Any]]) -> None:
    assembler = CallAssembler(NAMES)
    for each in fed:
        assembler.feed(*each)
    assert all(call.name and call.arguments.strip() for call in assembler.calls)
