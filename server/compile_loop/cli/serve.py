"""`compile-loop serve`: the language server on standard input and output."""

from __future__ import annotations

NAME = "serve"
EXAMPLE = "Example: `compile-loop serve`, as the command of an editor's language client."


def run() -> None:
    """Speak the Language Server Protocol on standard input and output."""
    from compile_loop.lsp.entry import serve

    serve()
