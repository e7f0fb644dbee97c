"""Lines that are surplus or indented wrongly: unused imports of Go, tabs of make, indentation of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compile_loop.contracts.diagnostics import Suggestion
from compile_loop.toolchains.wording.said import Said

_UNUSED_IMPORT = re.compile(
    r'^(?:imported and not used: "(?P<new>[^"]+)"|"(?P<old>[^"]+)" imported (?:as \w+ )?and not used)'
)
_IMPORT_LINE = re.compile(r'^\s*(?:import\s+)?(?:\w+\s+|\.\s+)?"(?P<path>[^"]+)"\s*(?://.*)?$')
_UNUSED_VARIABLE = re.compile(r"^(?:declared and not used: (?P<new>\w+)|(?P<old>\w+) declared (?:but|and) not used)")
_PLAIN_VALUE = re.compile(
    r"^\s*(?:var\s+)?(?P<name>\w+)(?:\s+\w+)?\s*:?=\s*(?:-?[\w.]+|\"[^\"\\]*\"|'[^']*'|`[^`]*`)\s*(?://.*)?$"
)
_TAB_WIDTH = 8


def surplus(said: Said) -> Iterator[Suggestion]:
    """Remove what Go does not allow to be unused: an import, or a variable with a plain value."""
    if unused := _UNUSED_IMPORT.match(said.message):
        line = _IMPORT_LINE.match(said.line)
        if line and line["path"] == (unused["new"] or unused["old"]):
            yield said.fix("remove the unused import", said.whole(said.row), "")
    elif unused := _UNUSED_VARIABLE.match(said.message):
        line = _PLAIN_VALUE.match(said.line)
        if line and line["name"] == (unused["new"] or unused["old"]):
            yield said.fix("remove the unused variable", said.whole(said.row), "")


def indentation(said: Said) -> Iterator[Suggestion]:
    """Indent the line as the one above, where the message says that its indentation is the fault."""
    body = said.line.lstrip()
    indent = said.line[: len(said.line) - len(body)]
    if "missing separator" in said.message:
        if indent and body and "\t" not in indent:
            yield said.fix("begin the recipe with a tab", said.at(said.row, 0, len(indent)), "\t")
        return
    above = _indent_above(said)
    if above is None or not body:
        return
    if "unexpected indent" in said.message.lower() and len(above.expandtabs()) < len(indent.expandtabs()):
        yield said.fix("indent as the line above", said.at(said.row, 0, len(indent)), above)
    elif "inconsistent use of tabs" in said.message.lower():
        width = len(indent.expandtabs(_TAB_WIDTH))
        tabs, rest = divmod(width, _TAB_WIDTH)
        if "\t" in above and rest == 0:
            yield said.fix("indent with tabs as above", said.at(said.row, 0, len(indent)), "\t" * tabs)
        elif "\t" not in above:
            yield said.fix("indent with blanks as above", said.at(said.row, 0, len(indent)), " " * width)


def _indent_above(said: Said) -> str | None:
    for row in range(said.row - 1, -1, -1):
        line = said.lines[row]
        if line.strip() and not line.lstrip().startswith("#"):
            return line[: len(line) - len(line.lstrip())]
    return None
