"""The protocol beneath, message by message: a reply to everything, and nothing kept (SPEC S2)."""

from __future__ import annotations

import asyncio
import json
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from tests.lsp.editor import SERVER

from compile_loop.lsp.server import LoopServer, create_server


class Wire:
    """A server in this process, and what it wrote."""

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []
        self.server: LoopServer = create_server()
        self.server.protocol.set_writer(self, include_headers=False)

    def write(self, data: bytes) -> None:
        self.written.append(json.loads(data))

    def close(self) -> None:
        return

    def send(self, **message: Any) -> None:
        """As the reading loop hands a message on."""
        text = json.dumps({"jsonrpc": "2.0", **message})
        self.server.protocol.handle_message(json.loads(text, object_hook=self.server.protocol.structure_message))

    async def reply(self, msg_id: object) -> dict[str, Any]:
        for _ in range(500):
            for message in self.written:
                if message.get("id") == msg_id and "method" not in message:
                    return message
            await asyncio.sleep(0.01)
        raise AssertionError(f"no reply to {msg_id}: {self.written}")


@pytest.fixture
async def wire() -> Wire:
    wire = Wire()
    wire.send(id=0, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
    assert "result" in await wire.reply(0)
    return wire


def opened(uri: str, text: str = "int x;\n") -> dict[str, Any]:
    return {"textDocument": {"uri": uri, "languageId": "c", "version": 1, "text": text}}


async def test_finished_messages_are_forgotten(wire: Wire) -> None:
    for number in range(50):
        wire.send(method="textDocument/didOpen", params=opened(f"file:///{number}.c"))
        change = {"textDocument": {"uri": f"file:///{number}.c", "version": 2}, "contentChanges": [{"text": "x"}]}
        wire.send(method="textDocument/didChange", params=change)
        wire.send(id=f"s{number}", method="workspace/executeCommand", params={"command": "compileLoop.server.stop"})
        wire.send(id=f"d{number}", method="compileLoop/discard", params={"runId": "x"})
    await wire.reply("s49")
    await wire.reply("d49")
    await asyncio.sleep(0.05)
    assert wire.server.protocol._request_futures == {}
    assert wire.server.work_done_progress.tokens == {}


async def test_a_message_inside_a_message_is_text(wire: Wire) -> None:
    """Parameters may hold any JSON, also what looks like a message of its own."""
    inner = {"jsonrpc": "2.0", "id": 7, "method": "shutdown", "a-b": 1, "class": 2}
    wire.send(id=1, method="compileLoop/run", params={"uris": [], "encodings": inner})
    error = (await wire.reply(1))["error"]
    assert error["code"] == -32602 and "encodings.id" in error["message"] and "encodings.a-b" in error["message"]
    wire.send(id=2, method="textDocument/codeAction", params={"jsonrpc": "2.0", "id": 3, "method": "exit"})
    assert (await wire.reply(2))["error"]["code"] == -32602


async def test_a_late_reply_is_dropped(wire: Wire) -> None:
    asked = wire.server.workspace_configuration_async(types.ConfigurationParams([]))
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(asked, 0.01)
    [request] = [m for m in wire.written if m.get("method") == "workspace/configuration"]
    wire.send(id=request["id"], result=[])
    wire.send(id="never asked", result=None)
    wire.send(id=9, method="compileLoop/discard", params={"runId": "x"})
    assert (await wire.reply(9))["result"] == {"discarded": False}


async def test_a_reply_of_the_wrong_type_is_an_error_for_who_waits(wire: Wire) -> None:
    edit = types.ApplyWorkspaceEditParams(types.WorkspaceEdit())
    asked = asyncio.ensure_future(wire.server.workspace_apply_edit_async(edit))
    await asyncio.sleep(0)
    [request] = [m for m in wire.written if m.get("method") == "workspace/applyEdit"]
    wire.send(id=request["id"], result={"appliedd": "yes"})
    with pytest.raises(JsonRpcException, match="applied"):
        await asyncio.wait_for(asked, 1)


@pytest.mark.parametrize("message", [[], [1], "x", 5, None, {}, {"jsonrpc": "1.0", "id": 1, "method": "shutdown"}])
async def test_what_is_no_message_is_ignored(wire: Wire, message: Any) -> None:
    wire.server.protocol.handle_message(message)
    wire.send(id=9, method="compileLoop/discard", params={"runId": "x"})
    assert "result" in await wire.reply(9)


async def test_notifications_that_cannot_be_read_are_survived(wire: Wire) -> None:
    wire.send(method="textDocument/didOpen", params={"textDocument": 5})
    wire.send(
        method="textDocument/didChange",
        params={"textDocument": {"uri": "file:///no.c", "version": 1}, "contentChanges": []},
    )
    wire.send(method="compileLoop/trust", params={"trusted": "perhaps"})
    wire.send(method="compileLoop/nothing", params={})
    wire.send(method="$/cancelRequest", params={"id": "no such"})
    wire.send(id=9, method="compileLoop/discard", params={"runId": "x"})
    assert "result" in await wire.reply(9)
    assert wire.server.trusted


async def test_a_fault_inside_is_a_sentence(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LoopServer, "results", property(lambda _: 1 / 0))
    wire.send(id=1, method="compileLoop/accept", params={"runId": "x"})
    error = (await wire.reply(1))["error"]
    assert error["code"] == -32603 and "ZeroDivisionError" in error["message"] and "data" not in error
    wire.send(id=2, method="workspace/textDocumentContent", params={"uri": "compile-loop:/a.c?x/before"})
    error = (await wire.reply(2))["error"]
    assert error["code"] == -32603 and "Traceback" not in str(error) and ".py" not in str(error)


async def test_nothing_is_done_before_initialize() -> None:
    wire = Wire()
    wire.send(id=1, method="compileLoop/run", params={})
    assert (await wire.reply(1))["error"]["code"] == -32002


@pytest.mark.spec("Z1")
async def test_messages_are_not_logged(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    """They hold sources; pygls would log each of them."""
    from compile_loop.lsp.logs import configure

    configure(wire.server)
    wire.send(method="textDocument/didOpen", params=opened("file:///a.c", "a secret"))
    wire.send(id=9, method="compileLoop/run", params={"spec": "a secret", "uris": []})
    await wire.reply(9)
    assert "a secret" not in caplog.text


@pytest.mark.spec("S2")
@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("file:///tmp/\ud800.c", "No file can have this address"),
        ("file:///tmp/a%00.c", "No file can have this address"),
        ("file://[::1/a.c", "No file can have this address"),
        (f"file:///tmp/{'a' * 5000}.c", "cannot be fixed"),
        ("", "What has no address cannot be fixed"),
        ("file:///", "/ is a folder"),
    ],
)
async def test_an_address_that_no_file_can_have_is_refused_in_a_sentence(wire: Wire, uri: str, said: str) -> None:
    wire.send(id=1, method="compileLoop/run", params={"uris": [uri]})
    error = (await wire.reply(1))["error"]
    assert error["code"] == -32803 and said in error["message"] and len(error["message"]) < 300


def framed(body: bytes, head: str = "Content-Length: ") -> bytes:
    return f"{head}{len(body)}\r\n\r\n".encode() + body


def answers_to(*messages: bytes, last: int, cwd: Path) -> dict[Any, dict[str, Any]]:
    """What a server process answers to bytes on its input, by id, up to the answer to `last`."""
    first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"processId": None, "capabilities": {}}}
    told: dict[Any, dict[str, Any]] = {}
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd) as server:
        assert server.stdin and server.stdout
        bound = threading.Timer(120, server.kill)
        bound.start()
        server.stdin.write(b"".join([framed(json.dumps(first).encode()), *messages]))
        server.stdin.flush()
        while last not in told and (line := server.stdout.readline()):
            length = int(line.removeprefix(b"Content-Length: "))
            while server.stdout.readline().strip():
                pass
            message = json.loads(server.stdout.read(length))
            if "id" in message and "method" not in message:
                told[message["id"]] = message
        bound.cancel()
        server.stdin.close()
    return told


@pytest.mark.spec("S2")
def test_a_request_that_cannot_be_read_is_answered_too(tmp_path: Path) -> None:
    head = '{"jsonrpc":"2.0","id":%s,"method":"compileLoop/run","params":'
    bad = [
        (head % 1).encode() + b'{"uris":["\xff\xfe"]}}',
        (head % 2).encode() + b'{"line":' + b"9" * 5000 + b"}}",
        (head % 3).encode() + b"[" * 50_000 + b"]" * 50_000 + b"}",
        (head % '"four"').encode() + b"{",
        b'{"method":"compileLoop/run","params":{"line":' + b"9" * 5000 + b'},"jsonrpc":"2.0","id":5}',
        b'{"jsonrpc":"2.0","method":"compileLoop/event","params":{"id":6,"x":"\xff"}}',
        b'{"jsonrpc":"2.0","id":7,"result":"\xff"}',
    ]
    ask = b'{"jsonrpc":"2.0","id":99,"method":"compileLoop/discard","params":{"runId":"x"}}'
    told = answers_to(*map(framed, [*bad, ask]), last=99, cwd=tmp_path)
    assert told.keys() == {0, 1, 2, 3, "four", 5, 99}
    errors = {key: told[key]["error"] for key in (1, 2, 3, "four", 5)}
    assert {error["code"] for error in errors.values()} == {-32700}
    assert "no UTF-8" in errors[1]["message"] and "too long" in errors[2]["message"]
    assert "too deep" in errors[3]["message"] and "no JSON" in errors["four"]["message"]


@pytest.mark.spec("S2")
def test_a_head_in_other_letters_is_understood(tmp_path: Path) -> None:
    ask = b'{"jsonrpc":"2.0","id":1,"method":"compileLoop/discard","params":{"runId":"x"}}'
    told = answers_to(framed(ask, "content-length:"), last=1, cwd=tmp_path)
    assert told[1]["result"] == {"discarded": False}
