"""Code fixes of the project's own TypeScript (SPEC D5): the question that asks for them, and what its answer means.

The compiler prints no fixes; its language service has them. It is asked once for all errors of a check, by a script that
runs with Node in the workspace's root and loads the TypeScript that the project itself has.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from compile_loop.contracts.diagnostics import Diagnostic, Range, SuggestedEdit, Suggestion
from compile_loop.toolchains.advice import Offered, Question, is_inside
from compile_loop.toolchains.language_server.quick_fixes import quick_fixes
from compile_loop.toolchains.manifest import json_of, own_program
from compile_loop.toolchains.sources import Sources
from compile_loop.toolchains.suggestions import weighed
from compile_loop.toolchains.tree import Tree

SCRIPT = Path(__file__).with_name("code_fixes.cjs")
_MOST_ASKED = 40
_LANGUAGES = {".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact"}
_NATIVE = 7
_CODE = re.compile(r"TS(\d{1,6})$")
_STATED = re.compile(
    r"import|spelling|unusedIdentifier|fixAwaitInSyncFunction|addMissing(?:Async|Await|Const|NewOperator)"
    r"|addMissingInvocationForDecorator|classSuperMustPrecedeThisAccess|constructorForDerivedNeedSuperCall"
    r"|convertToTypeOnly(?:Import|Export)|splitTypeOnlyImport|correctQualifiedNameToIndexedAccessType"
    r"|extendsInterfaceBecomesImplements|fixExpectedComma|fixImportNonExportedMember|fixIncorrectNamedTupleSyntax"
    r"|fixMissingCallParentheses|fixNaNEquality|fixNoPropertyAccessFromIndexSignature|fixOverrideModifier"
    r"|fixPropertyAssignment|fixPropertyOverrideAccessor|fixReturnTypeInAsyncFunction|forgottenThisPropertyAccess"
    r"|removeAccidentalCallParentheses|removeUnnecessaryAwait|returnValueCorrect|useBigintLiteral|useDefaultImport"
    r"|wrapDecoratorInParentheses"
)
"""The service's names of fixes that state what was meant. Others write stubs, casts, assertions or comments that silence."""


def code_fixes(diagnostics: Sequence[Diagnostic], root: Path) -> Iterator[Question]:
    """The question to ask in the workspace's root; none where no error of the check is TypeScript's.

    From version 7 on TypeScript is a native program: it has no service to load, but is a language server itself.
    """
    about = tuple(one for one in diagnostics if _is_ours(one))[:_MOST_ASKED]
    if not about:
        return
    first = (root / str(about[0].file)).parent
    if _major(first, root) >= _NATIVE:
        server = os.path.normpath(first / own_program("tsc", first, root))
        yield quick_fixes((server, "--lsp", "--stdio"), about, languages=_LANGUAGES)
        return
    request = [
        {
            "file": one.file,
            "line": one.range.start.line,
            "character": one.range.start.character,
            "code": int(str(one.code)[2:]),
        }
        for one in about
    ]
    command = ("node", str(SCRIPT), json.dumps(request, separators=(",", ":")))
    yield Question(command, about, lambda lines, at, sources: _read(about, lines, at, sources))


def _major(directory: Path, root: Path) -> int:
    """The major version of the TypeScript that a project has; 0 where it has none."""
    for above in (directory, *directory.parents):
        version = str(json_of(above / "node_modules" / "typescript" / "package.json").get("version", ""))
        if version:
            number = version.partition(".")[0]
            return int(number) if number.isdigit() else 0
        if above == root:
            break
    return 0


def _is_ours(one: Diagnostic) -> bool:
    return (
        one.is_error and is_inside(one.file) and _CODE.match(one.code or "") is not None and not _is_json(str(one.file))
    )


def _is_json(file: str) -> bool:
    return file.endswith(".json")


def _read(about: Sequence[Diagnostic], lines: Sequence[str], root: str, sources: Sources) -> Offered:
    answer = next((line for line in lines if line.startswith('{"fixes":')), "{}")
    try:
        fixes = json.loads(answer).get("fixes", [])
    except (ValueError, RecursionError):
        return {}
    tree = Tree(root=root, cwd=root, sources=sources)
    offered: dict[Diagnostic, tuple[Suggestion, ...]] = {}
    for one, found in zip(about, fixes, strict=False):
        try:
            offered[one] = tuple(_suggestions(tree, one, found))
        except (KeyError, TypeError, ValueError, AttributeError):
            continue  # another program's answer
    return offered


def _suggestions(tree: Tree, one: Diagnostic, found: Sequence[Mapping[str, Any]]) -> Iterator[Suggestion]:
    """The fixes that state what was meant; several imports of one name leave a choice, which is a person's."""
    stated = [fix for fix in found if _STATED.fullmatch(fix["name"])]
    imports = [fix for fix in stated if fix["name"] == "import"]
    for fix in stated:
        edits = tuple(edit for change in fix["changes"] for edit in _edits(tree, change))
        if edits and not any(change.get("new") for change in fix["changes"]):
            suggestion = weighed(one, Suggestion(fix["description"], edits), tree)
            chosen = fix["name"] != "import" or len(imports) == 1
            yield replace(suggestion, safe=suggestion.safe and chosen)


def _edits(tree: Tree, change: Mapping[str, Any]) -> Iterator[SuggestedEdit]:
    path = tree.names.join(tree.names.root, change["file"])
    for edit in change["edits"]:
        start, length = int(edit["start"]), int(edit["length"])
        first, last = (tree.position_of_utf16(path, at) for at in (start, start + length))
        if first is None or last is None:
            raise ValueError(f"{change['file']} is gone")
        yield SuggestedEdit(tree.shown(path) or "", Range(first, last), edit["text"])
