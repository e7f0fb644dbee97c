"""The way in: guard the streams, check that what is needed is there, serve until the client is gone."""

from __future__ import annotations

import asyncio
import gc
import sys

MISSING = 1


def serve() -> None:
    """Serve one client on standard input and output; ends the process.

    Exit status: 0 after `shutdown` and `exit` or the end of input, 1 after `exit` alone or where a library is missing.
    """
    from compile_loop.lsp.stdio import guard

    streams = guard()  # before anything is imported that might print
    gc.disable()  # what imports make is there to stay; looking through it again and again takes a tenth of the start
    try:
        from compile_loop.lsp.life import live
    except ImportError as error:
        sys.stderr.write(
            f"Compile Loop's language server cannot start: {error} (Python {sys.version.split()[0]} at {sys.executable}). "
            "Install the package again with its dependencies, or choose another interpreter.\n"
        )
        sys.exit(MISSING)
    sys.exit(asyncio.run(live(streams)))
