"""Full mode: the reply's single fenced block is the whole new file (SPEC E3)."""

from __future__ import annotations

from collections.abc import Sequence

from compile_loop.edits.blocks import parse
from compile_loop.edits.document import Document
from compile_loop.edits.ends import Line, join, lines_of
from compile_loop.edits.fences import Fence, fences
from compile_loop.edits.indent import is_blank
from compile_loop.edits.linediff import common_runs
from compile_loop.edits.match import Tier
from compile_loop.edits.omission import placeholder_lines
from compile_loop.edits.result import Applied, BlockReport, Refused, Target
from compile_loop.edits.strange import strange_character
from compile_loop.edits.text import SourceText, UndecodableError, decode

_STUB_FROM = 10
"""Files of fewer lines, blank ones aside, may shrink as they like."""
_STUB_PART = 4
"""A new file of less than this part (a quarter) of the old one's lines is a stub."""

_NO_FILE = frozenset(
    (
        "bash",
        "sh",
        "shell",
        "zsh",
        "console",
        "shell-session",
        "terminal",
        "powershell",
        "cmd",
        "bat",
        "diff",
        "patch",
        "output",
        "log",
    )
)
"""Info strings of fences that hold commands or output, unless the file itself is such."""
_LANGUAGES = {
    "c": "c h",
    "cpp": "cpp cc cxx hpp hh h",
    "c++": "cpp cc cxx hpp hh h",
    "python": "py pyi",
    "py": "py pyi",
    "javascript": "js mjs cjs jsx",
    "js": "js mjs cjs jsx",
    "typescript": "ts mts cts tsx",
    "ts": "ts mts cts tsx",
    "rust": "rs",
    "go": "go",
    "java": "java",
    "kotlin": "kt kts",
    "csharp": "cs",
    "ruby": "rb",
    "php": "php",
    "json": "json jsonc",
    "yaml": "yaml yml",
    "toml": "toml",
    "xml": "xml",
    "html": "html htm",
    "css": "css",
    "sql": "sql",
    "makefile": "mk makefile",
    "markdown": "md markdown",
}
"""Info strings of fences → the endings of files in that language."""
_SCRIPT_ENDINGS = (".sh", ".bash", ".zsh", ".ps1", ".bat", ".cmd", ".diff", ".patch", ".log")


class _UnusableError(Exception):
    """The reply is no whole file; the message is why, and what to send."""


def holds_fence(reply: str) -> bool:
    """Whether there is a fenced block in the reply."""
    return any(any(line.strip() for line in fence.lines) for fence in fences(reply))


def apply_full(
    reply: str, targets: Sequence[Target], *, allow_new_files: bool, truncated: bool, fallback: bool = False
) -> Applied | Refused:
    """Write the reply's fenced block as the whole of the one target. `fallback`: edit blocks had been asked for."""
    if len(targets) != 1:
        raise ValueError("a full rewrite needs exactly one target; use edit blocks for several")
    target = targets[0]
    try:
        data = _rewritten(reply, target, allow_new_files, truncated)
    except _UnusableError as refusal:
        none = not fences(reply) and not truncated
        message = f"The file was not written: {refusal}"
        report = () if none else (BlockReport(1, target.path, False, reason=str(refusal)),)
        return Refused(message, report, None, no_blocks=none)
    warnings: tuple[str, ...] = ()
    if fallback:
        state = "is empty" if target.content is not None else "does not exist"
        warnings = (f"{target.path} {state}, so the fenced block was taken as the whole file.",)
    report = (BlockReport(1, target.path, True, (Tier.FULL if target.content else Tier.CREATE).value, 1),)
    return Applied({target.path: data}, report, warnings)


def _rewritten(reply: str, target: Target, allow_new_files: bool, truncated: bool) -> bytes:
    path = target.path
    if truncated:
        raise _UnusableError(
            "the reply was cut off at its length limit. Send the whole file again, in one fenced block."
        )
    if target.content is None and not allow_new_files:
        raise _UnusableError(f"{path} does not exist, and new files are not allowed in this run.")
    try:
        source = decode(target.content or b"", target.encoding)
    except UndecodableError as error:
        raise _UnusableError(f"{path} cannot be edited: {error}.") from None
    fence = _only_fence(reply, path)
    new = list(fence.lines)
    if new:
        new[0] = new[0].removeprefix("\ufeff")
    document = Document(source.text)
    parsed = parse("\n".join(new), several=False)
    if parsed.blocks and not parse(source.text, several=False).blocks:
        raise _UnusableError("the fenced block holds SEARCH/REPLACE blocks. Send the whole new file instead.")
    left_out = next((line for line in placeholder_lines(new) if line not in document.stripped_lines), None)
    if left_out is not None:
        raise _UnusableError(
            f"its line {left_out[:200]!r} stands for code that was left out, and would delete it. "
            "Send the whole file, with nothing left out."
        )
    old_size = sum(not is_blank(line) for line in document.lines)
    new_size = sum(not is_blank(line) for line in new)
    if old_size >= _STUB_FROM and new_size * _STUB_PART < old_size:
        raise _UnusableError(
            f"it has {new_size} lines where {path} has {old_size} (blank ones aside), so most of the file would be lost. "
            "Send the whole file, with nothing left out."
        )
    text = _merged(source, document, new)
    if strange := strange_character(text, source.text):
        raise _UnusableError(
            f"it would put the character {strange} into {path}, which no source text holds. If the code needs it, write it "
            "as an escape of the language."
        )
    try:
        data = source.encode(text)
    except UnicodeEncodeError as error:
        bad = text[error.start]
        raise _UnusableError(
            f"{path} is stored as {source.encoding.upper()}, which cannot hold {bad!r} (U+{ord(bad):04X})."
        ) from None
    if data == target.content:
        raise _UnusableError(f"it is the same as {path} is now, so nothing would change.")
    return data


def _only_fence(reply: str, path: str) -> Fence:
    found = fences(reply)
    if not found and parse(reply, several=False).blocks:
        raise _UnusableError(
            "the reply has SEARCH/REPLACE blocks. Send the whole new file instead, between a line ``` and a line ```."
        )
    if not found:
        raise _UnusableError(
            "the reply has no fenced block. Send the whole new file between a line ``` and a line ```."
        )
    if not found[-1].closed:
        raise _UnusableError(
            "its fenced block has no end, so the reply may be cut off. Send the whole file again, and close the fence."
        )
    full = [fence for fence in found if any(not is_blank(line) for line in fence.lines)]
    if not full:
        raise _UnusableError("its fenced block is empty. Send the whole new file.")
    if len(full) > 1 and not path.lower().endswith(_SCRIPT_ENDINGS):
        full = [fence for fence in full if fence.info.split(" ")[0].lower() not in _NO_FILE] or full
    if len(full) > 1:
        full = [fence for fence in full if not _in_another_language(fence, path)] or full
    if len(full) > 1:
        name = path.rsplit("/", 1)[-1]
        named = [
            fence for fence in full if name in fence.info.replace("=", " ").replace(":", " ").replace("/", " ").split()
        ]
        full = named if len(named) == 1 else full
    if len(full) > 1:
        raise _UnusableError(
            f"the reply has {len(full)} fenced blocks, and each could be the file. Send just the whole new file, in one."
        )
    return full[0]


def _in_another_language(fence: Fence, path: str) -> bool:
    """Whether a fence is marked as another language than the file's, as far as both are known."""
    endings = _LANGUAGES.get(fence.info.split(" ")[0].lower(), "").split()
    ending = path.lower().rsplit("/", 1)[-1].rsplit(".", 1)[-1]
    known = any(ending in other.split() for other in _LANGUAGES.values())
    return bool(endings) and known and ending not in endings


def _merged(source: SourceText, document: Document, new: list[str]) -> str:
    """The new text: a line that was there before keeps its own end, and a missing final line end stays missing."""
    old = lines_of(source.text)
    merged: list[Line] = []
    i = j = 0
    for run_i, run_j, size in [*common_runs(document.lines, new), (len(old), len(new), 0)]:
        for step in range(run_j - j):
            at = min(i + step, run_i - 1) if run_i > i else i - 1
            merged.append(Line(new[j + step], old[at].end if 0 <= at < len(old) else ""))
        merged += old[run_i : run_i + size]
        i, j = run_i + size, run_j + size
    return join(merged, document.usual_end, ended=not old or bool(old[-1].end))
