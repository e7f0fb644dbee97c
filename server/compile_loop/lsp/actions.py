"""The lightbulb: "Fix until it compiles" on any error, whatever reported it (SPEC V1). No model is asked to offer it."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.protocol import CODE_ACTION_KIND, COMMANDS, DiagnosticRef, RunParams, dump

FILE_TITLE = "Fix until it compiles"
WORKSPACE_TITLE = "Fix the whole project until it compiles"


def code_actions(ls: LoopServer, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
    """Two actions where an error is, for the file and for the project.

    Where nothing was found they are there when the user asks: there may be nothing else that finds errors.
    """
    found = params.context.diagnostics
    errors = [d for d in found if d.severity in (None, types.DiagnosticSeverity.Error)]
    unasked = params.context.trigger_kind is types.CodeActionTriggerKind.Automatic
    if not wanted(params.context.only) or (not errors and (found or unasked)):
        return []
    uri = params.text_document.uri
    commands = [
        _command(ls, FILE_TITLE, "fix", RunParams(uris=[uri], diagnostic=_ref(uri, errors[0]) if errors else None)),
        _command(ls, WORKSPACE_TITLE, "fixWorkspace", RunParams(scope="workspace", uris=[uri])),
    ]
    capabilities = ls.client_capabilities.text_document
    actions = capabilities.code_action if capabilities else None
    if actions is None or actions.code_action_literal_support is None:
        return list(commands)
    return [types.CodeAction(c.title, CODE_ACTION_KIND, list(errors) or None, command=c) for c in commands]


def wanted(only: Sequence[str] | None) -> bool:
    """Whether a client that asks for `only` these kinds asks for ours. Kinds form a tree by their dots."""
    return only is None or any(not kind or f"{CODE_ACTION_KIND}.".startswith(f"{kind}.") for kind in only)


def _ref(uri: str, found: types.Diagnostic) -> DiagnosticRef:
    message = found.message if isinstance(found.message, str) else str(found.message)
    return DiagnosticRef(uri=uri, line=found.range.start.line, message=message, source=found.source, code=found.code)


def _command(ls: LoopServer, title: str, name: str, params: RunParams) -> types.Command:
    """The client's own command where it has one, with the place; else the server's, with the parameters of a run."""
    if ls.client_handles_commands:
        place = params.diagnostic
        return types.Command(title, COMMANDS[name], arguments=[params.uris[0], dump(place) if place else None])
    return types.Command(title, COMMANDS["serverStartRun"], arguments=[dump(params)])
