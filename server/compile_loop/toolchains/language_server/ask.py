"""Asks a language server for the quick fixes of diagnostics, and ends it.

Run in the workspace's root as `python ask.py REQUEST`, where REQUEST is JSON: {"server": argv, "seconds": at most,
"about": [{"file", "line", "character", "message"}]} with files relative to the root, lines and characters from zero
(UTF-16). Prints one line of JSON, {"offers": [...]} in the order of the request, each a list of {"title", "preferred",
"edits": [{"file", "range", "text"}]}. It needs nothing but Python's own library, and speaks just enough of the protocol
(3.17) to ask.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

QUIET = 2.0
"""How long a server that pushes its diagnostics may be silent about a file before it is asked all the same."""
LANGUAGES = {
    **{".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact"},
    **{".go": "go", ".rs": "rust", ".c": "c", ".h": "c", ".cpp": "cpp", ".cc": "cpp", ".hpp": "cpp", ".py": "python"},
}
CAPABILITIES = {
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
            "isPreferredSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
        "diagnostic": {},
        "publishDiagnostics": {"dataSupport": True, "codeDescriptionSupport": True},
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}, "configuration": True, "workspaceFolders": True},
}

Message = dict[str, Any]


class Server:
    """A language server on its standard input and output."""

    def __init__(self, argv: list[str], root: Path, seconds: float) -> None:
        self.root = root
        self.published: dict[str, list[Message]] = {}
        self._deadline = time.monotonic() + seconds
        self._process = subprocess.Popen(
            argv, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._incoming: queue.Queue[Message | None] = queue.Queue()
        self._count = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            size = 0
            while header := stream.readline().strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    size = int(value)
            if not size:
                self._incoming.put(None)
                return
            self._incoming.put(json.loads(stream.read(size)))

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        stream.flush()

    def tell(self, method: str, params: Message) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Message) -> Any:
        """Send a request and wait for its result; None where it is an error."""
        self._count += 1
        self._send({"id": self._count, "method": method, "params": params})
        while True:
            message = self._next(self._deadline)
            if message.get("id") == self._count and "method" not in message:
                return message.get("result")

    def listen_for(self, uri: str) -> None:
        """Wait for a file's diagnostics, as long as the server says anything."""
        while uri not in self.published:
            try:
                self._next(min(self._deadline, time.monotonic() + QUIET))
            except queue.Empty:
                return

    def _next(self, until: float) -> Message:
        """The next message; a question of the server's is answered with nothing."""
        message = self._incoming.get(timeout=max(0.0, until - time.monotonic()))
        if message is None:
            raise OSError("the language server ended")
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "method" in message and "id" in message:
            items = (message.get("params") or {}).get("items", [])
            wants_settings = message["method"] == "workspace/configuration"
            self._send({"id": message["id"], "result": [None] * len(items) if wants_settings else None})
        return message

    def end(self) -> None:
        """Kill it: it has nothing to save."""
        self._process.kill()
        self._process.wait()


def offers(request: Message, root: Path) -> list[list[Message]]:
    """What the server offers for each diagnostic."""
    server = Server(request["server"], root, request["seconds"])
    try:
        return _offers(server, request["about"])
    finally:
        server.end()


def _offers(server: Server, about: list[Message]) -> list[list[Message]]:
    uri = server.root.as_uri()
    folders = [{"uri": uri, "name": server.root.name}]
    asked = {"processId": os.getpid(), "rootUri": uri, "capabilities": CAPABILITIES, "workspaceFolders": folders}
    able = (server.ask("initialize", asked) or {}).get("capabilities", {})
    server.tell("initialized", {})
    found: dict[str, list[Message]] = {}
    for name in dict.fromkeys(one["file"] for one in about):
        found[name] = _diagnostics(server, name, bool(able.get("diagnosticProvider")))
    return [_of_one(server, one, found[one["file"]]) for one in about]


def _diagnostics(server: Server, name: str, pulls: bool) -> list[Message]:
    path = server.root / name
    uri, language = path.as_uri(), LANGUAGES.get(path.suffix.lower(), "plaintext")
    document = {"uri": uri, "languageId": language, "version": 1, "text": path.read_text("utf-8", "replace")}
    server.tell("textDocument/didOpen", {"textDocument": document})
    if pulls:
        answer = server.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        return list((answer or {}).get("items", []))
    server.listen_for(uri)
    return server.published.get(uri, [])


def _of_one(server: Server, one: Message, found: list[Message]) -> list[Message]:
    start = {"line": one["line"], "character": one["character"]}
    same = [other for other in found if other["range"]["start"] == start]
    same = same or [other for other in found if other["range"]["start"]["line"] == start["line"]]
    if not same:
        return []
    params = {
        "textDocument": {"uri": (server.root / one["file"]).as_uri()},
        "range": same[0]["range"],
        "context": {"diagnostics": same[:1], "only": ["quickfix"], "triggerKind": 2},
    }
    actions = [
        a for a in server.ask("textDocument/codeAction", params) or [] if a.get("kind", "").startswith("quickfix")
    ]
    resolved = [a if a.get("edit") or a.get("disabled") else server.ask("codeAction/resolve", a) or a for a in actions]
    return [
        {"title": action["title"], "preferred": action.get("isPreferred") is True, "edits": edits}
        for action in resolved
        if not action.get("disabled") and (edits := _edits(action.get("edit") or {}, server.root))
    ]


def _edits(edit: Message, root: Path) -> list[Message]:
    """The edits of files that are there; none where the action also makes, moves or deletes files."""
    changes = dict(edit.get("changes") or {})
    for change in edit.get("documentChanges") or []:
        if "kind" in change:
            return []
        changes.setdefault(change["textDocument"]["uri"], []).extend(change["edits"])
    edits = []
    for uri, texts in changes.items():
        path = Path(unquote(urlsplit(uri).path))
        if not path.is_relative_to(root):
            return []
        name = path.relative_to(root).as_posix()
        edits += [{"file": name, "range": text["range"], "text": text["newText"]} for text in texts]
    return edits


if __name__ == "__main__":
    try:
        print(json.dumps({"offers": offers(json.loads(sys.argv[1]), Path.cwd())}), flush=True)
    except (OSError, ValueError, KeyError, TypeError, queue.Empty) as error:
        sys.exit(f"{type(error).__name__}: {error}")
