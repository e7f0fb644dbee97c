"""`compile-loop mcp` as its clients meet it: the SDK's own client, a real process, gcc, and a model server on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import psutil
import pytest
from tests.loop.running import block, snapshot, workspace
from tests.support.model_server import ModelServer, calls, model_server, says
from tests.support.tools import need

from mcp import Client, StdioServerParameters

__all__ = ["model_server"]

BROKEN = "int twice(int n)\n{\n    int r = n * 2\n    return r;\n}\n"
FIXED = BROKEN.replace("n * 2", "n * 2;")
SEMICOLON = "A semicolon is missing.\n" + block("    int r = n * 2\n", "    int r = n * 2;\n")
GCC = "gcc -Wall -fsyntax-only a.c"
TOOL = "fix_until_it_compiles"
Servers = Callable[..., ModelServer]
Both = pytest.mark.parametrize("mode", ["legacy", "auto"], ids=["handshake", "per-request"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    need("gcc")
    folder = tmp_path / "a folder"
    folder.mkdir()
    return workspace(folder, a_c=BROKEN)


@asynccontextmanager
async def tool(cwd: Path, *args: str, **client: Any) -> AsyncIterator[Client]:
    """A client of a server that was started in `cwd`."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith("COMPILE_LOOP") and not k.endswith("_API_KEY")
    }
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "compile_loop", "mcp", *args], cwd=cwd, env=environment
    )
    async with Client(command, read_timeout_seconds=90, **client) as connected:
        yield connected


def model(server: ModelServer) -> tuple[str, ...]:
    return ("--model", "openai:test", "--base-url", server.base_url)


def text(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


@pytest.mark.spec("P4")
@Both
async def test_the_edit_comes_back_and_nothing_is_written(root: Path, model_server: Servers, mode: str) -> None:
    server, lines = model_server(says(SEMICOLON)), []

    async def progress(number: float, _: float | None, message: str | None) -> None:
        lines.append((number, message))

    before = snapshot(root)
    async with tool(root, *model(server), mode=mode) as client:
        (offered,) = (await client.list_tools()).tools
        assert offered.name == TOOL and set(offered.input_schema["properties"]) == {"files", "check", "spec", "apply"}
        result = await client.call_tool(TOOL, {"files": ["a.c"], "check": GCC}, progress_callback=progress)
    assert not result.is_error and snapshot(root) == before
    document = result.structured_content
    assert (
        document["schema"] == "compile-loop/outcome/1"
        and document["ending"] == "green"
        and document["applied"] is False
    )
    assert "+    int r = n * 2;" in document["files"][0]["diff"] and "no more" in document["doesNotProve"]
    said = text(result)
    assert said.startswith("Green: 1 → 0 errors, 1 round of a model.") and "A semicolon is missing." in said
    assert "+    int r = n * 2;" in said and "`apply: true`" in said and "What this does not prove: " in said
    assert [number for number, _ in lines] == sorted({number for number, _ in lines})
    assert any("round 1 of 5" in (message or "") for _, message in lines), lines


@pytest.mark.spec("P4")
async def test_apply_writes_a_green_result(root: Path, model_server: Servers) -> None:
    async with tool(root, *model(model_server(says(SEMICOLON)))) as client:
        result = await client.call_tool(TOOL, {"files": [str(root / "a.c")], "check": [GCC], "apply": True})
    assert result.structured_content["applied"] is True and "Wrote a.c." in text(result)
    assert (root / "a.c").read_text() == FIXED


@pytest.mark.spec("P4")
async def test_what_is_not_green_is_never_written(root: Path, model_server: Servers) -> None:
    server = model_server(says(block("    int r = n * 2\n", "    int r = n * 3\n")))
    before = snapshot(root)
    async with tool(root, *model(server), "--max-rounds", "1") as client:
        result = await client.call_tool(TOOL, {"files": ["a.c"], "check": GCC, "apply": True})
    assert result.structured_content["failure"]["kind"] == "max_rounds" and snapshot(root) == before
    assert text(result).startswith("Not green (max_rounds)") and not result.is_error


@pytest.mark.spec("P4")
async def test_nobody_is_told_to_apply_what_would_not_be_written(root: Path, model_server: Servers) -> None:
    """A partial result of a lost run, and a green one that a person has to look at."""
    both = "int twice(int n)\n{\n    return m * 2;\n}\nint once(int n)\n{\n    return k;\n}\n"
    (root / "a.c").write_text(both)
    replies = [block("    return m * 2;\n", "    return n * 2;\n"), block("    return k;\n", "    return n;\n")]
    server = model_server(*map(says, replies))
    async with tool(root, *model(server), "--max-rounds", "1") as client:
        lost = await client.call_tool(TOOL, {"files": ["a.c"], "check": GCC})
    (root / "a.c").write_text(both.replace("m * 2", "n * 2"))
    async with tool(root, *model(server), "--max-rounds", "1") as client:
        doubtful = await client.call_tool(TOOL, {"files": ["a.c"], "check": f"{GCC} && echo 'no tests ran'"})
    for result, says_why in (
        (lost, "only a green one is ever written"),
        (doubtful, "A person has to look at this result first"),
    ):
        assert "```diff" in text(result) and "Call again" not in text(result) and says_why in text(result), text(result)


@pytest.mark.spec("P4")
async def test_a_result_that_a_person_has_to_look_at_is_not_written(root: Path, model_server: Servers) -> None:
    server = model_server(says(SEMICOLON))
    before = snapshot(root)
    async with tool(root, *model(server)) as client:
        check = f"{GCC} && echo 'no tests ran'"
        result = await client.call_tool(TOOL, {"files": ["a.c"], "check": check, "apply": True})
    assert result.structured_content["ending"] == "green" and "a person has to look" in text(result), text(result)
    assert snapshot(root) == before


BAD = [
    ({"files": "a.c", "check": GCC}, "`files`: Input should be a valid list"),
    ({"files": ["a.c"], "check": GCC, "api_key": "k"}, "`api_key` is not known; the tool takes `files`, `check`"),
    ({"files": ["a.c"], "check": [""]}, "`check.0`: String should have at least 1 character"),
    ({"files": ["../other.c"], "check": GCC}, "../other.c: not all in the workspace"),
    ({"files": ["no.c"], "check": GCC}, "no.c does not exist."),
    ({"files": ["a.c"], "check": "gcc --version"}, "gcc --version"),
    ({"files": ["a.c"], "check": GCC, "apply": "yes"}, "`apply`: Input should be a valid boolean"),
]


@pytest.mark.spec("P4")
async def test_bad_input_is_a_clear_tool_error(root: Path) -> None:
    (root.parent / "other.c").write_text("int a\n")
    async with tool(root) as client:
        for arguments, sentence in BAD:
            result = await client.call_tool(TOOL, arguments)
            assert result.is_error and sentence in text(result), (arguments, text(result))
        unknown = await client.call_tool("fix_everything", {})
        assert unknown.is_error and "There is no tool 'fix_everything'" in text(unknown)


@pytest.mark.spec("P4")
async def test_an_environment_that_cannot_run_the_check_is_an_error(root: Path) -> None:
    async with tool(root) as client:
        result = await client.call_tool(TOOL, {"files": ["a.c"], "check": "no-such-compiler a.c"})
    assert result.is_error and "environment" in text(result) and "no-such-compiler" in text(result)


@pytest.mark.spec("P4", "Z1")
@pytest.mark.parametrize("words", [("--check", GCC), ("--no-caller-checks",)], ids=["given", "found"])
async def test_the_start_can_fix_the_check_for_every_caller(
    root: Path, model_server: Servers, words: tuple[str, ...]
) -> None:
    """No model that calls the tool then chooses what is run (fault G09)."""
    async with tool(root, *model(model_server(says(SEMICOLON))), *words) as client:
        (offered,) = (await client.list_tools()).tools
        assert "check" not in offered.input_schema["properties"]
        refused = await client.call_tool(TOOL, {"files": ["a.c"], "check": "true"})
        assert refused.is_error and "decided by whoever started this tool" in text(refused)
        result = await client.call_tool(TOOL, {"files": ["a.c"]})
    assert result.structured_content["ending"] == "green"


@pytest.mark.spec("P4")
@Both
async def test_the_clients_roots_are_the_workspace(
    root: Path, model_server: Servers, tmp_path: Path, mode: str
) -> None:
    elsewhere, second = tmp_path / "elsewhere", workspace(tmp_path / "second", b_c=BROKEN)
    elsewhere.mkdir()

    async def roots(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=folder.as_uri()) for folder in (root, second)])

    async with tool(elsewhere, *model(model_server(says(SEMICOLON))), mode=mode, list_roots_callback=roots) as client:
        result = await client.call_tool(TOOL, {"files": ["a.c"], "check": GCC})
        assert result.structured_content["ending"] == "green"
        both = await client.call_tool(TOOL, {"check": GCC})
        assert both.is_error and "2 folders" in text(both)
        outside = await client.call_tool(TOOL, {"files": [str(elsewhere / "x.c")], "check": GCC})
        assert outside.is_error and "not all in any one of the workspace's folders" in text(outside)


@pytest.mark.spec("L12", "P4")
@Both
async def test_a_question_reaches_the_user_where_the_client_asks(root: Path, model_server: Servers, mode: str) -> None:
    ask = calls(("ask_user", {"question": "Twice or thrice?", "choices": ["twice", "thrice"]}))
    server, asked = model_server(ask, says(SEMICOLON)), []

    async def elicit(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params)
        return types.ElicitResult(action="accept", content={"answer": "thrice"})

    async with tool(root, *model(server), mode=mode, elicitation_callback=elicit) as client:
        result = await client.call_tool(TOOL, {"files": ["a.c"], "check": GCC})
    assert result.structured_content["ending"] == "green"
    assert asked[0].message == "Twice or thrice?"
    assert asked[0].requested_schema["properties"]["answer"]["enum"] == ["twice", "thrice"]
    assert "thrice" in json.dumps(server.requests[1].json["messages"][-1])


@pytest.mark.spec("L12", "P4")
async def test_no_question_is_offered_where_nobody_can_be_asked(root: Path, model_server: Servers) -> None:
    server = model_server(says(SEMICOLON))
    async with tool(root, *model(server)) as client:
        await client.call_tool(TOOL, {"files": ["a.c"], "check": GCC})
    assert "ask_user" not in {each["function"]["name"] for each in server.requests[0].json["tools"]}


@pytest.mark.spec("L15", "P4")
@Both
async def test_a_cancelled_call_ends_the_run_and_its_processes(root: Path, mode: str) -> None:
    marker = f"sleep 7{os.getpid()}"
    before = snapshot(root)
    async with tool(root, mode=mode) as client:
        running = asyncio.create_task(client.call_tool(TOOL, {"files": ["a.c"], "check": f"{GCC}; {marker}"}))
        await until(lambda: bool(processes(marker)))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await until(lambda: not processes(marker))
        again = await client.call_tool(TOOL, {"files": ["a.c"], "check": GCC})
        assert "Not green" in text(again), "its files are free again"
    assert snapshot(root) == before


@pytest.mark.spec("L18", "P4")
async def test_two_runs_never_write_one_file(root: Path) -> None:
    marker = f"sleep 8{os.getpid()}"
    async with tool(root) as client:
        running = asyncio.create_task(client.call_tool(TOOL, {"files": ["a.c"], "check": f"{GCC}; {marker}"}))
        await until(lambda: bool(processes(marker)))
        for arguments in ({"files": ["a.c"], "check": GCC}, {"check": GCC}):
            second = await client.call_tool(TOOL, arguments)
            assert second.is_error and "is being fixed by run" in text(second)
        running.cancel()
        await asyncio.wait({running})


@pytest.mark.spec("S3", "P4")
def test_nothing_outlives_the_client(root: Path) -> None:
    marker = f"sleep 9{os.getpid()}"
    with subprocess.Popen(
        [sys.executable, "-m", "compile_loop", "mcp"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin and server.stdout
        for message in (
            _request(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=NAMED),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            _request(2, "tools/call", name=TOOL, arguments={"files": ["a.c"], "check": f"{GCC}; {marker}"}),
        ):
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            if message.get("id") == 1:
                assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "compile-loop"
        asyncio.run(until(lambda: bool(processes(marker))))
        server.stdin.close()
        assert server.wait(timeout=30) == 0
    assert not processes(marker)


NAMED = {"name": "test", "version": "1"}


def _request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.mark.spec("P4")
def test_without_the_extra_one_sentence_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['mcp'] = None\n")
    done = subprocess.run(
        [sys.executable, "-m", "compile_loop", "mcp"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2 and done.stdout == ""
    assert '-m pip install "mcp>=2.3,<3"' in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.spec("P3", "P4")
def test_doctor_says_whether_it_can_serve(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "compile_loop", "doctor", "--json"], cwd=tmp_path, capture_output=True, check=False
    )
    (finding,) = [f for f in json.loads(done.stdout)["findings"] if f["part"] == "extra"]
    assert (finding["name"], finding["ok"]) == ("mcp", True)


def processes(marker: str) -> list[psutil.Process]:
    return [p for p in psutil.process_iter(["cmdline"]) if " ".join(p.info["cmdline"] or ()) == marker]


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(60) if sys.version_info >= (3, 11) else _no_limit():
        while not happened():  # noqa: ASYNC110 - another process tells nobody
            await asyncio.sleep(0.05)


@asynccontextmanager
async def _no_limit() -> AsyncIterator[None]:
    yield
