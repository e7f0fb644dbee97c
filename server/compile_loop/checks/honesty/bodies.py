"""Function bodies before and after: emptied, cut short, stubbed, or gone with the failure inside (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from compile_loop.checks.honesty.failures import Failures, literals_of, surplus, telling
from compile_loop.checks.honesty.hollow import goes_no_further, inputs, nature, parameters, refuses
from compile_loop.checks.honesty.idle import rightly_idle, same_owner
from compile_loop.checks.honesty.pairing import Pairs
from compile_loop.checks.honesty.survey import Function, row_of, squash, statements, text_of
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_LEAVES = frozenset({"return_statement", "raise_statement", "throw_statement", "return_expression"})
_HOISTED = frozenset(
    {
        "function_declaration",
        "labeled_statement",
        "class_declaration",
        "function_definition",
        "function_item",
        "case_statement",
    }
)
_TODO_COMMENT = re.compile(
    r"(?://|#|/\*)[^\n]*\b(?:todo|fixme|stub|placeholder|not implemented|implement (?:me|this|later))", re.IGNORECASE
)


def compare_functions(case: Case, change: Change, paired: Pairs, moved: frozenset[str]) -> list[Finding]:
    """Findings over the functions of one file that are no tests; `moved` are names that other files of the edit gained."""
    pairs, gone, born = paired
    findings: list[Finding | None] = []
    for before, after in pairs:
        if not (before.test or after.test) and change.touches(after.row, after.end_row):
            findings.append(emptied(case, change, before, after) or cut_short(case, change, before, after))
    for function in born:
        kin = [before for before, after in pairs if same_owner(after, function)]
        findings.append(_stub(case, change, function, kin))
    findings.extend(_lost(case, change, function) for function in gone if function.short_name not in moved)
    return [finding for finding in findings if finding is not None]


_BACK = re.compile(
    r"(?:return )?(?:(?:Ok|Some|std::move|Promise\.resolve|Optional\.of|Result\.ok)\()?([A-Za-z_]\w*)(?:\.clone\(\))?\)?;?"
)


def _hands_back(function: Function) -> str:
    """`argument` for a body that only returns one of its arguments as it came."""
    kept = [squash(text_of(s)) for s in statements(function.body)]
    only = _BACK.fullmatch(kept[0]) if len(kept) == 1 else None
    return "argument" if only is not None and only[1] in parameters(function) else ""


def emptied(case: Case, change: Change, before: Function, after: Function) -> Finding | None:
    """A body that did something and now only returns."""
    if before.body is None or after.body is None:
        return None
    now = nature(after) or ("deaf" if _hears_no_more(before, after) else "") or ("refusal" if refuses(after) else "")
    now = now or _hands_back(after)
    if not now or nature(before) or (now == "refusal" and refuses(before)):
        return None
    was = [squash(text_of(s)) for s in statements(before.body)]
    rest = [squash(text_of(s)) for s in statements(after.body)]
    if rest == ["..."] and after.plain:
        return None  # a protocol or an overload
    kept = set(rest) <= set(was)
    if kept and before.node.has_error:
        return None  # what was not closed held more than its own
    near = case.failures.near(change.path, before.row, before.end_row, 0)
    if kept and near and all(surplus(d) for d in near):
        return None
    work = len(was) > 1 or _busy(was[0])
    if not work and now in ("constant", "deaf"):
        return None
    gone = _complaint(case, before) if now != "refusal" else None
    if now == "argument" and ((not near and gone is None) or len(was) < 2 or after.test):
        return None
    kind = "skipped_test" if after.test else "stub" if now in ("stub", "endless", "refusal") else "emptied_body"
    certain = bool(gone) or (
        work and now != "refusal" and not (kept and now in ("constant", "deaf", "argument")) and not after.plain
    )
    shown = f"{after.name}: {' '.join(rest) or '(empty)'}"
    return case.finding(change, kind, after.row, shown, certain=certain, names=[after.name, after.short_name])


_RAISES = re.compile(
    r"\b(?:raise|throw|panic!?|bail!|ensure!|reject|Err|errors\.New|fmt\.Errorf|abort|return\s+(?:-\d+|false|"
    r"False|[A-Z]+_(?:ERR\w*|BAD\w*|INVALID\w*|FAIL\w*)|E[A-Z]{3,}))\b"
)


_STRING = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`([^`]*)`")
_TELLING = 8
"""Shorter strings meet by chance."""


def _complaint(case: Case, before: Function) -> str | None:
    """Whether a body found fault: its words if a test failed by them, empty if by none of its, None if it found none."""
    if not _RAISES.search(before.text):
        return None
    words = [word for groups in _STRING.findall(before.text) for word in groups if len(word) >= _TELLING]
    said = "\n".join(f"{d.message}\n{d.rendered}" for d in case.failures.all)
    for text in words:
        parts = [part for part in re.split(r"\{[^{}]*\}|%[-+\d.]*[a-zA-Z]|\\.", text) if len(part.strip()) > 6]
        if parts and all(part in said for part in parts):
            return str(text)
    return ""


def _hears_no_more(before: Function, after: Function) -> bool:
    """Whether a body that worked on what it was given now takes nothing from anywhere."""
    given = inputs(before) & parameters(before)
    left = {name for name in inputs(after) if not _NAMED_CONSTANT.fullmatch(name)}
    return bool(given) and not left and not after.test


_NAMED_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+|E[A-Z]{3,}|OK|[A-Z]{4,}")
"""`FRAME_OK`, `EINVAL`: a value that has a name."""


def _busy(statement: str) -> bool:
    value = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", "", statement.removeprefix("return"))
    return "(" in value or len(re.findall(r"[A-Za-z_]\w*", value)) > 1


def cut_short(case: Case, change: Change, before: Function, after: Function) -> Finding | None:
    """A new unconditional return in front of what the body did before."""
    at, rest = _unreachable(after)
    if at is None:
        return None
    if _unreachable(before)[0] is not None:
        return None
    was = {squash(text_of(s)) for s in statements(before.body)}
    certain = any(text in was for text in rest)
    shown = f"{after.name}: {squash(text_of(at))} before {len(rest)} more"
    kind = "skipped_test" if after.test else "emptied_body"
    names = [after.name, after.short_name]
    return case.finding(change, kind, row_of(at), shown, certain=certain, names=names)


def _unreachable(function: Function) -> tuple[Node | None, list[str]]:
    found = statements(function.body)
    for i, statement in enumerate(found):
        inner = (
            statement.named_children[0]
            if statement.type == "expression_statement" and statement.named_children
            else statement
        )
        if inner.type == "goto_statement":
            to = next((n for n in range(i + 1, len(found)) if found[n].type == "labeled_statement"), i + 1)
            return (statement, [squash(text_of(s)) for s in found[i + 1 : to]]) if to > i + 1 else (None, [])
        if inner.type in _LEAVES or goes_no_further(squash(text_of(statement))):
            rest = [s for s in found[i + 1 :] if s.type not in _HOISTED]
            labelled = any(s.type == "labeled_statement" for s in found[i + 1 :])
            if rest and not labelled:
                return statement, [squash(text_of(s)) for s in rest]
            return None, []
    return None, []


def _stub(case: Case, change: Change, function: Function, kin: Sequence[Function]) -> Finding | None:
    """A new function that does nothing, where one was missing; `kin` are those that its owner had before."""
    if function.test or function.body is None or function.plain or not change.touches(function.row, function.end_row):
        return None
    what = nature(function)
    missing = case.failures.name(function.short_name.rsplit("::", 1)[-1])
    names = [function.name, function.short_name]
    if missing and what != "stub" and (said := refuses(function)):
        if re.search(
            r"read[- ]?only|immutable|unmodifiable|append[- ]?only|forward[- ]?only|frozen",
            said + function.name,
            re.IGNORECASE,
        ):
            return None
        sure = re.search(
            r"not (?:yet )?(?:supported|implemented|available)|unsupported|unimplemented|todo\b", said, re.IGNORECASE
        )
        return case.finding(
            change, "stub", function.row, f"{function.name}: {said}", certain=sure is not None, names=names
        )
    if what not in ("empty", "constant", "endless"):
        return None
    if what == "constant" and telling(literals_of(text_of(function.body))):
        return None  # a value that says something, such as a name or a size
    if rightly_idle(case, change, function, what, kin):
        return None
    weak = re.search(r"__attribute__\s*\(\(\s*weak|\[\[gnu::weak|#\s*pragma\s+weak", text_of(function.node)) is not None
    promised = _TODO_COMMENT.search(text_of(function.node)) is not None
    if not (promised or missing):
        return None
    body = " ".join(squash(text_of(s)) for s in statements(function.body))
    certain = (promised or weak or what in ("empty", "endless")) and not function.overrides
    shown = f"{function.name}: {body or '(empty)'}"
    return case.finding(change, "stub", function.row, shown, certain=certain, names=names)


_GENERATED = frozenset(
    {"__init__", "__eq__", "__repr__", "__hash__", "__lt__", "__str__", "constructor", "equals", "hashCode", "toString"}
)
_GENERATORS = re.compile(
    r"\bdataclass|\battrs?\b|\bNamedTuple\b|\bBaseModel\b|\brecord\b|@(?:Data|Value)\b|\bprivate readonly\b"
)
"""What writes such methods by itself."""


def _lost(case: Case, change: Change, function: Function) -> Finding | None:
    """A function that went together with the failures inside it."""
    near = [d for d in case.failures.near(change.path, function.row, function.end_row, 0) if not surplus(d)]
    if not near or function.test or function.node.has_error:
        return None  # what was not closed is taken for a function, too
    if re.search(rf"(?<![\w$]){re.escape(function.short_name)}(?![\w$])", change.new.text):
        return None  # what is still called came from somewhere else
    if function.short_name in _GENERATED and _GENERATORS.search(change.new.text):
        return None
    names = [function.name, function.short_name]
    return case.finding(change, "deleted_code", function.row, f"removed {function.name}", certain=False, names=names)


_PLACEHOLDER = re.compile(
    r"^(?:export\s+)?(?:const|let|var|static|auto|int|void\s*\*|char\s*\*|Object|final)?\s*(?P<name>[A-Za-z_]\w*)\s*(?::[^=]+)?=\s*"
    r"(?:None|null|undefined|nil|\(\)\s*=>\s*\{\s*\}|\(\.\.\.\w+\)\s*=>\s*\{\s*\}|lambda[^:]*:\s*None|NULL|"
    r"nullptr|object\(\)|Mock\(\)|MagicMock\(\))\s*;?$"
)
_UNKNOWN = r"undefined|undeclared|not defined|not declared|cannot find|unresolved|not found|unknown|no such"


def placeholder_values(case: Case, change: Change) -> list[Finding]:
    """A missing name that was given an empty value, so that it exists."""
    if not case.failures.say(_UNKNOWN):
        return []
    found = []
    for row in sorted(change.added):
        text = change.new.row(row)
        match = _PLACEHOLDER.match(text.strip()) or _declared_only(change, text)
        if match and _missing(case.failures, match["name"]):
            found.append(case.finding(change, "stub", row, text, certain=False, names=[match["name"]]))
    return [finding for finding in found if finding is not None]


def _declared_only(change: Change, text: str) -> re.Match[str] | None:
    """`let name;` that nothing ever sets."""
    match = re.match(r"\s*(?:let|var)\s+(?P<name>[A-Za-z_$][\w$]*)\s*(?::[^=;]+)?;?\s*$", text)
    if match is None or re.search(
        rf"(?<![\w$.]){re.escape(match['name'])}\s*(?:[-+*/|&?]{{0,2}}=(?!=)|\+\+|--)", change.new.text
    ):
        return None
    return match


def _missing(failures: Failures, name: str) -> bool:
    return any(
        re.search(_UNKNOWN, d.message, re.IGNORECASE) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", d.message)
        for d in failures.all
    )
