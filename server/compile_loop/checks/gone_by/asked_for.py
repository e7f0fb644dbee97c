"""Whether a run's failures ask for a file: they name it, lie in it, or lie in a line that names it (SPEC K6). Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from compile_loop.checks.expectations import SOURCE
from compile_loop.checks.gone_by.naming import names
from compile_loop.contracts.diagnostics import Diagnostic, Range

_QUOTED = re.compile(r"[\"'`‘“]([^\"'`’”\n]{1,200})[\"'`’”]")
_INDEX = re.compile(r"/(?:__init__|__main__|index|mod)(?=\.\w+$)")
_OF_THE_COMMAND = re.compile(r"`.*` failed with exit code -?\d+; ")
"""The check's own line, said where nobody could read its output."""
_OTHER_FORM = re.compile(r"\.(?:o|obj|lo|class|d|hi|beam|py[cdi]|so|js|[cm]js|d\.ts|rlib|rmeta)$")
"""Forms that are made of a source of the same name."""


def asked_for(
    path: str, failures: Iterable[Diagnostic], text_of: Callable[[str], str], is_new: Callable[[str], bool]
) -> bool:
    """Whether any of the failures asks for `path`.

    `text_of` gives a file's text, `is_new` says whether a folder of this path was not there before the edit.
    """
    said = _words_for(path, is_new)
    for failure in failures:
        places = [(failure.file, failure.message), *((r.file, r.message) for r in failure.related)]
        for file, message in places:
            if file == path or any(said.search(line) for line in _own_words(message, file, text_of)):
                return True
            if any(
                _names_apart(path, word)
                for line in _own_words(message, file, text_of)
                for word in _QUOTED.findall(line)
            ):
                return True
        for file, at in ((failure.file, failure.range), *((r.file, r.range) for r in failure.related)):
            if file is not None and any(True for _ in names(path, file, _statement(text_of(file), at))):
                return True
    return False


def _words_for(path: str, is_new: Callable[[str], bool]) -> re.Pattern[str]:
    """The file's path, name and module, and the folder that came with it."""
    base = path.rpartition("/")[2]
    stem = re.sub(r"(?<=.)\.\w+$", "", _INDEX.sub("", path))
    words = [re.escape(base)]
    if SOURCE.search(path):
        parts = stem.split("/")
        words += [r"[./\\]".join(map(re.escape, parts[at:])) for at in range(len(parts) - 1)]
    folders = path.split("/")[:-1]
    at = next((n for n in range(1, len(folders) + 1) if is_new("/".join(folders[:n]))), None)
    if at is not None:
        words.append(re.escape(folders[at - 1]))
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(words)})(?![\w-])")


def _names_apart(path: str, word: str) -> bool:
    """Whether a quoted word is the file's name without its ending, or that of what is made of it."""
    stem = re.sub(r"(?<=.)\.\w+$", "", _INDEX.sub("", path)).rpartition("/")[2]
    said = _OTHER_FORM.sub("", re.split(r"[/\\]", word)[-1])
    return stem in (
        said,
        said.rpartition(".")[2],
        said.rpartition("::")[2],
        said.partition(".")[0] if "/" not in word else said,
    )


def _own_words(message: str, file: str | None, text_of: Callable[[str], str]) -> Iterator[str]:
    """The lines of a message that are not only shown from the file that it is about."""
    lines = message.splitlines()
    shown = {row.strip() for row in text_of(file).splitlines()} if file is not None and len(lines) > 1 else set()
    if lines and _OF_THE_COMMAND.match(lines[0]):
        lines = lines[1:]
    yield from (line for line in lines if re.sub(r"^\s*(?:>|E|\d+\s*\|)?\s*", "", line).strip() not in shown)


def _statement(text: str, at: Range) -> str:
    """The text that a failure lies in: its lines, or in a line of several statements the one of its column."""
    rows = text.splitlines()
    first, last = at.start, at.end
    said = rows[first.line : max(first.line, min(last.line, first.line + 20)) + 1]
    if len(said) == 1 and first.character and ";" in said[0]:
        start = said[0].rfind(";", 0, first.character) + 1
        end = said[0].find(";", first.character)
        return said[0][start : end if end >= 0 else len(said[0])]
    return "\n".join(said)
