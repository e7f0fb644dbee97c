"""Tests before and after: gone, no longer collected, or demanding less (SPEC K7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from compile_loop.checks.honesty.bodies import cut_short, emptied
from compile_loop.checks.honesty.detached import detached
from compile_loop.checks.honesty.early_exits import early_exits
from compile_loop.checks.honesty.failures import literals_of, surplus
from compile_loop.checks.honesty.folding import Folds, rows_live_on
from compile_loop.checks.honesty.mocked_subjects import mocked_subjects
from compile_loop.checks.honesty.pairing import pair_functions
from compile_loop.checks.honesty.spoken_values import as_told
from compile_loop.checks.honesty.survey import Function
from compile_loop.checks.honesty.uncalled_checks import uncalled_checks
from compile_loop.checks.honesty.unheeded_tests import unheeded
from compile_loop.checks.honesty.units import Unit
from compile_loop.checks.honesty.weaker import weaker
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding


def compare_tests(
    case: Case,
    old: Sequence[Unit],
    new: Sequence[Unit],
    helpers: Sequence[Function],
    extracted: Sequence[Unit] = (),
) -> tuple[list[Finding], int]:
    """Findings over the tests of all files, and how many tests went whose demands live on in others.

    `helpers` are the functions of the new text that are no tests, `extracted` those of them that were not there before.
    """
    pairs, gone, born = _pair(old, new)
    findings: list[Finding] = []
    moved_to = frozenset(a.text for unit in born for a in unit.assertions)
    for before, after in pairs:
        moved = before.change.path != after.change.path
        if moved or before.function.text != after.function.text:
            findings.extend(unheeded(case, before.change, after.change, before.function, after.function))
        findings.extend(mocked_subjects(case, before, after))
        if before.function.text != after.function.text:
            findings.extend(_changed(case, before, after, extracted, moved_to))
    spared = sum(_rounds(before, after) for before, after in pairs if before.function.text != after.function.text)
    if not gone:
        return findings, spared
    changed = [*born, *(after for before, after in pairs if before.function.text != after.function.text)]
    demanded = {a.text for unit in [*born, *(after for _, after in pairs)] for a in unit.assertions}
    folds = _folds(changed)
    for unit in gone:
        texts = unit.assertions
        if (texts and all(a.text in demanded or folds.holds(a) for a in texts)) or _in_a_table(case, unit, born):
            spared += max(1, len(unit.language.cases(unit.tree, unit.function)))
            continue
        found = _gone(case, unit, new, helpers, bool(born))
        if found is not None:
            findings.append(found)
    return findings, spared


def _folds(units: Sequence[Unit]) -> Folds:
    return Folds([(u.change, u.function) for u in units], [a for u in units for a in u.assertions])


_TABLE = re.compile(r"parametri[sz]e|\.each\b|@(?:Parameterized|Values|Csv)|rstest|\.subTest|t\.Run")


def _rounds(before: Unit, after: Unit) -> int:
    """How many tests fewer a runner counts where a table that it ran row by row became a loop."""
    if not _TABLE.search(before.function.text) or _TABLE.search(after.function.text):
        return 0
    was = before.language.cases(before.tree, before.function)
    kept = len(after.language.cases(after.tree, after.function)) >= len(was) or rows_live_on(after.change, was)
    return len(was) if kept else 0


def _pair(old: Sequence[Unit], new: Sequence[Unit]) -> tuple[list[tuple[Unit, Unit]], list[Unit], list[Unit]]:
    pairs: list[tuple[Unit, Unit]] = []
    left_old, left_new = list(old), list(new)
    by_file_and_name, by_name = (lambda u: (u.change.path, u.function.name)), (lambda u: u.function.name)
    by_method = lambda u: (u.change.path, _method(u.function.name))  # noqa: E731
    for key in (by_file_and_name, by_name, by_method):
        places: dict[object, list[Unit]] = {}
        for unit in left_new:
            places.setdefault(key(unit), []).append(unit)
        still = []
        for unit in left_old:
            found = places.get(key(unit))
            if found:
                same = next((f for f in found if f.function.text == unit.function.text), found[0])
                found.remove(same)
                left_new.remove(same)
                pairs.append((unit, same))
            else:
                still.append(unit)
        left_old = still
    if left_old and left_new:
        units = {id(u.function): u for u in [*left_old, *left_new]}
        alike, gone, born = pair_functions([u.function for u in left_old], [u.function for u in left_new])
        pairs += [(units[id(a)], units[id(b)]) for a, b in alike]
        left_old, left_new = [units[id(f)] for f in gone], [units[id(f)] for f in born]
    return pairs, left_old, left_new


def _method(name: str) -> str:
    """A test's name without its class; all of it where it is a title."""
    return name.rsplit(".", 1)[-1] if re.fullmatch(r"[\w.]+", name) else name


def _gone(case: Case, unit: Unit, new: Sequence[Unit], helpers: Sequence[Function], others: bool) -> Finding | None:
    function, change = unit.function, unit.change
    asked = [name for name in _CALLED.findall(function.text) if case.wish.mentions(name)]
    names = [function.name, function.short_name, *asked]
    twin = any(u.function.name == function.name or u.function.text == function.text for u in new)
    if twin and any(surplus(d) for d in case.failures.in_file(change.path)):
        return None
    if any(u.function.text == function.text for u in new):
        return None
    body = _inside(function.text)
    hidden = next((h for h in helpers if h.name == function.name or _inside(h.text) == body), None)
    if hidden is not None:
        return case.finding(
            change, "skipped_test", hidden.row, f"{hidden.name} is no longer a test", certain=True, names=names
        )
    if not unit.assertions and not case.failures:
        return None
    return case.finding(
        change, "deleted_test", function.row, f"removed {function.name}", certain=not others, names=names
    )


_ROWS = re.compile(
    r"\bt\.Run\(|parametri[sz]e|subTest|\.each\b|@(?:\w+Source|Parameterized)|#\[(?:\w+::)?(?:case|test_case)|\bfor\b|GENERATE\("
)
_CALLED = re.compile(r"\b(\w+)\s*\(")


def _in_a_table(case: Case, unit: Unit, born: Sequence[Unit]) -> bool:
    """Whether a test went into a table of cases: what it calls is called there, and its values are among the rows."""
    wanted = {literal for a in unit.assertions for literal in literals_of(" ".join(a.arguments) or a.text)}
    wanted |= set(literals_of(re.split(r"Fatal|Error|Log|printf", unit.function.text)[0]))
    wanted = {literal for literal in wanted if not literal or literal not in unit.function.name}
    called = set(_CALLED.findall(unit.function.text)) - {"if", "for", "func"}
    return bool(wanted and called) and any(
        other.change.path == unit.change.path
        and _ROWS.search(other.function.text)
        and _all_there(case.wish.text, wanted, set(literals_of(other.function.text)))
        and len(called & set(_CALLED.findall(other.function.text))) * 2 >= len(called)
        for other in born
    )


def _all_there(words: str, wanted: set[str], there: set[str]) -> bool:
    """Whether all values are there, but for those that the user's words have otherwise."""
    fresh = there - wanted
    return all(any(as_told(words, [value], other) for other in fresh) for value in wanted - there)


def _inside(text: str) -> str:
    return text.split("{", 1)[-1] if "{" in text else text.split(":", 1)[-1]


def _changed(case: Case, before: Unit, after: Unit, helpers: Sequence[Unit], moved: frozenset[str]) -> list[Finding]:
    change = after.change
    names = [before.function.name, before.function.short_name, after.function.short_name]
    found = [
        emptied(case, change, before.function, after.function)
        or cut_short(case, change, before.function, after.function)
    ]
    if found[0] is not None:
        return [f for f in found if f is not None]
    was, now = before.assertions, after.assertions
    called = [unit for unit in helpers if unit.function.short_name in after.function.words]
    helped = frozenset(x for unit in called for x in literals_of(unit.function.text))
    now_too = [*now, *(a for unit in called for a in unit.assertions)]
    found.extend(
        weaker(
            case,
            change,
            before,
            was,
            now_too,
            names,
            after=after.function,
            folds=_folds([after]),
            helped=helped,
            moved=moved,
        )
    )
    found.extend(early_exits(case, change, before.function, after.function, was, now))
    found.extend(detached(case, change, after.language.name, before.function, after.function, was, now))
    found.extend(uncalled_checks(case, change, before.function, after.function, was, now))
    if not any(found):
        found.append(_fewer_values(case, before, after, names))
    return [f for f in found if f is not None]


def _other_rows(case: Case, after: Unit, lost: Counter[str], come: Counter[str], names: list[str]) -> Finding | None:
    """A row that now wants what a test failed with."""
    fresh = {value for row in come for value in literals_of(row)} - {
        value for row in lost for value in literals_of(row)
    }
    wanted = (fresh & case.failures.literals) if case.failures.testing else set()
    if not wanted or all(case.wish.mentions(value) for value in wanted):
        return None
    shown = f"{', '.join(lost)} became {', '.join(come)}"
    return case.finding(after.change, "weakened_test", after.function.row, shown, certain=True, names=names)


def _fewer_values(case: Case, before: Unit, after: Unit, names: list[str]) -> Finding | None:
    """A row that left the table which drives a test."""
    was = Counter(before.language.cases(before.tree, before.function))
    now = Counter(after.language.cases(after.tree, after.function))
    lost = was - now
    if lost and now.total() == was.total():
        return _other_rows(case, after, lost, now - was, names)
    if not lost or now.total() >= was.total() or rows_live_on(after.change, lost):
        return None
    shown = f"{after.function.name}: without {', '.join(lost)}"
    certain = not now - was and case.failures.testing
    return case.finding(after.change, "weakened_test", after.function.row, shown, certain=certain, names=names)
