"""`python -m compile_loop.lsp`."""

from compile_loop.lsp.entry import serve

serve()
