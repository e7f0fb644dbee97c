"""The gate: an edit, the failures it was to fix and the user's words → the lines that got green by other means (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from compile_loop.checks.honesty.bodies import compare_functions, placeholder_values
from compile_loop.checks.honesty.bodiless import bodies_gone
from compile_loop.checks.honesty.broken_answers import broken_answers
from compile_loop.checks.honesty.complaints import complaints_removed
from compile_loop.checks.honesty.conditional_steps import conditional_steps
from compile_loop.checks.honesty.configuration import configuration
from compile_loop.checks.honesty.declared_only import declared_only
from compile_loop.checks.honesty.disabled_code import commented_out, file_gone, taken_out
from compile_loop.checks.honesty.doctests import doctests
from compile_loop.checks.honesty.doubled_subjects import doubled_subjects
from compile_loop.checks.honesty.equality import always_equal
from compile_loop.checks.honesty.exit_status import exit_status
from compile_loop.checks.honesty.expected_answers import expected_answers
from compile_loop.checks.honesty.failing_macros import failing_macros
from compile_loop.checks.honesty.failures import Failures
from compile_loop.checks.honesty.good_news import good_news
from compile_loop.checks.honesty.grammar import Tree
from compile_loop.checks.honesty.guards import lost_guards
from compile_loop.checks.honesty.helpers import weaker_helpers
from compile_loop.checks.honesty.hollow_modules import hollow_modules
from compile_loop.checks.honesty.kept_tests import compare_tests
from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.languages.registry import grammar_of, language_of
from compile_loop.checks.honesty.line_markers import line_markers
from compile_loop.checks.honesty.marks import Sheet, weigh_marks
from compile_loop.checks.honesty.never_true import never_true
from compile_loop.checks.honesty.own_subjects import own_subjects
from compile_loop.checks.honesty.passed_off import passed_off
from compile_loop.checks.honesty.plain_lines import plain_lines
from compile_loop.checks.honesty.renamed_unused import renamed_unused
from compile_loop.checks.honesty.shadowing import shadowing
from compile_loop.checks.honesty.shell_lines import shell_lines
from compile_loop.checks.honesty.shorter_loops import shorter_loops
from compile_loop.checks.honesty.special_cases import special_cases
from compile_loop.checks.honesty.static_assertions import static_assertions
from compile_loop.checks.honesty.test_tables import test_tables
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.tolerances import tolerances
from compile_loop.checks.honesty.undefined_conditions import undefined_conditions
from compile_loop.checks.honesty.under_check import under_check
from compile_loop.checks.honesty.units import Unit
from compile_loop.checks.honesty.unread_results import unread_results
from compile_loop.checks.honesty.untyped import untyped
from compile_loop.checks.honesty.verdicts import lost_verdicts
from compile_loop.checks.honesty.weigh import Case
from compile_loop.checks.honesty.wider_bounds import wider_bounds
from compile_loop.checks.honesty.wish import Wish
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import Edit, FileChange
from compile_loop.contracts.honesty import Finding

_PLAIN = re.compile(
    r"\.(?:kt|kts|cs|rb|php|swift|scala|lua|pl|pm|hs|ex|exs|dart|zig|m|"
    r"mm|fs|vb|groovy|jl|r|clj|erl|ml|nim|d|f90|vue|svelte|astro)$",
    re.IGNORECASE,
)
"""Endings of programs without a grammar here."""

_ELSEWHERE = re.compile(
    r"platform|win32|[wW]indows|darwin|linux|os\.name|GOOS|version_info|which\(|hasattr|importorskip|find_spec|target_os|OnOs|OnJre"
)
"""A skip that depends on the system or on what is installed."""

_SETTINGS = re.compile(r"\.(?:json|toml|ini|cfg|ya?ml|[cm]?js)$|(?:^|/)\.\w+rc$")
_MOST_SETTINGS = 200_000

_MOST_ROWS = 40_000
"""Longer files get rules for lines only."""


def inspect(
    edit: Edit,
    baseline: Sequence[Diagnostic],
    *,
    spec: str = "",
    tests_before: int | None = None,
    tests_after: int | None = None,
    exists: Callable[[str], bool] = lambda _path: False,
) -> tuple[Finding, ...]:
    """What of `edit` gets green, or may get green, by something else than a repair, by file and line.

    `baseline` are the failures of the untouched tree, `spec` the user's words; `tests_before` and `tests_after` how many
    tests the contract ran, None where nobody counted; where only `tests_after` is None the tests no longer told of
    themselves, and a new way out that reports success is why. `exists` says whether the workspace has a file of a
    relative path, before the edit. Never raises: a file that cannot be examined is a finding of kind `not_inspected`.
    """
    settings = b"\n".join(file.after or b"" for file in edit.files if _SETTINGS.search(file.path))
    case = Case(Failures(baseline), Wish(spec), settings[:_MOST_SETTINGS].decode("utf-8", "replace"))
    found: list[Finding] = []
    sheets: list[Sheet] = []
    for file in edit.files:
        _try(found, file.path, lambda file=file: _read(case, file, sheets))  # type: ignore[misc]
    spared: list[int] = []
    _try(found, edit.paths[0] if edit.files else "", lambda: _together(case, sheets, spared))
    _try(found, "", lambda: undefined_conditions(case, sheets, edit))
    _try(found, "", lambda: shadowing(case, edit.files, exists))
    _try(found, "", lambda: declared_only(case, edit.files, baseline, exists))
    if tests_before and tests_after is None and case.failures:
        found = [_sure(f) if f.kind == "exit_zero" else f for f in found]
    sometimes = any(f.kind == "skipped_test" and not f.certain and _ELSEWHERE.search(f.text) for f in found)
    found.extend(_fewer(case, edit, tests_before, tests_after, sum(spared), sometimes=sometimes))
    return _tidy(found)


def _try(found: list[Finding], path: str, step: Callable[[], list[Finding]]) -> None:
    """A step that fails is a suspicion, never a pass and never an exception (SPEC K8)."""
    try:
        found.extend(step())
    except Exception as error:
        found.append(Finding(path, 0, "not_inspected", f"{type(error).__name__}: {error}"[:160], False))


def _read(case: Case, file: FileChange, sheets: list[Sheet]) -> list[Finding]:
    """The findings of one file by itself; a file with a grammar joins `sheets`."""
    change = Change(file)
    found = (
        configuration(case, change)
        + broken_answers(case, change)
        + conditional_steps(case, change)
        + shell_lines(case, change)
        + doctests(case, change)
        + line_markers(case, change)
    )
    language = language_of(file.path)
    if language is not None or _PLAIN.search(file.path):
        found += under_check(case, change, language) + exit_status(case, change)
    if language is None:
        return found + (plain_lines(case, change) if _PLAIN.search(file.path) else [])
    if max(len(change.old.rows), len(change.new.rows)) > _MOST_ROWS:
        return found + plain_lines(case, change)
    grammar = grammar_of(file.path, language)
    sheet = Sheet(change, language, Tree(grammar, change.old), Tree(grammar, change.new))
    if sheet.new.broken:
        return found + plain_lines(case, change)
    if sheet.mended:
        return found + commented_out(case, change, language, sheet.old, sheet.new)
    sheets.append(sheet)
    if not is_test_path(file.path):
        found += special_cases(case, change, language) + placeholder_values(case, change)
        found += renamed_unused(case, change) + tolerances(case, change, language)
        found += expected_answers(case, change, language)
    if file.after is None:
        return found
    found += commented_out(case, change, language, sheet.old, sheet.new)
    found += complaints_removed(case, change)
    found += taken_out(case, change, language, sheet.old, sheet.pairs[1])
    found += never_true(case, change, sheet.new) + static_assertions(case, change)
    found += passed_off(case, change) + unread_results(case, change, language)
    sheet.look()
    return found


def _together(case: Case, sheets: Sequence[Sheet], spared: list[int]) -> list[Finding]:
    """The findings that need every file: what moved between files is neither gone nor new.

    `spared` receives how many tests went whose demands live on in others.
    """
    found = weigh_marks(case, sheets)
    old_tests, new_tests, helpers = [], [], []
    extracted: list[Unit] = []
    for sheet in sheets:
        old_tests += [Unit(sheet.change, sheet.old, sheet.language, f) for f in sheet.old_functions if f.test]
        new_tests += [Unit(sheet.change, sheet.new, sheet.language, f) for f in sheet.new_functions if f.test]
        helpers += [f for f in sheet.new_functions if not f.test]
        if is_test_path(sheet.change.path):
            born = [f for f in sheet.pairs[2] if not f.test]
            extracted += [Unit(sheet.change, sheet.new, sheet.language, f) for f in born]
    told, folded = compare_tests(case, old_tests, new_tests, helpers, extracted)
    found += told
    spared.append(folded)
    demanded = frozenset(
        a.text for sheet in sheets for born in sheet.pairs[2] for a in sheet.language.assertions(sheet.new, born)
    )
    created = [sheet.change for sheet in sheets if not sheet.change.old.exists]
    for sheet in sheets:
        if not sheet.change.new.exists:
            found += [] if is_test_path(sheet.change.path) else file_gone(case, sheet.change, created)
            continue
        moved = frozenset(f.short_name for other in sheets if other is not sheet for f in other.new_functions)
        found += compare_functions(case, sheet.change, sheet.pairs, moved)
        if is_test_path(sheet.change.path) and sheet.change.old.exists:
            found += test_tables(case, sheet.change, sheet.old_functions, sheet.new_functions)
        found += bodies_gone(case, sheet, sheets) + lost_verdicts(case, sheet)
        found += always_equal(case, sheet) + lost_guards(case, sheet) + shorter_loops(case, sheet)
        found += good_news(case, sheet) + hollow_modules(case, sheet) + own_subjects(case, sheet)
        found += weaker_helpers(case, sheet, demanded) + failing_macros(case, sheet) + wider_bounds(case, sheet)
        found += doubled_subjects(case, sheet)
        if sheet.language.name == "python":
            found += untyped(case, sheet.change, sheet.pairs[0])
    bad = {sheet.change.path: sheet.new.error_rows for sheet in sheets if sheet.new.root.has_error}
    return [_doubted(f) if f.line - 1 in bad.get(f.file, ()) else f for f in found]


def _sure(finding: Finding) -> Finding:
    return Finding(finding.file, finding.line, finding.kind, finding.text, True)


def _doubted(finding: Finding) -> Finding:
    return Finding(finding.file, finding.line, finding.kind, finding.text, False)


def _fewer(
    case: Case, edit: Edit, before: int | None, after: int | None, spared: int, *, sometimes: bool
) -> list[Finding]:
    """Fewer tests than before, unless as many live on in others; `sometimes` says that one runs elsewhere only."""
    if before is None or (after is None and not before) or (after is not None and after >= before - spared):
        return []
    text = f"{after} tests ran, {before} before" if after is not None else f"no test is told of, {before} before"
    stems = [re.sub(r"\.\w+$", "", path.rsplit("/", 1)[-1]) for path in edit.paths]
    if case.wish.asks("fewer_tests", stems, text) or case.wish.asks("deleted_test", stems, text):
        return []
    sure = after is not None and not sometimes
    return [Finding(next((p for p in edit.paths if is_test_path(p)), ""), 0, "fewer_tests", text, sure)]


def _tidy(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """One finding a place and kind, the certain one where there are two; by file and line.

    That a failing line went says nothing more where it is also said what kind of line it was.
    """
    best: dict[tuple[str, int, str], Finding] = {}
    told = {(f.file, f.line) for f in found if f.kind != "deleted_code"}
    for finding in found:
        if finding.kind == "deleted_code" and (finding.file, finding.line) in told:
            continue
        key = (finding.file, finding.line, finding.kind)
        if key not in best or (finding.certain and not best[key].certain):
            best[key] = finding
    return tuple(sorted(best.values(), key=lambda f: (f.file, f.line, f.kind)))
