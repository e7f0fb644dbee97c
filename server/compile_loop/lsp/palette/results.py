"""The commands on results that wait."""

from __future__ import annotations

from compile_loop.lsp import config, review
from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.palette.call import Call


async def apply_result(ls: LoopServer, _call: Call) -> None:
    """Apply Result."""
    result = await review.choose(ls, "apply")
    await review.apply(ls, result, await config.pull(ls, result.root))


async def apply_some_result(ls: LoopServer, _call: Call) -> None:
    """Apply Some of the Result…"""
    result = await review.choose(ls, "apply")
    await review.apply_some(ls, result, await config.pull(ls, result.root))


async def discard_result(ls: LoopServer, _call: Call) -> None:
    """Discard Result."""
    await review.discard(ls, await review.choose(ls, "discard"))


async def show_result(ls: LoopServer, _call: Call) -> None:
    """Show Result: the diff, and the question again."""
    result = await review.choose(ls, "show")
    await review.show(ls, result)
    await review.ask(ls, result, await config.pull(ls, result.root))
