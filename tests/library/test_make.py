"""The loop as a tool for agents, over a real HTTP model server (SPEC P1, P2). Each test reads as an example of use."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.loop.running import block
from tests.support.model_server import Answer, ModelServer, Request, calls, says

import compile_loop
from compile_loop.models.scripted import ScriptedGenerator

A = "def area(w, h):\n    return w * h\n"
B = "def price(area):\n    return area * 3\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def model(server: ModelServer, **more: Any) -> dict[str, Any]:
    return {"provider": "openai", "model": "test", "base_url": server.base_url, **more}


async def python_runs(code: str, cwd: Path) -> dict[str, Any]:
    """A runner's answer: does this Python code run in that folder?"""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-B", "-c", code, cwd=cwd, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    return {
        "ok": process.returncode == 0,
        "stdout": out.decode(),
        "stderr": err.decode(),
        "exit_code": process.returncode,
    }


@pytest.mark.spec("P1", "P2")
async def test_an_additive_change_to_both_of_two_files(here: Path) -> None:
    (here / "a.py").write_text(A)
    (here / "b.py").write_text(B)
    seen: list[list[str]] = []

    async def runner(paths: list[str]) -> dict[str, Any]:
        seen.append(paths)
        return await python_runs("import a, b; assert a.volume(2, 3, 4) == 24; assert b.tax(100) == 19", here)

    volume = "\n\ndef volume(w, h, d):\n    return w * h * d\n"
    tax = "\n\ndef tax(price):\n    return price * 19 // 100\n"
    in_a = block("    return w * h\n", "    return w * h\n" + volume)
    in_b = block("    return area * 3\n", "    return area * 3\n" + tax)
    reply = f"Two functions are missing.\n<<< path=a.py >>>\n{in_a}<<< path=b.py >>>\n{in_b}"
    with ModelServer(says(reply)) as server:
        tool = compile_loop.make({"runner": runner, "llm": model(server), "edit_mode": "diff"})
        result = await tool.handler({"spec": "Add volume and tax.", "target_files": ["a.py", "b.py"]})
    assert result["ok"] and result["iters"] == 1
    assert result["modified_files"] == [str(here / "a.py"), str(here / "b.py")]
    assert set(result) == {"ok", "iters", "summary", "modified_files"}
    assert (here / "a.py").read_text() == A + volume
    assert all(paths == [str(here / "a.py"), str(here / "b.py")] for paths in seen)


@pytest.mark.spec("P1", "E4")
async def test_a_removal_from_both_with_an_empty_replace(here: Path) -> None:
    (here / "a.py").write_text(A + "DEBUG = True\n")
    (here / "b.py").write_text("DEBUG = True\n" + B)
    reply = "".join(f"<<< path={name}.py >>>\n{block('DEBUG = True' + chr(10), '')}" for name in "ab")

    def runner(paths: list[str]) -> dict[str, Any]:
        left = [path for path in paths if "DEBUG" in Path(path).read_text()]
        return {"ok": not left, "stdout": "", "stderr": f"DEBUG in {left}" if left else "", "exit_code": len(left)}

    with ModelServer(says(reply)) as server:
        tool = compile_loop.make(compile_loop.Conf(runner=runner, llm=model(server), edit_mode="diff"))
        result = await tool.handler({"spec": "Remove DEBUG.", "target_files": ["a.py", "b.py"]})
    assert result["ok"]
    assert ((here / "a.py").read_text(), (here / "b.py").read_text()) == (A, B)


@pytest.mark.spec("P1", "P2", "E8")
async def test_a_selective_change_leaves_the_other_file_byte_identical(here: Path) -> None:
    (here / "a.py").write_text(A)
    odd = b"\xef\xbb\xbfX = 1\r\nY = 2  \r\n\r\nZ = 3"
    (here / "b.py").write_bytes(odd)
    reply = f"<<< path=a.py >>>\n{block('    return w * h' + chr(10), '    return w + h' + chr(10))}"

    def runner(paths: list[str]) -> dict[str, Any]:
        good = "w + h" in Path(paths[0]).read_text()
        return {"ok": good, "stdout": "", "stderr": "" if good else "not a sum", "exit_code": int(not good)}

    with ModelServer(says(reply)) as server:
        tool = compile_loop.make({"runner": runner, "llm": model(server), "edit_mode": "diff"})
        result = await tool.handler({"spec": "Sum instead.", "target_files": ["b.py", "a.py"]})
    assert result["ok"] is False or result["modified_files"] == [str(here / "a.py")]
    assert (here / "b.py").read_bytes() == odd


@pytest.mark.spec("P2", "Q21", "Q19")
@pytest.mark.parametrize("several", [True, False])
async def test_a_runner_that_always_fails_ends_with_max_iters(here: Path, several: bool) -> None:
    (here / "a.py").write_text("x = 0\n")
    count = 0

    def runner(_given: object) -> dict[str, Any]:
        nonlocal count
        count += 1
        return {"ok": False, "stdout": "", "stderr": f"new trouble {'abcdefghij'[count]}", "exit_code": 1}

    def answer(_request: Request, number: list[int] = [0]) -> Answer:  # noqa: B006 - the count of this one test
        number[0] += 1
        text = (
            block(f"x = {number[0] - 1}\n", f"x = {number[0]}\n") if several else f"```python\nx = {number[0]}\n```\n"
        )
        return says(text)

    conf = {"runner": runner, "edit_mode": "diff" if several else "full", "max_iters": 4, "on_failure": "restore"}
    with ModelServer(answer) as server:
        tool = compile_loop.make({**conf, "llm": model(server)})
        target = {"target_files": ["a.py"]} if several else {"target_file": "a.py"}
        result = await tool.handler({"spec": "Count.", **target})
    assert (result["ok"], result["iters"], result["failure_reason"]) == (False, 4, "max_iters")
    assert "new trouble" in result["last_error"]
    assert set(result) == {"ok", "iters", "summary", "failure_reason", "last_error"} | (
        {"modified_files"} if several else {"artifact_path"}
    )
    assert (here / "a.py").read_text() == "x = 0\n"
    assert result.get("modified_files", []) == []


@pytest.mark.spec("P1", "E3")
async def test_a_single_file_is_written_from_the_spec_alone(here: Path) -> None:
    async def runner(path: str) -> dict[str, Any]:
        assert path == str(here / "fib.py")
        return await python_runs("import fib; assert [fib.fib(n) for n in range(6)] == [0, 1, 1, 2, 3, 5]", here)

    wrong = "```python\ndef fib(n):\n    return n\n```"
    right = (
        "```python\ndef fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\n```"
    )
    told: list[dict[str, Any]] = []
    with ModelServer(says(wrong), says(right)) as server:
        tool = compile_loop.make({"runner": runner, "llm": model(server), "on_iter": told.append})
        result = await tool.handler({"spec": "Write fib(n).", "target_file": "fib.py"})
        opening = server.requests[0].json["messages"]
    assert result == {"ok": True, "iters": 2, "summary": result["summary"], "artifact_path": str(here / "fib.py")}
    assert "Write fib(n)." in opening[1]["content"] and "does not exist yet" in opening[1]["content"]
    assert "Python" in opening[1]["content"]
    assert [(t["iter"], t["ok"]) for t in told] == [(1, False), (2, True)]


@pytest.mark.spec("P1", "Q12")
async def test_a_full_mode_run_declares_no_write_tool_and_refuses_a_stub(here: Path) -> None:
    source = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(30))
    (here / "a.py").write_text(source)

    def runner(path: str) -> dict[str, Any]:
        text = Path(path).read_text()
        return {"ok": "return 99" in text, "stdout": "", "stderr": "f0 must return 99", "exit_code": 1}

    stub = "```python\ndef f0():\n    return 99\n\n# ... rest unchanged ...\n```"
    whole = f"```python\n{source.replace('return 0', 'return 99', 1)}```"
    with ModelServer(says(stub), says(whole)) as server:
        tool = compile_loop.make({"runner": runner, "llm": model(server)})
        result = await tool.handler({"spec": "f0 returns 99.", "target_file": "a.py"})
        names = {t["function"]["name"] for t in server.requests[0].json.get("tools", ())}
    assert result["ok"] and result["iters"] == 2
    assert "apply_search_replace" not in names
    assert (here / "a.py").read_text() == source.replace("return 0", "return 99", 1)


@pytest.mark.spec("P1")
async def test_a_calling_agent_invokes_the_tool_in_its_own_loop_and_lends_its_model(here: Path) -> None:
    """The agent's model calls the tool; the tool, with no model of its own, takes the agent's fields one by one."""
    (here / "a.py").write_text("x = 1\n")

    def runner(path: str) -> dict[str, Any]:
        good = "x = 2" in Path(path).read_text()
        return {"ok": good, "stdout": "", "stderr": "" if good else "x is not 2", "exit_code": int(not good)}

    def answer(request: Request) -> Answer:
        messages = request.json["messages"]
        if request.json["model"] == "worker":
            return says("```python\nx = 2\n```")
        if messages[-1]["role"] == "tool":
            return says(f"The tool says {messages[-1]['content']}")
        return calls(("compile_loop", {"spec": "Make x 2.", "target_file": "a.py"}))

    with ModelServer(answer) as server:
        from compile_loop.assemble import generator_of
        from compile_loop.contracts.protocols import Message, Reply, ToolSchema

        tool = compile_loop.make({"runner": runner, "llm": {"model": "worker"}})
        context = {"llm": {"provider": "openai", "model": "agent", "base_url": server.base_url}}
        agent = generator_of(**context["llm"])
        schema = ToolSchema(tool.name, tool.schema["description"], tool.schema["input_schema"])
        history: list[Message] = [Message("user", "Please make x 2 in a.py.")]
        for _ in range(3):
            reply = [e async for e in agent.generate(tuple(history), (schema,)) if isinstance(e, Reply)][-1]
            history.append(Message("assistant", reply.text, reply.tool_calls))
            if not reply.tool_calls:
                break
            for call in reply.tool_calls:
                result = await tool.handler(json.loads(call.arguments), context)
                history.append(Message("tool", json.dumps(result), tool_call_id=call.id))
        await agent.aclose()
    assert history[-1].content.startswith("The tool says ") and '"ok": true' in history[-1].content
    assert (here / "a.py").read_text() == "x = 2\n"


def fine(_given: object) -> dict[str, Any]:
    return {"ok": True, "stdout": "", "stderr": "", "exit_code": 0}


@pytest.mark.spec("P1")
@pytest.mark.parametrize(
    ("conf", "words"),
    [
        ({}, "`runner` is required"),
        ({"runner": 3}, "`runner` must be callable"),
        ({"runner": fine, "edit_mod": "diff"}, "unknown 'edit_mod'"),
        ({"runner": fine, "edit_mode": "patch"}, "`edit_mode` must be"),
        ({"runner": fine, "max_iters": 0}, "`max_iters` must be"),
        ({"runner": fine, "on_failure": "weep"}, "`on_failure` must be"),
        ({"runner": fine, "tool_mode": "all"}, "`tool_mode` must be"),
        ({"runner": fine, "llm": {"modle": "x"}}, "unknown 'modle'"),
        ({"runner": fine, "extra_tools": [{"name": "x"}]}, "extra tool 1 needs"),
        (
            {"runner": fine, "extra_tools": [{"name": "read_file", "schema": {"input_schema": {}}, "handler": fine}]},
            "built-in",
        ),
    ],
)
def test_each_misuse_of_make_is_answered_by_name(conf: Mapping[str, Any], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        compile_loop.make(conf)


@pytest.mark.spec("P1")
@pytest.mark.parametrize(
    ("mode", "arguments", "words"),
    [
        ("full", {"spec": "x"}, "not neither"),
        ("full", {"spec": "x", "target_file": "a", "target_files": ["b"]}, "not both"),
        ("full", {"spec": "x", "target_files": ["a", "b"]}, "edit_mode 'full' writes one file"),
        ("diff", {"spec": "x", "target_files": []}, "non-empty list"),
        ("diff", {"spec": "x", "target_files": [1]}, "non-empty list"),
        ("diff", {"spec": "x", "target_files": ["a", "a"]}, "names a file twice"),
        ("full", {"target_file": "a"}, "`spec` must be a string"),
        ("full", {"spec": "x", "target_file": "a", "colour": 1}, "unknown argument 'colour'"),
        ("full", {"spec": "x", "target_file": "."}, "is a folder"),
        ("full", {"spec": "x", "target_file": "a"}, "no model"),
    ],
)
async def test_each_misuse_of_the_tool_is_an_assertion_at_entry(
    mode: str, arguments: dict[str, Any], words: str
) -> None:
    tool = compile_loop.make({"runner": fine, "edit_mode": mode})
    with pytest.raises(AssertionError, match=words):
        await tool.handler(arguments)


@pytest.mark.spec("P1", "K2", "Q15")
@pytest.mark.parametrize(
    ("kind", "reason", "words"),
    [
        ("raises", "stagnation", "The runner raised ZeroDivisionError"),
        ("none", "environment", "The runner returned NoneType"),
        ("no_ok", "environment", "a mapping with the keys ['exit_code']"),
        ("hangs", "environment", "did not return within 1 s"),
        ("huge", "stagnation", "x"),
    ],
)
async def test_a_runner_that_misbehaves_ends_the_run_with_its_words(
    here: Path, kind: str, reason: str, words: str
) -> None:
    (here / "a.py").write_text("x = 0\n")

    runners: dict[str, Any] = {
        "raises": lambda _path: 1 // 0,
        "none": lambda _path: None,
        "no_ok": lambda _path: {"exit_code": 0},
        "hangs": lambda _path: time.sleep(5),
        "huge": lambda _path: {"ok": False, "stdout": "x" * 50_000_000, "stderr": "", "exit_code": 1},
    }

    replies = [f"```python\nx = {n}\n```" for n in range(1, 6)]
    tool = compile_loop.make(
        {"runner": runners[kind], "llm": ScriptedGenerator(replies), "timeout": 1.0, "on_failure": "restore"}
    )
    result = await tool.handler({"spec": "x", "target_file": "a.py"})
    assert (result["ok"], result["failure_reason"]) == (False, reason)
    assert words in result["last_error"] and len(result["last_error"]) < 10_000
    assert (here / "a.py").read_text() == "x = 0\n"


@pytest.mark.spec("P1")
@pytest.mark.parametrize(
    ("on_failure", "left"),
    [("restore", "a = 1\nb = 1\n"), ("best", "a = 2\nb = 1\n"), ("keep", "a = 2\nb = 7\n")],
)
async def test_what_a_lost_run_leaves(here: Path, on_failure: str, left: str) -> None:
    (here / "x.c").write_text("a = 1\nb = 1\n")

    def runner(path: str) -> dict[str, Any]:
        text = Path(path).read_text()
        errors = ["a is wrong"] * ("a = 1" in text) + ["b is wrong"]
        said = "".join(f"{path}:{n}:1: error: {e}\n" for n, e in enumerate(errors, 1))
        return {"ok": False, "stdout": said, "stderr": "", "exit_code": 1}

    replies = [block("a = 1\n", "a = 2\n"), block("b = 1\n", "b = 7\n")]
    conf = {"runner": runner, "llm": ScriptedGenerator(replies), "edit_mode": "diff", "max_iters": 2}
    result = await compile_loop.make({**conf, "on_failure": on_failure}).handler({"spec": "x", "target_file": "x.c"})
    assert result["failure_reason"] == "max_iters"
    assert (here / "x.c").read_text() == left


@pytest.mark.spec("P1", "W1")
async def test_a_cancelled_run_restores_the_files_and_a_crashed_one_does_at_the_next_start(here: Path) -> None:
    (here / "a.py").write_text("x = 0\n")
    written = asyncio.Event()

    async def runner(_path: str) -> dict[str, Any]:
        if "x = 1" in (here / "a.py").read_text():
            written.set()
            await asyncio.sleep(60)
        return {"ok": False, "stdout": "", "stderr": "red", "exit_code": 1}

    tool = compile_loop.make({"runner": runner, "llm": ScriptedGenerator(["```python\nx = 1\n```"])})
    task = asyncio.create_task(tool.handler({"spec": "x", "target_file": "a.py"}))
    await written.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (here / "a.py").read_text() == "x = 0\n"


CRASHES = """
import asyncio, os, sys, compile_loop
from compile_loop.models.scripted import ScriptedGenerator
from pathlib import Path
def runner(path):
    if 'x = 1' in Path(path).read_text(): os._exit(9)
    return {'ok': False, 'stdout': '', 'stderr': 'red', 'exit_code': 1}
tool = compile_loop.make({'runner': runner, 'llm': ScriptedGenerator(['```python\\nx = 1\\n```'])})
asyncio.run(tool.handler({'spec': 'x', 'target_file': 'a.py'}))
"""


@pytest.mark.spec("P1", "W1")
async def test_a_journal_restores_the_files_after_a_crash(here: Path) -> None:
    (here / "a.py").write_text("x = 0\n")
    (here / "b.py").write_text("y = 0\n")
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", CRASHES, cwd=here)
    assert await process.wait() == 9
    assert (here / "a.py").read_text() == "x = 1\n"
    tool = compile_loop.make({"runner": fine, "llm": ScriptedGenerator([])})
    assert (await tool.handler({"spec": "", "target_file": "b.py"}))["ok"]
    assert (here / "a.py").read_text() == "x = 0\n"


@pytest.mark.spec("P1", "W4")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
async def test_a_process_that_is_asked_to_end_restores_the_files_first(here: Path, name: str) -> None:
    (here / "a.py").write_text("x = 0\n")
    asked = CRASHES.replace("os._exit(9)", f"os.kill(os.getpid(), signal.{name}), time.sleep(60)")
    code = asked.replace("import asyncio, ", "import asyncio, signal, time, ")
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, cwd=here)
    assert await process.wait() == -getattr(signal, name)
    assert (here / "a.py").read_text() == "x = 0\n"


@pytest.mark.spec("P1", "W4")
async def test_any_command_puts_back_what_a_killed_caller_left(here: Path) -> None:
    (here / "a.py").write_text("x = 0\n")
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", CRASHES, cwd=here)
    assert await process.wait() == 9 and (here / "a.py").read_text() == "x = 1\n"
    command = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "compile_loop", "runs", cwd=here, stderr=asyncio.subprocess.PIPE
    )
    _, said = await command.communicate()
    assert (here / "a.py").read_text() == "x = 0\n" and b"a.py is as it was" in said


@pytest.mark.spec("T5", "T6")
async def test_a_callers_own_tools_are_offered_and_their_errors_come_back_as_text(here: Path) -> None:
    (here / "a.py").write_text("x = 0\n")

    def lookup(arguments: dict[str, Any]) -> str:
        if arguments["key"] == "bad":
            raise KeyError("no such key")
        return f"the value is {len(arguments['key'])}"

    extra = {
        "name": "lookup",
        "schema": {"description": "Look up.", "input_schema": {"type": "object"}},
        "handler": lookup,
    }

    def answer(request: Request) -> Answer:
        done = [m["content"] for m in request.json["messages"] if m["role"] == "tool"]
        if not done:
            return calls(("lookup", {"key": "bad"}), ("lookup", {"key": "four"}), ("apply_search_replace", '{"path": '))
        assert (
            "lookup failed: KeyError" in done[0] and done[1] == "the value is 4" and "arguments_parse_failed" in done[2]
        )
        return says(block("x = 0\n", "x = 4\n"))

    def runner(path: str) -> dict[str, Any]:
        good = "x = 4" in Path(path).read_text()
        return {"ok": good, "stdout": "", "stderr": "" if good else "red", "exit_code": int(not good)}

    with ModelServer(answer) as server:
        tool = compile_loop.make({"runner": runner, "llm": model(server), "edit_mode": "diff", "extra_tools": [extra]})
        result = await tool.handler({"spec": "Look it up.", "target_file": "a.py"})
    assert result["ok"], result


@pytest.mark.spec("P1", "W4")
async def test_after_a_crash_what_the_user_wrote_since_stays(here: Path) -> None:
    (here / "a.py").write_text("x = 0\n")
    (here / "b.py").write_text("y = 0\n")
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", CRASHES, cwd=here)
    assert await process.wait() == 9
    (here / "a.py").write_text("x = 'the user wrote this since'\n")
    tool = compile_loop.make({"runner": fine, "llm": ScriptedGenerator([])})
    assert (await tool.handler({"spec": "", "target_file": "b.py"}))["ok"]
    assert (here / "a.py").read_text() == "x = 'the user wrote this since'\n"


def red(*_paths: object) -> dict[str, Any]:
    return {"ok": False, "stdout": "", "stderr": "red", "exit_code": 1}


@pytest.mark.spec("P1", "P2", "W3")
@pytest.mark.parametrize("on_failure", ["best", "restore", "keep"])
async def test_what_somebody_else_writes_meanwhile_stays_after_a_lost_run(here: Path, on_failure: str) -> None:
    (here / "a.py").write_text("x = 0\ny = 0\nz = 0\n")
    (here / "b.py").write_text("b = 0\n")

    def runner(_paths: list[str]) -> dict[str, Any]:
        if "x = 1" in (here / "a.py").read_text() and "theirs" not in (here / "a.py").read_text():
            for name in ("a.py", "b.py"):
                with (here / name).open("a") as file:
                    file.write("theirs = 1\n")
        return red()

    replies = ["<<< path=a.py >>>\n" + block("x = 0\n", "x = 1\n"), "<<< path=a.py >>>\n" + block("x = 1\n", "x = 2\n")]
    tool = compile_loop.make(
        {
            "runner": runner,
            "llm": ScriptedGenerator(replies),
            "edit_mode": "diff",
            "max_iters": 2,
            "on_failure": on_failure,
        }
    )
    result = await tool.handler({"spec": "x", "target_files": ["a.py", "b.py"]})
    kept = on_failure == "keep"
    assert (here / "a.py").read_text() == f"x = {2 if kept else 0}\ny = 0\nz = 0\ntheirs = 1\n"
    assert (here / "b.py").read_text() == "b = 0\ntheirs = 1\n"
    assert result["modified_files"] == ([str(here / "a.py")] if kept else [])
    assert result["failure_reason"] == "max_iters", result


@pytest.mark.spec("P1", "W3")
@pytest.mark.parametrize("on_failure", ["best", "restore"])
async def test_a_line_that_both_changed_is_left_and_said(here: Path, on_failure: str) -> None:
    (here / "a.py").write_text("x = 0\n")

    def runner(_path: str) -> dict[str, Any]:
        if "x = 1" in (here / "a.py").read_text():
            (here / "a.py").write_text("x = 'theirs'\n")
        return red()

    replies = ["```python\nx = 1\n```", "```python\nx = 2\n```"]
    tool = compile_loop.make({"runner": runner, "llm": ScriptedGenerator(replies), "on_failure": on_failure})
    result = await tool.handler({"spec": "x", "target_file": "a.py"})
    assert (here / "a.py").read_text() == "x = 'theirs'\n"
    assert not result["ok"] and "a.py was changed by somebody else" in result["last_error"]


@pytest.mark.spec("P1", "W3")
async def test_a_green_run_keeps_a_line_that_was_added_meanwhile(here: Path) -> None:
    (here / "a.py").write_text("x = 0\ny = 0\n")

    def runner(path: str) -> dict[str, Any]:
        text = Path(path).read_text()
        if "x = 1" in text and "theirs" not in text:
            Path(path).write_text(text + "theirs = 1\n")
        return {**red(), "ok": "x = 2" in text, "exit_code": int("x = 2" not in text)}

    replies = [block("x = 0\n", "x = 1\n"), block("x = 1\n", "x = 2\n")]
    tool = compile_loop.make({"runner": runner, "llm": ScriptedGenerator(replies), "edit_mode": "diff"})
    result = await tool.handler({"spec": "x", "target_file": "a.py"})
    assert result["ok"], result
    assert (here / "a.py").read_text() == "x = 2\ny = 0\ntheirs = 1\n"


@pytest.mark.spec("W3", "W4")
async def test_a_killed_run_leaves_a_file_with_somebody_elses_work_to_them(here: Path) -> None:
    (here / "a.py").write_text("x = 0\ny = 0\n")
    (here / "b.py").write_text("y = 0\n")
    code = CRASHES.replace(
        "    if 'x = 1'",
        "    if 'x = 2' in Path(path).read_text(): os._exit(9)\n"
        "    if 'x = 1' in Path(path).read_text(): Path(path).write_text('x = 1\\ny = 0\\ntheirs = 1\\n')\n"
        "    if 'x = 3'",
    ).replace(
        "['```python\\nx = 1\\n```']",
        "['```python\\nx = 1\\ny = 0\\n```', '```python\\nx = 2\\ny = 0\\n```']",
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, cwd=here)
    assert await process.wait() == 9
    tool = compile_loop.make({"runner": fine, "llm": ScriptedGenerator([])})
    assert (await tool.handler({"spec": "", "target_file": "b.py"}))["ok"]
    assert "theirs = 1\n" in (here / "a.py").read_text()


@pytest.mark.spec("P1", "Z1")
async def test_a_secret_that_a_runner_prints_reaches_no_model(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "a.py").write_text("x = 0\n")
    monkeypatch.setenv("NPM_TOKEN", "zebra-stripes-1")
    generator = ScriptedGenerator(["```python\nx = 1\n```"])
    tool = compile_loop.make(
        {"runner": lambda _path: {**red(), "stdout": "token zebra-stripes-1"}, "llm": generator, "max_iters": 1}
    )
    result = await tool.handler({"spec": "x", "target_file": "a.py"})
    assert not result["ok"] and "token [redacted]" in repr(generator.requests)
    assert "zebra-stripes-1" not in repr((generator.requests, result))
