"""Minimal byte hunks between two versions of a file (SPEC E9), and back."""

from __future__ import annotations

from collections.abc import Sequence

from compile_loop.contracts.edits import FileChange, Hunk
from compile_loop.edits.linediff import common_runs
from compile_loop.edits.text import UndecodableError, codec_name, decode, split_lines

_ANY_BYTES = "iso8859-1"
"""The encoding in which every byte is a character."""


def common_prefix(a: str | bytes, b: str | bytes) -> int:
    """How many leading items two strings share; compares slices, so it is as fast as memory."""
    low, high = 0, min(len(a), len(b))
    step = 4096
    while low < high:
        size = min(step, high - low)
        if a[low : low + size] == b[low : low + size]:
            low += size
            step *= 2
        elif size == 1:
            return low
        else:
            high = low + size
            step = size // 2
    return low


def common_suffix(a: str | bytes, b: str | bytes, limit: int) -> int:
    """How many trailing items two strings share, at most `limit`."""
    low, high = 0, min(len(a), len(b), limit)
    step = 4096
    while low < high:
        size = min(step, high - low)
        if a[len(a) - low - size : len(a) - low] == b[len(b) - low - size : len(b) - low]:
            low += size
            step *= 2
        elif size == 1:
            return low
        else:
            high = low + size
            step = size // 2
    return low


def minimal_hunks(before: bytes, after: bytes, encoding: str = "utf-8") -> tuple[Hunk, ...]:
    """The hunks that turn `before` into `after`: sorted, disjoint, not touching, and none changes nothing.

    No hunk begins or ends inside a character or between CR and LF. Bytes that are no text in `encoding` are compared
    byte by byte.
    """
    if before == after:
        return ()
    old, new, base, name = _texts(before, after, encoding)
    head = common_prefix(old, new)
    head = max(old.rfind("\n", 0, head), old.rfind("\r", 0, head)) + 1
    if head and old[head - 1] == "\r" and (old[head : head + 1] == "\n" or new[head : head + 1] == "\n"):
        head = max(old.rfind("\n", 0, head - 1), old.rfind("\r", 0, head - 1)) + 1
    tail = _line_start_suffix(old, new, common_suffix(old, new, min(len(old), len(new)) - head))
    old_lines = split_lines(old[head : len(old) - tail])
    new_lines = split_lines(new[head : len(new) - tail])
    offset = base + len(old[:head].encode(name)) if head else base
    hunks: list[Hunk] = []
    i = j = 0
    for run_i, run_j, size in [*common_runs(old_lines, new_lines), (len(old_lines), len(new_lines), 0)]:
        for gone, come in _parts(old_lines[i:run_i], new_lines[j:run_j]):
            gone_size = len(gone.encode(name))
            if gone != come:
                hunks.append(_trimmed(gone, come, offset, gone_size, name))
            offset += gone_size
        offset += len("".join(old_lines[run_i : run_i + size]).encode(name))
        i, j = run_i + size, run_j + size
    return tuple(hunks)


def _parts(gone: list[str], come: list[str]) -> list[tuple[str, str]]:
    """Neighbouring lines that changed: each for itself where each is still the same line, else all in one."""
    pairs = list(zip(gone, come, strict=False))
    if len(gone) == len(come) and all(_same_line(old, new) for old, new in pairs):
        return pairs
    return [("".join(gone), "".join(come))]


def _same_line(old: str, new: str) -> bool:
    """Whether half of the longer line is left, its end among it."""
    body, other = old.rstrip("\r\n"), new.rstrip("\r\n")
    if old[len(body) :] != new[len(other) :]:
        return False
    head = common_prefix(body, other)
    kept = head + common_suffix(body, other, min(len(body), len(other)) - head)
    return 2 * kept >= max(len(body), len(other))


def _line_start_suffix(old: str, new: str, size: int) -> int:
    """The longest common end of at most `size` characters that begins a line in both texts."""
    start, shift = len(old) - size, len(new) - len(old)
    if _begins_line(old, start) and _begins_line(new, start + shift):
        return size
    ends = [at for at in (old.find("\n", start), old.find("\r", start)) if at >= 0]
    if not ends:
        return 0
    after = min(ends) + 1
    if old[after - 1 : after + 1] == "\r\n":
        after += 1
    return len(old) - after


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n" or (text[at - 1] == "\r" and text[at : at + 1] != "\n")


def _texts(before: bytes, after: bytes, encoding: str) -> tuple[str, str, int, str]:
    """Both files as text after a shared byte order mark; as Latin-1, one character a byte, where they are none."""
    try:
        name = codec_name(encoding)
        old, new = decode(before, name), decode(after, name)
        if old.bom == new.bom:
            return old.text, new.text, len(old.bom), name
    except UndecodableError:
        pass
    return before.decode(_ANY_BYTES), after.decode(_ANY_BYTES), 0, _ANY_BYTES


def _trimmed(gone: str, come: str, offset: int, gone_size: int, name: str) -> Hunk:
    """One hunk without the characters that both sides begin and end with."""
    head = common_prefix(gone, come)
    if head and gone[head - 1] == "\r" and (gone[head : head + 1] == "\n" or come[head : head + 1] == "\n"):
        head -= 1
    tail = common_suffix(gone, come, min(len(gone), len(come)) - head)
    if tail and gone[len(gone) - tail] == "\n":
        left = gone[len(gone) - tail - 1 : len(gone) - tail]
        other = come[len(come) - tail - 1 : len(come) - tail]
        if "\r" in (left, other):
            tail -= 1
    start = offset + len(gone[:head].encode(name))
    end = offset + gone_size - len(gone[len(gone) - tail :].encode(name))
    return Hunk(start, end, come[head : len(come) - tail].encode(name))


def apply_hunks(before: bytes, hunks: Sequence[Hunk]) -> bytes:
    """Rebuild a file. Raises `ValueError` for hunks that overlap, are unsorted or lie outside."""
    pieces: list[bytes] = []
    at = 0
    for hunk in hunks:
        if not at <= hunk.start <= hunk.end <= len(before):
            raise ValueError(f"hunk {hunk.start}..{hunk.end} does not fit a file of {len(before)} bytes after {at}")
        pieces += (before[at : hunk.start], hunk.new)
        at = hunk.end
    pieces.append(before[at:])
    return b"".join(pieces)


def file_change(path: str, before: bytes | None, after: bytes | None, encoding: str | None = None) -> FileChange:
    """One file's change with its minimal hunks; `encoding` as the editor says, else found out."""
    try:
        names = [decode(data, encoding).encoding for data in (before, after) if data]
    except UndecodableError:
        names = [_ANY_BYTES]
    name = names[0] if names else "utf-8"
    return FileChange(path, before, after, minimal_hunks(before or b"", after or b"", name), name)
