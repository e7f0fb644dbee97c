"""Replies and their application, in few words, for the tests beside."""

from __future__ import annotations

from compile_loop.edits.apply import Applied, HeldBlocks, Refused, Target, apply_reply


def block(search: str, replace: str, width: int = 7) -> str:
    """One block; texts are lines, each with its end, or empty."""
    return f"{'<' * width} SEARCH\n{search}{'=' * width}\n{replace}{'>' * width} REPLACE\n"


def apply(text: str, search: str, replace: str) -> str:
    """The new text of a file after one block, which must be applied."""
    return applied(text, block(search, replace))


def applied(text: str, reply: str) -> str:
    """The new text of a file after a reply, which must be applied."""
    result = apply_reply(reply, [Target("f.txt", text.encode())])
    assert isinstance(result, Applied), result.message
    data = result.files["f.txt"]
    assert data is not None
    return data.decode()


def tier(text: str, search: str, replace: str) -> str | None:
    """By which tier one block matches."""
    result = apply_reply(block(search, replace), [Target("f.txt", text.encode())])
    assert isinstance(result, Applied), result.message
    return result.reports[0].tier


def refused(text: str | None, reply: str, *, held: HeldBlocks | None = None) -> Refused:
    """The refusal of a reply, which must be refused."""
    result = apply_reply(reply, [Target("f.txt", None if text is None else text.encode())], held=held)
    assert isinstance(result, Refused), result.files
    return result
