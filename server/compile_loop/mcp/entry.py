"""The way in: check that the protocol's library is there, then serve until the client is gone."""

from __future__ import annotations

import asyncio
import sys
from importlib.util import find_spec

from compile_loop.mcp.options import Options

HOW = f'Install it into this Python: {sys.executable} -m pip install "mcp>=2.3,<3"'


class MissingExtraError(Exception):
    """The protocol's library is not installed; the message says how to get it."""


def missing() -> str | None:
    """What to install, in a sentence; None where all is there."""
    if find_spec("mcp") is None or find_spec("mcp_types") is None:
        return f"`compile-loop mcp` needs the package `mcp` in version 2, which is not here. {HOW}"
    return None


def serve(options: Options) -> None:
    """Serve one client on standard input and output. Raises `MissingExtraError`."""
    if sentence := missing():
        raise MissingExtraError(sentence)
    try:
        from compile_loop.mcp.server import live
    except ImportError as error:
        raise MissingExtraError(
            f"`compile-loop mcp` cannot use the package `mcp` that is here: {error}. {HOW}"
        ) from error
    asyncio.run(live(options))
