"""`compile-loop edit`: a model's reply on standard input → its edits on disk, or why not."""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape

from compile_loop.assemble import state_folder
from compile_loop.checks.protected import is_protected
from compile_loop.cli.diff import coloured, unified_diff
from compile_loop.contracts.edits import Edit
from compile_loop.edits.apply import Applied, BlockReport, Refused, Target, apply_reply
from compile_loop.edits.blocks import parse
from compile_loop.edits.hunks import file_change
from compile_loop.edits.paths import PathError, normalise, protected_part
from compile_loop.edits.text import UndecodableError
from compile_loop.shadow.apply import ApplyError, apply_edit
from compile_loop.shadow.visible import looks_secret

NAME = "edit"
EXAMPLE = "Example: `compile-loop edit --targets src/a.c < reply.txt`"

APPLIED, REFUSED, USAGE = 0, 1, 2


class Mode(str, Enum):
    """How the reply is read."""

    DIFF = "diff"
    FULL = "full"


def run(
    root: Path = typer.Option(
        Path(), exists=True, file_okay=False, help="The folder that paths in the reply count from."
    ),
    targets: list[str] = typer.Option(
        [],
        help="File that may be edited, relative to the root; give it again for more. None: the files that the reply names.",
    ),
    mode: Mode = typer.Option(
        Mode.DIFF, help="diff: SEARCH/REPLACE blocks; full: one fenced block is the whole new file."
    ),
    encoding: str = typer.Option("", help="The files' encoding, where it is neither UTF-8 nor marked."),
    allow_new_files: bool = typer.Option(False, help="Let an empty SEARCH create a file that does not exist."),
    dry_run: bool = typer.Option(False, help="Say what would happen and write nothing."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON document (schema compile-loop/edit/1)."),
) -> None:
    """Apply the edits of a model's reply: all of them, or none and say why.

    Exit code: 0 applied, 1 refused, 2 usage.
    """
    folder = root.resolve()
    reply = sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        named = targets or _named_in(reply, folder)
        files = [_target(folder, path, encoding or None) for path in named]
    except (PathError, UndecodableError, OSError) as error:
        Console(stderr=True).print(f"[red]{escape(str(error))}[/red]", highlight=False, soft_wrap=True)
        raise typer.Exit(USAGE) from error
    result = apply_reply(
        reply,
        files,
        edit_mode=mode.value,
        allow_new_files=allow_new_files,
        exists=lambda path: (folder / path).is_file(),
        may_create=(lambda path: None if _is_free(folder, path) else "it exists or leads out of the folder"),
        root=str(folder),
    )
    edit = _edit(result, files)
    message = _alone(result) if isinstance(result, Refused) else ""
    if not dry_run and isinstance(result, Applied):
        try:
            apply_edit(folder, edit, state_folder() / "journals")
        except ApplyError as error:
            message = str(error)
    if as_json:
        typer.echo(json.dumps(_document(result, edit, message, dry_run), indent=2, ensure_ascii=False))
    else:
        _print(result, edit, message, dry_run)
    raise typer.Exit(REFUSED if message else APPLIED)


def _named_in(reply: str, folder: Path) -> list[str]:
    headers = list(dict.fromkeys(normalise(path) for path in parse(reply, several=True).headers))
    if not headers:
        raise PathError("The reply names no file. Say with --targets which file it is for.")
    for header in headers:
        real = (folder / header).resolve()
        if _decides(header) or (real.is_relative_to(folder) and _decides(real.relative_to(folder).as_posix())):
            raise PathError(
                f"{header} is never edited because a reply names it. Name it with --targets if you mean it."
            )
    return headers


def _decides(path: str) -> bool:
    """Whether a file decides what runs or whether it passes, or looks like a secret: a reply alone never opens it."""
    return protected_part(path) is not None or is_protected(path) or looks_secret(path)


def _target(folder: Path, given: str, encoding: str | None) -> Target:
    path = Path(given)
    inside = (path if path.is_absolute() else folder / path).resolve()
    if not inside.is_relative_to(folder):
        raise PathError(f"{given} lies outside {folder}.")
    if inside.exists() and not inside.is_file():
        raise PathError(f"{given} is a folder or no regular file.")
    return Target(given, inside.read_bytes() if inside.exists() else None, encoding)


def _is_free(folder: Path, path: str) -> bool:
    place = (folder / path).resolve()
    return place.is_relative_to(folder) and not place.exists()


def _edit(result: Applied | Refused, files: list[Target]) -> Edit:
    if isinstance(result, Refused):
        return Edit()
    before = {file.path: file for file in files}
    return Edit(
        tuple(
            file_change(
                path, *((before[path].content, data, before[path].encoding) if path in before else (None, data))
            )
            for path, data in sorted(result.files.items())
        )
    )


def _alone(refused: Refused) -> str:
    """The refusal without the promise of a run, which keeps blocks for the next reply; this command keeps none."""
    if refused.held is None:
        return refused.message
    failed = [report for report in refused.reports if not report.ok]
    reasons = "\n\n".join(f"Block {r.index}{f' ({r.path})' if r.path else ''}: {r.reason}" for r in failed)
    return f"Some blocks could not be applied, so nothing was written.\n\n{reasons}\n\nSend the whole reply again, corrected."


def _document(result: Applied | Refused, edit: Edit, message: str, dry_run: bool) -> dict[str, Any]:
    return {
        "schema": "compile-loop/edit/1",
        "applied": not message and not dry_run,
        "message": message,
        "warnings": list(result.warnings) if isinstance(result, Applied) else [],
        "blocks": [_block(report) for report in result.reports],
        "files": [{"path": change.path, "diff": unified_diff(change)} for change in edit.files],
    }


def _block(report: BlockReport) -> dict[str, Any]:
    return {
        "index": report.index,
        "path": report.path,
        "ok": report.ok,
        "tier": report.tier,
        "line": report.line,
        "reason": report.reason,
    }


def _print(result: Applied | Refused, edit: Edit, message: str, dry_run: bool) -> None:
    console = Console()
    for change in edit.files:
        console.print(coloured(unified_diff(change)), end="", soft_wrap=True)
    for warning in result.warnings if isinstance(result, Applied) else ():
        console.print(f"[yellow]{escape(warning)}[/yellow]", highlight=False, soft_wrap=True)
    if message:
        console.print(escape(message), highlight=False, soft_wrap=True)
        console.print("\n[red]Nothing was changed.[/red]")
        return
    for report in result.reports:
        console.print(
            f"block {report.index}: {escape(report.path or '')}:{report.line} by {report.tier}", highlight=False
        )
    console.print("Nothing was written (--dry-run)." if dry_run else f"Wrote {', '.join(edit.paths)}.", highlight=False)
