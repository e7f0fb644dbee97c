"""`compileLoop/tree`: run → rounds → files, diagnostics, the check's output (SPEC V6)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from compile_loop.contracts.counting import count
from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.protocol import TreeNode, TreeNodes, TreeParams
from compile_loop.lsp.view.records import (
    RESULT,
    Node,
    ending_of,
    message_of,
    record_of,
    records_of,
    when_of,
)
from compile_loop.record.rounds import RecordedRound, rounds_of
from compile_loop.record.store import Record, State

ICONS = {
    "green": "pass",
    "nothing to fix": "pass",
    "no change nominated": "question",
    "under way": "sync",
    "interrupted": "debug-pause",
    "cancelled": "circle-slash",
    "resumed": "history",
}
OPEN, OUTPUT = "compileLoop.openRound", "compileLoop.openOutput"
MOST_FINDINGS = 50


async def tree(ls: LoopServer, params: TreeParams) -> TreeNodes:
    """The children of a node; none: the runs of this window, newest first."""
    if params.id is None:
        return TreeNodes(nodes=await asyncio.to_thread(_roots, await records_of(ls)))
    return TreeNodes(nodes=await asyncio.to_thread(_below, Node.of(params.id)))


def _roots(runs: list[Record]) -> list[TreeNode]:
    return [_run(record) for record in runs]


def _run(record: Record) -> TreeNode:
    ending = ending_of(record)
    rounds = sum(1 for each in rounds_of(record) if each.number)
    started = str(record.run.get("started", "")).replace("T", " ").removesuffix("Z")
    can = "active" if record.state is State.UNDER_WAY else "resumable" if record.resumable else "finished"
    return TreeNode(
        id=str(Node("run", record.id)),
        label=record.asked.label,
        description=" · ".join(filter(None, [ending, count(rounds, "round") if rounds else "", when_of(record)])),
        tooltip="\n".join(filter(None, [f"{started} UTC, run {record.id}", record.asked.root, message_of(record)])),
        icon=ICONS.get(ending, "error"),
        context=f"run.{can}",
        expandable=True,
    )


def _below(node: Node) -> list[TreeNode]:
    record = record_of(node.run)
    if node.kind == "run":
        return list(_rounds(record))
    each = next((each for each in rounds_of(record) if each.number == node.round), None)
    return list(_parts(record, each)) if each is not None else []


def _rounds(record: Record) -> Iterator[TreeNode]:
    for each in rounds_of(record):
        yield TreeNode(
            id=str(Node("round", record.id, each.number)),
            label=f"Round {each.number}" if each.number else "Before",
            description=each.words,
            tooltip="Click for the diff" if each.diff else "\n".join(each.refused),
            icon="git-commit" if each.number else "history",
            context="round.diff" if each.diff else "round",
            command=OPEN if each.diff else "",
            expandable=True,
        )
    if record.text("candidate.diff"):
        yield TreeNode(
            id=str(Node("round", record.id, RESULT)),
            label="Result",
            description=ending_of(record),
            icon="diff-multiple",
            context="round.diff",
            command=OPEN,
        )


def _parts(record: Record, each: RecordedRound) -> Iterator[TreeNode]:
    for path in each.files:
        yield TreeNode(
            id=str(Node("file", record.id, each.number, path)),
            label=path,
            icon="file",
            context="file",
            command=OPEN if each.diff else "",
        )
    for number, found in enumerate(_findings(record, each.number)):
        start = found["range"]["start"]
        yield TreeNode(
            id=str(Node("finding", record.id, each.number, str(number))),
            label=str(found["message"]),
            description=f"{found['file'] or ''}:{start['line'] + 1}",
            tooltip=str(found["message"]),
            icon="error",
        )
    if each.check:
        node = Node("output", record.id, each.number)
        yield TreeNode(id=str(node), label="Check output", icon="output", context="output", command=OUTPUT)


def _findings(record: Record, number: int) -> list[dict[str, Any]]:
    """The errors that the checks of one round showed; of two looks at the untouched tree, the last."""
    by_check: dict[str, list[dict[str, Any]]] = {}
    for event in record.events():
        if event.get("event") == "check_finished" and event.get("inPass") == ("round" if number else "baseline"):
            result = event.get("result", {})
            if event.get("round", 0) == number:
                by_check[str(result.get("check"))] = result.get("diagnostics", [])
    found = [each for each in (one for many in by_check.values() for one in many) if each.get("severity") == "error"]
    return found[:MOST_FINDINGS]
