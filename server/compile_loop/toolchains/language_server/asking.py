"""The conversation with a language server: open the files, wait for its findings, ask what it would do about each."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from compile_loop.toolchains.language_server.connection import Connection, Message
from compile_loop.toolchains.language_server.matching import finding_near, same_finding
from compile_loop.toolchains.language_server.workspace_edit import edits_of
from compile_loop.toolchains.plain_files import data_of

QUIET = 2.0
"""Seconds for which a server that says of nothing that it is under way may be silent before it is asked all the same."""
UNHEARD = 6.0
"""As long as it has said nothing of a file at all."""
_LOOKING = 0.7
"""The part of the time that may go by until the server's findings are there; the rest is for its answers."""
_MOST_ACTIONS = 30
_LARGEST = 2 << 20
_CAPABILITIES = {
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
            "isPreferredSupport": True,
            "disabledSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
        "diagnostic": {},
        "publishDiagnostics": {"dataSupport": True, "codeDescriptionSupport": True},
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}, "configuration": True, "workspaceFolders": True},
    "window": {"workDoneProgress": True},
}


def offers(request: Message, root: Path) -> list[list[Message]]:
    """What the server offers for each diagnostic of the request. Raises `ServerError`."""
    began = time.monotonic()
    with Connection(request["server"], root, request["seconds"]) as server:
        uri = root.as_uri()
        asked = {
            **{"processId": os.getpid(), "rootUri": uri, "capabilities": _CAPABILITIES},
            **{"workspaceFolders": [{"uri": uri, "name": root.name}], "initializationOptions": request["options"]},
        }
        able = (server.ask("initialize", asked) or {}).get("capabilities", {})
        server.tell("initialized", {})
        about = [one for one in request["about"] if _open(server, one["file"], request["languages"])]
        found = _findings(
            server, about, able.get("diagnosticProvider") is not None, began + _LOOKING * request["seconds"]
        )
        return [_offers_of(server, one, found(one["file"])) if one in about else [] for one in request["about"]]


def _uri(server: Connection, name: str) -> str:
    return (server.root / name).as_uri()


def _open(server: Connection, name: str, languages: Message) -> bool:
    """Open a file, once; whether there is one to open."""
    uri, path = _uri(server, name), server.root / name
    if uri in server.published:
        return True
    if not path.is_file() or path.stat().st_size > _LARGEST:
        return False
    server.published[uri] = []
    language = languages.get(path.suffix.lower(), "plaintext")
    text = data_of(path).decode("utf-8-sig", "replace")
    document = {"uri": uri, "languageId": language, "version": 1, "text": text}
    server.tell("textDocument/didOpen", {"textDocument": document})
    return True


def _findings(server: Connection, about: list[Message], pulls: bool, until: float) -> Callable[[str], list[Message]]:
    """The server's findings by file, once there is one for each diagnostic, or nothing more is to be expected.

    A server may push its findings, be asked for them, or both; what it pushes first is often nothing.
    """
    pulled: dict[str, list[Message]] = {}

    def found(name: str) -> list[Message]:
        return [*pulled.get(name, ()), *server.published[_uri(server, name)]]

    def pull() -> None:
        for name in dict.fromkeys(one["file"] for one in about):
            answer = server.ask("textDocument/diagnostic", {"textDocument": {"uri": _uri(server, name)}})
            pulled[name] = list((answer or {}).get("items") or [])

    if pulls:
        pull()
    while not all(same_finding(one, found(one["file"])) for one in about):
        left = until - time.monotonic()
        if left <= 0:
            break
        quiet = QUIET if pulls or all(_uri(server, one["file"]) in server.heard_of for one in about) else UNHEARD
        if not server.pump(min(left, quiet)) and not server.busy:
            break
    else:
        return found
    if pulls:
        pull()
    return found


def _offers_of(server: Connection, one: Message, found: list[Message]) -> list[Message]:
    """The quick fixes for a diagnostic; where the server finds nothing there, it is asked about the check's finding."""
    near = same_finding(one, found) or finding_near(one, found)
    finding = near or {"range": one["range"], "severity": 1, "message": one["message"]}
    params = {
        "textDocument": {"uri": _uri(server, one["file"])},
        "range": finding["range"],
        "context": {"diagnostics": [finding], "only": ["quickfix"], "triggerKind": 2},
    }
    actions = [action for action in server.ask("textDocument/codeAction", params) or [] if _is_quick_fix(action)]
    offered = []
    for action in actions[:_MOST_ACTIONS]:
        whole = action if action.get("edit") else server.ask("codeAction/resolve", action) or action
        if edits := edits_of(whole.get("edit"), server.root):
            offered.append({"title": whole["title"], "preferred": whole.get("isPreferred") is True, "edits": edits})
    return offered


def _is_quick_fix(action: Message) -> bool:
    """Commands are not run: they are the server's own doing, in files or elsewhere."""
    is_edit = action.get("edit") is not None or not action.get("command")
    return is_edit and str(action.get("kind")).startswith("quickfix") and not action.get("disabled")
