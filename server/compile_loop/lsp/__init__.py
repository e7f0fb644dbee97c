"""The language server: the only room that speaks the Language Server Protocol.

`serve()` is the way in, for `compile-loop serve` and `python -m compile_loop.lsp`. Nothing heavy is imported before it
runs.
"""

from compile_loop.lsp.entry import serve

__all__ = ["serve"]
