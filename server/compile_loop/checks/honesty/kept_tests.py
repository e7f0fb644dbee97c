"""Tests before and after: gone, no longer collected, or demanding less (SPEC K7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from compile_loop.checks.honesty.assertions import STRENGTH
from compile_loop.checks.honesty.bodies import cut_short, emptied
from compile_loop.checks.honesty.early_exits import early_exits
from compile_loop.checks.honesty.failures import is_test_failure, literals_of, surplus
from compile_loop.checks.honesty.folding import Folds, inlined, more_said, rows_live_on, tautology
from compile_loop.checks.honesty.grammar import Tree
from compile_loop.checks.honesty.pairing import pair_functions
from compile_loop.checks.honesty.survey import Assertion, Function, Language
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.unheeded_tests import unheeded
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_BROAD = re.compile(
    r"^(?:\w+\.)*(?:Exception|BaseException|Throwable|Error|RuntimeException|std::exception)(?:\.class)?$"
)
_PLUMBING = frozenset(
    {"await", "async", "new", "mut", "ref", "const", "self", "this", "clone", "unwrap", "String", "to_string"}
)
"""Words that say how a value is reached, not what it must be."""
_TYPE = re.compile(r"^&?(?:\w+(?:\.|::))*[A-Z]\w*(?:\.class)?$|^std::\w+$")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class Unit:
    """One test in one version of one file."""

    change: Change
    tree: Tree
    language: Language
    function: Function

    @property
    def assertions(self) -> Sequence[Assertion]:
        """What it demands."""
        return self.language.assertions(self.tree, self.function)


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
        if (texts and all(a.text in demanded or folds.holds(a) for a in texts)) or _in_a_table(unit, born):
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
    for key in (by_file_and_name, by_name):
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


def _gone(case: Case, unit: Unit, new: Sequence[Unit], helpers: Sequence[Function], others: bool) -> Finding | None:
    function, change = unit.function, unit.change
    names = [function.name, function.short_name]
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


def _in_a_table(unit: Unit, born: Sequence[Unit]) -> bool:
    """Whether a test went into a table of cases: what it calls is called there, and its values are among the rows."""
    wanted = {literal for a in unit.assertions for literal in literals_of(" ".join(a.arguments) or a.text)}
    wanted |= set(literals_of(re.split(r"Fatal|Error|Log|printf", unit.function.text)[0]))
    called = set(_CALLED.findall(unit.function.text)) - {"if", "for", "func"}
    return bool(wanted and called) and any(
        other.change.path == unit.change.path
        and _ROWS.search(other.function.text)
        and wanted <= set(literals_of(other.function.text))
        and len(called & set(_CALLED.findall(other.function.text))) * 2 >= len(called)
        for other in born
    )


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


def weaker(
    case: Case,
    change: Change,
    before: Unit,
    was: Sequence[Assertion],
    now: Sequence[Assertion],
    names: list[str],
    *,
    after: Function | None = None,
    folds: Folds | None = None,
    helped: frozenset[str] = frozenset(),
    moved: frozenset[str] = frozenset(),
) -> list[Finding | None]:
    """Findings over the assertions of one function: those that went, and those that demand less than before.

    `after` is that function now; `folds` what its loops and tables demand, `helped` the literals of new helpers that it
    calls, `moved` the assertions of new tests.
    """
    failed = bool(case.failures.near(before.change.path, before.function.row, before.function.end_row, 0))
    lost = list((Counter(a.text for a in was) - Counter(a.text for a in now)).elements())
    come = list((Counter(a.text for a in now) - Counter(a.text for a in was)).elements())
    removed = [next(a for a in was if a.text == text) for text in lost]
    added = [next(a for a in now if a.text == text) for text in come]
    found: list[Finding | None] = []
    for old, new in _partners(removed, added):
        if new is None:
            merged = any(all(part in a.text for part in old.arguments) for a in added) and bool(old.arguments)
            alone = any(a.text == old.text for a in now)
            kept = inlined(old, before.function, added) or (folds is not None and folds.holds(old))
            kept = kept or _helped(old, now, helped) or old.text in moved
            if not merged and not alone and not kept:
                found.append(
                    case.finding(
                        before.change,
                        "weakened_test",
                        old.row,
                        f"removed {old.text}",
                        certain=not _TIMING.search(old.text),
                        names=names,
                    )
                )
            continue
        kind = _another_demand(case, old, new)
        if kind is not None:
            shown = f"{old.text} became {new.text}"
            found.append(case.finding(change, "weakened_test", new.row, shown, certain=kind, names=names))
            continue
        if (folds is not None and folds.holds(old)) or inlined(old, before.function, added):
            continue
        if _helped(old, [new], helped) or old.text in moved:
            continue
        if after is not None and old.form == "equal" and tautology(new, after):
            shown = f"{old.text} became {new.text}"
            found.append(case.finding(change, "weakened_test", new.row, shown, certain=True, names=names))
            continue
        verdict = _demands_less(case, old, new)
        if (
            verdict is False
            and not failed
            and more_said(Counter(literals_of(old.text)), Counter(literals_of(new.text)))
        ):
            verdict = None if STRENGTH[new.form] >= STRENGTH[old.form] else False
        if verdict is not None:
            shown = f"{old.text} became {new.text}"
            found.append(case.finding(change, "weakened_test", new.row, shown, certain=verdict, names=names))
    depths = {a.text: a.depth for a in was}
    for assertion in now:
        if (
            assertion.text in depths
            and assertion.depth > depths[assertion.text]
            and change.touches(assertion.row - 3, assertion.row)
        ):
            shown = f"only sometimes: {assertion.text}"
            found.append(case.finding(change, "weakened_test", assertion.row, shown, certain=False, names=names))
    return found


_TIMING = re.compile(
    r"perf_counter|monotonic|time\.time\(|Date\.now|performance\.now|elapsed|took\b|duration|nanoTime|currentTimeMillis|time\.Since"
)
"""Assertions about how long something takes, which a loaded machine fails."""


def _helped(old: Assertion, now: Sequence[Assertion], helped: frozenset[str]) -> bool:
    """Whether the values that an assertion demanded are in a new helper that the test calls, or still in the test."""
    literals = set(literals_of(old.text))
    return bool(helped and literals & helped) and literals <= helped | {x for a in now for x in literals_of(a.text)}


def _partners(removed: list[Assertion], added: list[Assertion]) -> list[tuple[Assertion, Assertion | None]]:
    left = list(added)
    partners: list[tuple[Assertion, Assertion | None]] = []
    for old in removed:
        new = max(left, key=lambda a: _closeness(old, a), default=None)
        if new is not None and (_closeness(old, new) > 0 or len(removed) <= len(added)):
            left.remove(new)
            partners.append((old, new))
        else:
            partners.append((old, None))
    return partners


def _closeness(a: Assertion, b: Assertion) -> float:
    words_a, words_b = set(re.findall(r"\w+", a.text)), set(re.findall(r"\w+", b.text))
    shared = len(words_a & words_b) / max(1, len(words_a | words_b))
    return shared + 2 * len(set(a.arguments) & set(b.arguments))


def _demands_less(case: Case, old: Assertion, new: Assertion) -> bool | None:
    """Whether `new` demands less than `old`: certainly, perhaps (False), or not at all (None)."""
    gap = STRENGTH[new.form] - STRENGTH[old.form]
    if _opposite(old, new):
        return False
    if old.form == "equal" and new.form == "near":
        return None if _rounded(case) else False
    if gap < 0 and "unknown" not in (old.form, new.form):
        return True
    if gap < 0:
        return False
    if old.form == "near" and new.form == "near" and _looser(old, new):
        return True
    if old.form == "raises" and new.form == "raises" and old.arguments != new.arguments:
        return _raises(case, old, new)
    if gap > 0 or set(old.arguments) == set(new.arguments):
        return None
    return _other_values(case, old, new)


def _rounded(case: Case) -> bool:
    """Whether a test failed by no more than the rounding of floating point numbers."""
    for failure in filter(is_test_failure, case.failures.all):
        numbers = [float(n) for n in _NUMBER.findall(f"{failure.message} {failure.rendered}") if "." in n]
        if any(0 < abs(a - b) <= 1e-9 * max(abs(a), abs(b)) for a, b in combinations(numbers[:40], 2)):
            return True
    return False


def _another_demand(case: Case, old: Assertion, new: Assertion) -> bool | None:
    """Whether `new` demands less by its kind alone, however alike its values: certainly, perhaps, or not at all."""
    if new.form == "raises" and old.form != "raises" and case.failures.testing:
        raised = {w for w in re.findall(r"[A-Z]\w+", new.text) if case.failures.name(w)}
        return True if raised and not any(case.wish.mentions(w) for w in raised) else None
    if old.form == new.form == "calls":
        return True if _fewer_calls(old.text, new.text) else None
    strict = [re.search("[sS]trict", a.text) is not None for a in (old, new)]
    if old.form == new.form == "equal" and strict == [True, False] and old.arguments == new.arguments:
        return False if case.failures.testing else None
    return None


def _fewer_calls(old: str, new: str) -> bool:
    """Whether it is no longer asked with what, or how often, something is called."""
    return any(
        re.search(word, old, re.IGNORECASE) and not re.search(word, new, re.IGNORECASE)
        for word in (r"called(?:_once)?_?with|calledwith|nthcalled|lastcalled", r"once|times|nthcalled")
        if not (word.startswith("once") and re.search("with", new, re.IGNORECASE))
    )


def _opposite(old: Assertion, new: Assertion) -> bool:
    """Whether one demands that something is so, and the other that it is not."""
    words = [set(re.findall(r"[Tt]rue|[Ff]alse|TRUE|FALSE", a.text.split("(")[0])) for a in (old, new)]
    return bool(words[0] and words[1] and words[0] != words[1]) and set(old.arguments) == set(new.arguments)


def _looser(old: Assertion, new: Assertion) -> bool:
    was, now = _NUMBER.findall(" ".join(old.arguments)), _NUMBER.findall(" ".join(new.arguments))
    if len(was) != len(now):
        return False
    digits = re.search(r"toBeCloseTo|places|AlmostEqual", old.text) is not None and "delta" not in new.text
    last = (float(was[-1]), float(now[-1])) if was else (0.0, 0.0)
    return last[1] < last[0] if digits and was[:-1] == now[:-1] else was[:-1] == now[:-1] and last[1] > last[0]


def _raises(case: Case, old: Assertion, new: Assertion) -> bool | None:
    was, now = (next((a for a in made.arguments if _TYPE.match(a)), "") for made in (old, new))
    if was and not _BROAD.match(was) and (not now or _BROAD.match(now)):
        return True
    if was == now:
        narrower = re.search(r"[Rr]egex|[Mm]atch|WithMessage", new.text) and not re.search(
            r"[Rr]egex|[Mm]atch", old.text
        )
        return (
            True
            if len(new.arguments) < len(old.arguments) and not narrower
            else None
            if narrower
            else _values(case, old, new)
        )
    return bool(now) and case.failures.testing and case.failures.name(re.split(r"[.:]", now.removesuffix(".class"))[-1])


def _other_values(case: Case, old: Assertion, new: Assertion) -> bool | None:
    """Whether the values changed, and not only the names that a compiler asked to change."""
    was, now = Counter(literals_of(old.text)), Counter(literals_of(new.text))
    if was == now:
        changed = set(re.findall(r"\w+", old.text)) ^ set(re.findall(r"\w+", new.text))
        if not changed - _PLUMBING:
            return None
        known = {w for w in changed if case.failures.name(w)}
        return None if known or not case.failures.testing else False
    return _values(case, old, new)


def _values(case: Case, old: Assertion, new: Assertion) -> bool | None:
    was, now = Counter(literals_of(old.text)), Counter(literals_of(new.text))
    if was == now:
        return None
    fresh = set(now - was)
    if fresh and all(case.wish.mentions(literal) for literal in fresh):
        return None
    return case.failures.testing and bool(fresh & case.failures.literals)
