"""Stopping: from any state, at once, with nothing left behind (SPEC L15, Q15, S3, H05)."""
# ruff: noqa: ASYNC220, ASYNC240 - tests may touch small files and start processes in place

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from tests.lsp.conftest import Start
from tests.lsp.editor import SERVER, Editor, balanced
from tests.lsp.program import BROKEN, CHECK, REPLY, asks, block
from tests.support.model_server import ModelServer, Pause, says

SLOW = "sleep 61 & sleep 61"
"""A check with a child that is left running when only the shell is ended."""


def children(editor: Editor) -> list[psutil.Process]:
    return psutil.Process(editor.process.pid).children(recursive=True)


async def started(editor: Editor, name: str = "sleep") -> list[psutil.Process]:
    """Wait until the check runs."""
    return await editor.until(lambda: [p for p in children(editor) if alive(p) and name in _name(p)])


def alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.NoSuchProcess:
        return ""


async def gone(processes: list[psutil.Process], within: float = 2.0) -> float:
    """Wait until all are gone; the seconds it took."""
    begun = time.monotonic()
    while any(alive(p) for p in processes):
        assert time.monotonic() - begun < within, f"still there after {within} s: {processes}"
        await asyncio.sleep(0.01)
    return time.monotonic() - begun


@pytest.mark.spec("L15")
@pytest.mark.spec("S1")
async def test_a_cancelled_request_is_answered_at_once_and_leaves_no_process(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, settings={"check": SLOW})
    running = editor.send_run("r1", broken)
    sleeps = await started(editor)
    begun = time.monotonic()
    editor.cancel("r1")
    with pytest.raises(JsonRpcException) as error:
        await running
    assert error.value.code == -32800 and time.monotonic() - begun < 1
    await gone(sleeps, 2 - (time.monotonic() - begun))
    seen = len(editor.events())
    await asyncio.sleep(0.5)
    assert len(editor.events()) == seen and broken.read_text() == BROKEN


@pytest.mark.spec("L15")
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.1])
async def test_a_cancel_before_the_run_has_started_counts(start: Start, broken: Path, delay: float) -> None:
    editor = await start(broken.parent, settings={"check": SLOW})
    running = editor.send_run("r1", broken)
    await asyncio.sleep(delay)
    editor.cancel("r1")
    with pytest.raises(JsonRpcException) as error:
        await running
    assert error.value.code == -32800
    await asyncio.sleep(1)
    assert [p for p in children(editor) if alive(p) and "sleep" in _name(p)] == []
    balanced(editor)


@pytest.mark.spec("L15")
async def test_a_cancel_while_the_model_writes(start: Start, broken: Path) -> None:
    reply = says(REPLY)
    endless = reply.__class__((*reply.pieces[:2], Pause(60)))
    with ModelServer(endless) as server:
        editor = await start(broken.parent, settings=asks(server))
        running = editor.send_run("r1", broken)
        await editor.until(lambda: editor.events("model_text"))
        begun = time.monotonic()
        editor.cancel("r1")
        with pytest.raises(JsonRpcException):
            await running
        assert time.monotonic() - begun < 1
        assert await asyncio.to_thread(server.requests[0].hung_up.wait, 20), "the model still writes"


@pytest.mark.spec("V4")
async def test_the_stop_button_of_the_progress_ends_the_run(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, settings={"check": SLOW})
    running = asyncio.create_task(editor.run(broken, token="mine"))
    sleeps = await started(editor)
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams("mine"))
    result = await asyncio.wait_for(running, 1)
    assert (result["ending"], result["failure"]) == ("failed", "cancelled")
    await gone(sleeps)
    balanced(editor)


@pytest.mark.spec("V4")
async def test_quick_starts_and_stops_leave_no_progress_behind(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, settings={"check": SLOW})
    for number in range(5):
        token = f"t{number}"
        running = editor.send_run(token, broken, token=token)
        await asyncio.sleep(0.03 * number)
        editor.cancel(token)
        with pytest.raises(JsonRpcException):
            await running
    result = await editor.run(broken, check="true", token="last")
    assert result["ending"] == "nothing_to_fix" and "last" in editor.progress()
    balanced(editor)


@pytest.mark.spec("L18")
async def test_the_second_run_on_a_file_is_told_which_run_holds_it(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, settings={"check": SLOW}, options={"clientHandlesCommands": True})
    other = broken.with_name("b.c")
    other.write_text("int b;\n")
    first = editor.send_run("r1", broken)
    await started(editor)
    status = editor.said("compileLoop/status")[0]
    with pytest.raises(JsonRpcException, match=rf"a\.c is being fixed by run {status['running'][0]} already"):
        await editor.run(broken)
    sleeps = await started(editor)
    assert (await editor.run(other, check="true"))["ending"] == "nothing_to_fix"
    assert all(sleep.is_running() for sleep in sleeps), "the second run ended the first one's check"
    link = broken.with_name("link.c")
    link.symlink_to(broken)
    with pytest.raises(JsonRpcException, match=r"a\.c is being fixed"):
        await editor.run(link)
    editor.cancel("r1")
    with pytest.raises(JsonRpcException):
        await first
    assert (await editor.run(broken, check="true"))["ending"] == "nothing_to_fix"


@pytest.mark.spec("L18")
async def test_a_run_that_comes_to_a_held_file_later_is_told_too(start: Start, broken: Path) -> None:
    """The header was not asked for; the check's error makes it a target."""
    header = broken.with_name("a.h")
    header.write_text("int bad = nope;\n")
    broken.write_text('#include "a.h"\n')
    reply = block("int bad = nope;", "int bad = 1;", "a.h")
    with ModelServer(says(reply)) as server:
        editor = await start(broken.parent, settings=asks(server), options={"clientHandlesCommands": True})
        first = editor.send_run("r1", header, check=SLOW)
        await started(editor)
        holder = editor.said("compileLoop/status")[-1]["running"][0]
        result = await editor.run(broken)
        assert (result["ending"], result["failure"]) == ("failed", "configuration")
        assert result["message"].startswith(f"a.h is being fixed by run {holder} already.")
        editor.cancel("r1")
        with pytest.raises(JsonRpcException):
            await first
        assert (await editor.run(broken))["ending"] == "green"


# -- the server's own end -------------------------------------------------------------------------------------------------


async def busy(broken: Path, command: tuple[str, ...] = SERVER) -> tuple[Editor, list[psutil.Process]]:
    """An editor whose server is in the middle of a check."""
    editor = await Editor.start(broken.parent, settings={"check": SLOW}, command=command)
    asyncio.create_task(_ignore(editor.run(broken)))  # noqa: RUF006 - it ends with the server
    return editor, await started(editor)


async def _ignore(work: object) -> None:
    try:
        await work  # type: ignore[misc]
    except BaseException:
        return


@pytest.mark.spec("S3")
async def test_shutdown_and_exit_end_the_children(broken: Path) -> None:
    editor, sleeps = await busy(broken)
    await asyncio.wait_for(editor.client.shutdown_async(None), 5)
    await gone(sleeps, 0.1)
    editor.client.exit(None)
    assert await asyncio.wait_for(editor.process.wait(), 5) == 0
    await editor.client.stop()


@pytest.mark.spec("S3")
async def test_exit_alone_ends_the_children_and_says_so(broken: Path) -> None:
    editor, sleeps = await busy(broken)
    editor.client.exit(None)
    assert await asyncio.wait_for(editor.process.wait(), 5) == 1
    await gone(sleeps, 0.5)
    await editor.client.stop()


@pytest.mark.spec("S3")
@pytest.mark.parametrize("how", ["end of input", "SIGTERM", "SIGINT"])
async def test_the_end_of_input_and_signals_end_the_children(broken: Path, how: str) -> None:
    editor, sleeps = await busy(broken)
    if how == "end of input":
        assert editor.process.stdin is not None
        editor.process.stdin.close()
    else:
        editor.process.send_signal(getattr(signal, how))
    assert await asyncio.wait_for(editor.process.wait(), 5) == 0
    await gone(sleeps, 0.5)
    await editor.client.stop()


CLIENT = """
import json, os, subprocess, sys, time
server = subprocess.Popen([sys.executable, "-m", "compile_loop.lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    server.stdin.flush()
send(id=1, method="initialize", params={"processId": os.getpid(), "rootUri": None, "capabilities": {},
     "initializationOptions": {"settings": {"check": "sleep 61"}}})
send(method="initialized", params={})
send(id=2, method="compileLoop/run", params={"uris": [sys.argv[1]]})
if sys.argv[2] == "held":
    # Somebody else keeps the pipe open, so that its end tells nothing.
    subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, pass_fds=(server.stdin.fileno(),))
print(server.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.spec("S3")
@pytest.mark.parametrize("pipe", ["closed", "held"])
async def test_the_death_of_the_client_ends_the_server_and_its_children(broken: Path, pipe: str) -> None:
    arguments = [sys.executable, "-c", textwrap.dedent(CLIENT), broken.as_uri(), pipe]
    client = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None
    server = psutil.Process(int(client.stdout.readline()))
    end = time.monotonic() + 60
    while not (sleeps := [p for p in server.children(recursive=True) if _name(p) == "sleep"]):
        assert time.monotonic() < end
        await asyncio.sleep(0.05)
    held = [p for p in psutil.Process(client.pid).children() if _name(p) == "sleep"]
    client.kill()
    try:
        await gone([server, *sleeps], 8)
    finally:
        for process in held:
            process.kill()
        client.wait()
        client.stdout.close()


@pytest.mark.spec("S3")
def test_a_client_that_does_not_read_cannot_keep_the_server(broken: Path) -> None:
    """The pipe to the client is full; the end of input still ends everything."""
    process = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    message = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
    )
    process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(message), message))
    unknown = b'{"jsonrpc":"2.0","id":2,"method":"no/such","params":{}}'
    process.stdin.write((b"Content-Length: %d\r\n\r\n%s" % (len(unknown), unknown)) * 5000)
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()


# -- streams --------------------------------------------------------------------------------------------------------------

NOISE = """
import os, subprocess, sys, threading, time, warnings
from compile_loop.lsp import serve
def noise():
    time.sleep(0.2)
    while True:
        print("x")
        warnings.warn("w")
        os.write(1, b"raw")
        subprocess.run(["echo", "from a child"])
        subprocess.run(["cat"])
        time.sleep(0.02)
threading.Thread(target=noise, daemon=True).start()
serve()
"""


@pytest.mark.spec("S3")
async def test_nothing_but_the_protocol_reaches_the_client(start: Start, broken: Path) -> None:
    """H04: print, warnings, raw writes and children that inherit both streams, while messages go to and fro."""
    editor = await start(broken.parent, settings={"check": CHECK}, command=(sys.executable, "-c", NOISE))
    for _ in range(20):
        await asyncio.sleep(0.05)
        with pytest.raises(JsonRpcException) as error:
            await editor.request("compileLoop/run", {"uris": 1})
        assert error.value.code == -32602
    assert editor.client.error is None


@pytest.mark.parametrize("module", ["pygls", "lsprotocol", "cattrs"])
async def test_a_missing_library_is_one_readable_line(tmp_path: Path, module: str) -> None:
    """H01: no traceback, and the interpreter is named."""
    (tmp_path / f"{module}.py").write_text("raise ImportError('No module named ' + __name__)")
    process = await asyncio.create_subprocess_exec(
        *SERVER,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
    )
    out, err = await asyncio.wait_for(process.communicate(), 20)
    assert (process.returncode, out) == (1, b"")
    assert len(err.decode().splitlines()) == 1 and sys.executable in err.decode() and module in err.decode()
