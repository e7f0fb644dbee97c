"""What the client tells unasked: trust, a press of Stop, and what happens in the editor (SPEC V3, V8)."""

from __future__ import annotations

from typing import Any

from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.lent_models import hear_piece
from compile_loop.lsp.protocol import (
    CLIENT_NOTIFICATIONS,
    ModelPiece,
    ProblemsParams,
    StopParams,
    TaskEnded,
    TrustParams,
)
from compile_loop.lsp.rpc import parse


def hear(ls: LoopServer, name: str, params: Any) -> None:
    """Take note of one notification. Raises `JsonRpcInvalidParams` that names the fields."""
    match parse(CLIENT_NOTIFICATIONS[name], params):
        case TrustParams(trusted=trusted):
            ls.trusted = trusted
        case StopParams(id=progress):
            if (end := ls.stops.get(progress)) is not None:
                end()
        case TaskEnded() as ended:
            ls.watch.task_ended(ended)
        case ProblemsParams() as problems:
            ls.watch.problems(problems)
        case ModelPiece() as piece:
            hear_piece(ls, piece)
