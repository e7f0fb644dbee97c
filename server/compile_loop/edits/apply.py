"""Apply a model's reply to the text of its targets: whole, or not at all (SPEC E1–E7, Q10). Bytes in, bytes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from compile_loop.edits import refusal
from compile_loop.edits.attempt import Attempt
from compile_loop.edits.blocks import Block, Reading, parse
from compile_loop.edits.full import apply_full, holds_fence
from compile_loop.edits.indent import is_blank
from compile_loop.edits.paths import PathError, admit, relative
from compile_loop.edits.placement import Job
from compile_loop.edits.result import Applied, BlockReport, HeldBlock, HeldBlocks, Refused, Target
from compile_loop.edits.text import line_end, split_lines

__all__ = [
    "Applied",
    "BlockReport",
    "HeldBlock",
    "HeldBlocks",
    "Refused",
    "Target",
    "apply_reply",
    "apply_search_replace",
    "named_paths",
]

MAX_REPLY = 16 * 1024 * 1024
"""Characters; a longer reply is refused unread."""

Exists = Callable[[str], bool]
"""Whether a workspace-relative path is a file."""
MayCreate = Callable[[str], "str | None"]
"""A workspace-relative path that is no target → why it may not be created; None where it may, and does not exist."""


def apply_reply(
    reply: str,
    targets: Sequence[Target],
    *,
    edit_mode: Literal["diff", "full"] = "diff",
    allow_new_files: bool = False,
    truncated: bool = False,
    held: HeldBlocks | None = None,
    at_reply_start: Mapping[str, bytes | None] | None = None,
    before_last_edit: Mapping[str, bytes | None] | None = None,
    may_create: MayCreate | None = None,
    exists: Exists | None = None,
    root: str | None = None,
) -> Applied | Refused:
    """Apply every edit of `reply`, or none and say why.

    `truncated`: the reply was cut off. `held`: what an earlier `Refused` kept; it lands together with this reply's blocks.
    `at_reply_start`: contents when the reply began, where tool calls of the same reply have changed them since;
    `before_last_edit`: contents before the edits last applied, only to tell a stale SEARCH. `allow_new_files` lets a
    target that does not exist be created, and with `may_create` also a file that is no target. `exists`: where there is one
    target, a header that names another file that exists is not ignored, since its block is meant for that. `root` is the
    workspace's absolute path, for absolute spellings in headers.
    """
    if len(reply) > MAX_REPLY:
        return refusal.simple(
            f"The reply is too long to be read ({len(reply)} characters); send fewer blocks.", held=held
        )
    if edit_mode == "full":
        return apply_full(reply, targets, allow_new_files=allow_new_files, truncated=truncated)
    several = len(targets) != 1
    parsed = parse(reply, several=several)
    if not parsed.blocks and not parsed.broken:
        only = targets[0] if len(targets) == 1 else None
        if only is not None and not only.content and holds_fence(reply):
            return apply_full(reply, targets, allow_new_files=allow_new_files, truncated=truncated, fallback=True)
        return refusal.no_blocks(reply, targets, truncated=truncated, held=held)

    attempt = Attempt(
        targets,
        allow_new_files=allow_new_files,
        at_reply_start=at_reply_start,
        before_last_edit=before_last_edit,
    )
    paths = [target.path for target in targets]
    for kept in held.blocks if held else ():
        if kept.path not in paths and allow_new_files and may_create and may_create(kept.path) is None:
            attempt.admit_new(kept.path)
        attempt.take_held(kept)
    for broken in parsed.broken:
        attempt.fail(broken.index, broken.header, f"{broken.detail}.")
    for block in parsed.blocks:
        path = "" if several else targets[0].path
        meant = block.header is not None and exists is not None and _other(block.header, path, exists, root)
        if several or meant or (allow_new_files and may_create and block.header and _creates(block)):
            try:
                admitted = admit(
                    block.header or "", paths, root=root, allow_new_files=allow_new_files and may_create is not None
                )
            except PathError as error:
                attempt.fail(block.index, block.header, f"{error}.")
                continue
            path = admitted.path
            if admitted.new:
                why_not = may_create(path) if may_create else "it is no target"
                if why_not:
                    attempt.fail(block.index, path, f"{path} may not be created: {why_not}.")
                    continue
                attempt.admit_new(path)
        attempt.take(Job(block.index, path, block))
    return attempt.finish(truncated=truncated)


def named_paths(reply: str, root: str | None = None) -> list[str]:
    """The workspace-relative paths that a reply's headers name, in their order."""
    paths = (relative(header, root) for header in parse(reply, several=True).headers)
    return list(dict.fromkeys(path for path in paths if path is not None))


def apply_search_replace(
    target: Target,
    search: str,
    replace: str,
    *,
    allow_new_files: bool = False,
    before_last_edit: bytes | None = None,
) -> Applied | Refused:
    """The tool channel's one edit (SPEC T2): as a text block, and an exact, unique fragment of a line matches too."""
    stale = {} if before_last_edit is None else {target.path: before_last_edit}
    attempt = Attempt([target], allow_new_files=allow_new_files, before_last_edit=stale, tool=True)
    reading = Reading(_bare_lines(search), _bare_lines(replace))
    attempt.take(Job(1, target.path, reading=reading, fragment=(search, replace)))
    return attempt.finish()


def _other(header: str, target: str, exists: Exists, root: str | None) -> bool:
    """Whether the header of a block names a file that exists and is not the one target."""
    path = relative(header, root)
    return path is not None and path != relative(target, root) and exists(path)


def _creates(block: Block) -> bool:
    return all(map(is_blank, block.readings[0].search))


def _bare_lines(text: str) -> tuple[str, ...]:
    return tuple(line[: len(line) - len(line_end(line))] for line in split_lines(text))
