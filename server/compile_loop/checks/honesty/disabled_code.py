"""Failing code that was turned into a comment, put behind a condition, or simply taken out (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Point

from compile_loop.checks.honesty.failures import is_test_failure, surplus
from compile_loop.checks.honesty.grammar import Tree
from compile_loop.checks.honesty.survey import Function, Language, row_of, squash, text_of
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.diagnostics import Phase
from compile_loop.contracts.honesty import Finding

_MARKERS = re.compile(r"^\s*(?://+!?|#+!?|/\*+|\*+/?|--|;+)?\s?|\s*(?:\*/)?\s*$")
_NOTE = re.compile(r"^(?:TODO|FIXME|XXX|HACK|NOTE|disabled|was|old)\b(?:\([^)]*\))?\s*:?\s*", re.IGNORECASE)
_CODE = re.compile(r"[=(){};:\[\]]|^(?:return|import|from|break|continue|raise|throw)\b")
_DIRECTIVE = re.compile(r"#\s*(?:if|el|endif|define|undef|pragma)")
_IMPORTS = frozenset(
    {
        "import_statement",
        "import_from_statement",
        "import_declaration",
        "export_clause",
        "use_declaration",
        "preproc_include",
        "using_declaration",
    }
)
_DEAD = re.compile(
    r"(?:\} else )?(?:el)?(?:if|while)\s*\(?\s*(?:false|False|0|null|nil|None|undefined)\s*(?:\)|:|\{|&&|and\b)"
)
"""What never ran may go."""
_COMMENTS = {"rust": "[(line_comment) (block_comment)] @c", "java": "[(line_comment) (block_comment)] @c"}
_TEXT_BLOCK = "(expression_statement (string) @c)"


def comment_rows(tree: Tree, wanted: Iterable[int] | None = None) -> dict[int, str]:
    """Rows that are wholly or in their first part comment, with the comment's text on that row.

    In Python a string that stands as a statement counts as one.
    """
    pattern = _COMMENTS.get(tree.grammar, "(comment) @c")
    if tree.grammar == "python":
        pattern += f" {_TEXT_BLOCK}"
    rows: dict[int, str] = {}
    for _, node in tree.find(pattern):
        first = row_of(node)
        lines = text_of(node).removesuffix("\n").split("\n")
        if tree.text.row(first)[: node.start_point[1]].strip():
            continue
        rows.update((first + i, line) for i, line in enumerate(lines))
    return rows


def commented_out(case: Case, change: Change, language: Language, old: Tree, new: Tree) -> list[Finding]:
    """Code of the old text that is now inside a comment."""
    now = comment_rows(new)
    if not any(row in now for row in change.added):
        return []
    was = comment_rows(old)
    kept = (
        {change.kept_as(row): row for row in range(len(change.old.rows)) if row not in was} if _has_blocks(now) else {}
    )
    gone = {squash(change.old.row(row)): row for row in sorted(change.removed, reverse=True) if row not in was}
    hidden: list[tuple[int, int]] = []
    for row, text in sorted(now.items()):
        bare = _NOTE.sub("", squash(_MARKERS.sub("", text)))
        if row in change.added:
            origin = gone.get(bare)
        elif old.root.has_error:
            continue  # where one ends that was never closed, what is inside was no code
        else:
            origin = kept.get(row)
            bare = squash(change.new.row(row))
        if origin is not None and len(bare) > 3 and _CODE.search(bare) and not language.imports.match(bare):
            hidden.append((row, origin))
    return [f for group in _groups(hidden) if (f := _judge(case, change, group)) is not None]


def _has_blocks(rows: dict[int, str]) -> bool:
    return any(row + 1 in rows for row in rows)


def _groups(hidden: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    group: list[tuple[int, int]] = []
    for item in hidden:
        if group and item[0] > group[-1][0] + 2:
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def _judge(case: Case, change: Change, group: list[tuple[int, int]]) -> Finding | None:
    origins = [origin for _, origin in group]
    near = case.failures.near(change.path, min(origins), max(origins), 1)
    if near and all(surplus(d) for d in near):
        return None
    row = group[0][0]
    shown = squash(change.new.row(row)) + (f" (and {len(group) - 1} more)" if len(group) > 1 else "")
    return case.finding(change, "disabled_code", row, shown, certain=bool(near), names=_words(change, origins))


def _words(change: Change, rows: Iterable[int]) -> list[str]:
    return [word for row in rows for word in re.findall(r"[A-Za-z_]\w+", change.old.row(row))]


def taken_out(case: Case, change: Change, language: Language, old: Tree, gone: list[Function]) -> list[Finding]:
    """Failing lines that were removed with nothing in their place."""
    comments = comment_rows(old) if case.failures.in_file(change.path) and change.removed else {}
    added = {squash(change.new.row(row)) for row in change.added}
    found: list[Finding | None] = []
    seen: set[int] = set()
    for diagnostic in case.failures.in_file(change.path):
        row = diagnostic.range.start.line
        if diagnostic.phase is Phase.PARSE or is_test_failure(diagnostic) or surplus(diagnostic) or row in seen:
            continue
        hunk = next((h for h in change.hunks if h.old_start <= row < h.old_end), None)
        if hunk is None or any(f.row <= row <= f.end_row for f in gone):
            continue
        seen.update(range(hunk.old_start, hunk.old_end))
        text = squash(change.old.row(row))
        instead = [change.new.row(r) for r in range(hunk.new_start, hunk.new_end)]
        if any(line.strip() and not language.comment.match(line) and re.search(r"\w", line) for line in instead):
            continue
        if row in comments or not text or text in added or _DIRECTIVE.match(text):
            continue
        if language.imports.match(text) or _imports(old, row) or _DEAD.match(text):
            continue
        names = _words(change, range(hunk.old_start, hunk.old_end))
        found.append(case.finding(change, "deleted_code", row, f"removed {text}", certain=False, names=names))
    return [finding for finding in found if finding is not None]


def _imports(tree: Tree, row: int) -> bool:
    """Whether a row is part of an import that takes several rows."""
    column = len(tree.text.row(row)) - len(tree.text.row(row).lstrip())
    node = tree.root.descendant_for_point_range(Point(row, column), Point(row, column))
    while node is not None and node.type not in _IMPORTS:
        node = node.parent
    return node is not None


def file_gone(case: Case, change: Change, created: Iterable[Change]) -> list[Finding]:
    """A whole file that failed and was deleted, and that no created file continues."""
    near = case.failures.in_file(change.path)
    if not near or all(surplus(d) for d in near):
        return []
    rows = {squash(row) for row in change.old.rows if row.strip()}
    if any(2 * len(rows & {squash(row) for row in other.new.rows}) >= len(rows) for other in created):
        return []
    name = change.path.rsplit("/", 1)[-1]
    found = case.finding(
        change, "deleted_code", 0, f"removed the file {name}", certain=True, names=[name.split(".")[0]]
    )
    return [found] if found is not None else []
