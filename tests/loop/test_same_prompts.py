"""Same inputs, byte-identical prompts: nothing of the machine, the moment or the copy reaches a model (SPEC R2, Q23)."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from tests.loop.running import Told, block, fix, workspace

from compile_loop.contracts.protocols import ToolCall
from compile_loop.models.scripted import ScriptedReply

CHATTY = """\
import os, sys, time, tempfile, uuid, datetime
started = time.perf_counter()
print("started", datetime.datetime.now().isoformat(), "pid", os.getpid())
print("in", os.getcwd(), os.environ.get("COMPILE_LOOP_CHECK_MARK"))
print("object", object(), "run", uuid.uuid4())
with tempfile.NamedTemporaryFile() as file:
    print("temporary", file.name)
for n in range(400):
    print(f"case {n} took {time.perf_counter() - started:.6f}s at 0x{id(object()):012x}")
from rule import pay
print(f"FAILED in {time.perf_counter() - started:.3f}s", file=sys.stderr)
assert pay(50, 20) == (20, 30), f"pay gave {pay(50, 20)} in <{object()}>"
"""
RULE = "def pay(balance, amount):\n    return 0, balance\n"
READ = ScriptedReply(
    "",
    tool_calls=(
        ToolCall("c1", "read_file", '{"path": "output/1"}'),
        ToolCall("c2", "recall", '{"query": "output took"}'),
    ),
)
WRONG = "<<< path=rule.py >>>\n" + block("    return 0, balance\n", "    return amount, balance\n")
RIGHT = "<<< path=rule.py >>>\n" + block("    return amount, balance\n", "    return amount, balance - amount\n")


async def once(root: Path) -> Told:
    told = await fix(
        root,
        [READ, "Pays, but keeps the money.\n" + WRONG, "Now it is gone.\n" + RIGHT],
        targets=["rule.py", "chatty.py", "broken.c"],
        settings={"repair_memory": False},
        checks=(f"{sys.executable} -B chatty.py", "gcc -Wall -o out broken.c -lm && exit 1"),
    )
    assert len(told.model.requests) == 4 or told.outcome.failure is not None
    return told


@pytest.mark.spec("R2", "Q23")
async def test_the_same_inputs_give_byte_identical_prompts(tmp_path: Path) -> None:
    root = workspace(
        tmp_path / "ws", rule_py=RULE, chatty_py=CHATTY, broken_c="int f(void);\nint main(void) { return f(); }\n"
    )
    first, second = await once(root), await once(root)
    assert len(first.model.requests) >= 3
    assert first.model.requests == second.model.requests
    assert first.model.tools == second.model.tools
    said = "\n".join(m.content for m in first.model.requests[-1])
    assert "pay gave (0, 50)" in said and "case 3 took SECONDS" in said and "compile-loop-" not in said


@pytest.mark.spec("Q23")
async def test_each_request_begins_with_the_one_before(tmp_path: Path) -> None:
    root = workspace(tmp_path / "ws", rule_py=RULE, chatty_py=CHATTY, broken_c="int main(void) { return f(); }\n")
    requests = (await once(root)).model.requests
    for before, after in itertools.pairwise(requests):
        assert after[: len(before)] == before
