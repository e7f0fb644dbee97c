"""A language server for tests: a real process that speaks the protocol, well or badly, as its argument says.

Its only finding is `no valu` where the opened text has the word `valu`; its quick fix puts `value` there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

BEHAVIOUR = sys.argv[1] if len(sys.argv) > 1 else "push"
Message = dict[str, Any]
OPEN: dict[str, str] = {}
COUNT = 0


def read() -> Message:
    size = 0
    while line := sys.stdin.buffer.readline().strip():
        size = int(line.partition(b":")[2])
    if not size:
        sys.exit()
    return json.loads(sys.stdin.buffer.read(size))


def send(body: object) -> None:
    data = json.dumps(body).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
    sys.stdout.buffer.flush()


def tell(method: str, **params: Any) -> None:
    send({"jsonrpc": "2.0", "method": method, "params": params})


def answer(message: Message, result: object) -> None:
    send({"jsonrpc": "2.0", "id": message["id"], "result": result})


def findings(uri: str) -> list[Message]:
    return [
        {
            "range": {"start": {"line": row, "character": at}, "end": {"line": row, "character": at + 4}},
            "message": "no valu",
            "severity": 1,
            "data": "mine",
        }
        for row, line in enumerate(OPEN[uri].split("\n"))
        if (at := line.find("valu")) >= 0 and "value" not in line
    ]


def progress(kind: str) -> None:
    tell("$/progress", token="loading", value={"kind": kind, "title": "Loading"})


def publish(uri: str, found: list[Message]) -> None:
    tell("textDocument/publishDiagnostics", uri=uri, diagnostics=found)


def opened(uri: str) -> None:
    if BEHAVIOUR == "dies":
        sys.exit(3)
    if BEHAVIOUR == "pull":
        return
    if BEHAVIOUR == "late":  # as rust-analyzer does: nothing at first, and at work for longer than it may be silent
        progress("begin")
        publish(uri, [])
        time.sleep(3)
        publish(uri, findings(uri))
        progress("end")
    elif BEHAVIOUR == "elsewhere":  # as clangd does: the same words at the next token
        moved = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 1}}
        publish(uri, [{**findings(uri)[0], "message": "No valu (fix available)", "range": moved}])
    elif BEHAVIOUR != "silent":
        publish(uri, findings(uri))


def actions(uri: str, place: Message, context: Message) -> list[Message]:
    fix = {"range": place, "newText": "value"}
    if BEHAVIOUR == "elsewhere":
        fix = {"range": findings(uri)[0]["range"], "newText": "value"}
    whole: Message = {"changes": {uri: [fix]}}
    good: Message = {"title": "right", "kind": "quickfix", "edit": whole}
    outside = (Path.cwd().parent / "outside.go").as_uri()
    if BEHAVIOUR != "silent" and context["diagnostics"][0].get("data") != "mine":
        return []
    others: dict[str, list[Message]] = {
        "choice": [good, {**good, "title": "other", "edit": {"changes": {uri: [{**fix, "newText": "values"}]}}}],
        "preferred": [
            {**good, "title": "stub", "edit": {"changes": {uri: [{**fix, "newText": "0"}]}}},
            {**good, "isPreferred": True},
        ],
        "silencing": [
            good,
            {**good, "title": "Ignore", "edit": {"changes": {uri: [{**fix, "newText": "valu # ty: ignore[x]"}]}}},
        ],
        "same twice": [good, {**good, "title": "the same"}],
        "outside": [{**good, "edit": {"changes": {outside: [fix]}}}],
        "dots": [{**good, "edit": {"changes": {uri + "/../../outside.go": [fix]}}}],
        "remote": [{**good, "edit": {"changes": {"https://example.com/a.go": [fix]}}}],
        "creates": [{**good, "edit": {"documentChanges": [{"kind": "create", "uri": uri + ".new"}]}}],
        "odd edit": [{**good, "edit": {"changes": {uri: [{"range": {"start": None}, "newText": 3}]}}}],
        "binary": [{**good, "edit": {"changes": {uri: [{**fix, "newText": "value /* \0 */"}]}}}],
        "half a pair": [{**good, "edit": {"changes": {uri: [{**fix, "newText": "value /* \ud83d */"}]}}}],
        "turned about": [{**good, "edit": {"changes": {uri: [{**fix, "newText": "value /* \u202e */"}]}}}],
        "command": [{"title": "right", "kind": "quickfix", "command": {"title": "x", "command": "write.it"}}],
        "bare command": [{"title": "right", "command": "write.it"}],
        "disabled": [{**good, "disabled": {"reason": "no"}}],
        "refactoring": [{**good, "kind": "refactor"}],
        "resolve": [{"title": "right", "kind": "quickfix", "data": whole}],
    }
    return others.get(BEHAVIOUR, [good])


def initialize(message: Message) -> None:
    if BEHAVIOUR == "hangs":
        time.sleep(600)
    if BEHAVIOUR.startswith("child "):  # starts a program of its own, and hangs
        subprocess.Popen(["sleep", BEHAVIOUR.removeprefix("child ")])
        time.sleep(600)
    if BEHAVIOUR == "garbage":
        print("no protocol", flush=True)
    if BEHAVIOUR == "a list":
        send([1, 2])
    if BEHAVIOUR == "endless header":
        while True:
            print("x" * 100_000, end="")
    if BEHAVIOUR == "huge":
        print("Content-Length: 1000000000000\r\n\r\n{}", flush=True)
    if BEHAVIOUR == "no object":
        answer(message, 7)
    while BEHAVIOUR == "flood":
        tell("window/logMessage", type=4, message="x" * 10_000)
    send({"id": "q", "method": "workspace/configuration", "params": {"items": [{}, {}]}})
    answer(message, {"capabilities": {"diagnosticProvider": {}} if BEHAVIOUR == "pull" else {}})


def main() -> None:
    global COUNT  # noqa: PLW0603
    while True:
        message = read()
        match message.get("method"):
            case "initialize":
                initialize(message)
                if BEHAVIOUR == "deaf":
                    time.sleep(600)
            case "textDocument/didOpen":
                document = message["params"]["textDocument"]
                OPEN[document["uri"]] = document["text"]
                opened(document["uri"])
            case "textDocument/diagnostic":
                answer(message, {"kind": "full", "items": findings(message["params"]["textDocument"]["uri"])})
            case "textDocument/codeAction":
                COUNT += 1
                params = message["params"]
                if BEHAVIOUR == "busy" and COUNT < 3:
                    send({"id": message["id"], "error": {"code": -32801, "message": "content modified"}})
                elif BEHAVIOUR == "applies":  # it would have the client write at once
                    edit = {
                        "changes": {params["textDocument"]["uri"]: [{"range": params["range"], "newText": "broken"}]}
                    }
                    send({"id": "a", "method": "workspace/applyEdit", "params": {"edit": edit}})
                    assert read()["result"] == {"applied": False}
                    answer(message, actions(params["textDocument"]["uri"], params["range"], params["context"]))
                else:
                    answer(message, actions(params["textDocument"]["uri"], params["range"], params["context"]))
            case "codeAction/resolve":
                answer(message, {**message["params"], "edit": message["params"].get("data")})


if __name__ == "__main__":
    main()
