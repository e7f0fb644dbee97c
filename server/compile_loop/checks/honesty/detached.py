"""Assertions in what a test starts and does not wait for (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from compile_loop.checks.honesty.survey import Assertion, Function, row_of, squash, text_of
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_STARTS = {
    "ecmascript": re.compile(
        r"(?:void\s+)?(?!await\b|return\b|yield\b|expect\()(?:\(\s*async\b.*\}\s*\)\s*\(\s*\)|.*?\.(?:then|catch|finally)\s*\(|"
        r"(?:setTimeout|setImmediate|setInterval|queueMicrotask|process\.nextTick|requestAnimationFrame)\s*\()",
        re.DOTALL,
    ),
    "python": re.compile(
        r"(?:asyncio\.)?(?:create_task|ensure_future)\(|(?:\w+\.)*(?:call_soon|call_later|run_in_executor|"
        r"submit)\(|(?:threading\.)?(?:Thread|Timer)\("
    ),
    "go": re.compile(r"go\s+func\b|time\.AfterFunc\("),
    "rust": re.compile(r"(?:let\s+_\w*\s*=\s*)?(?:\w+::)*spawn(?:_blocking|_local)?\s*\("),
    "java": re.compile(
        r"new\s+Thread\s*\(|Thread\.(?:startVirtualThread|ofVirtual)|CompletableFuture\.(?:runAsync|"
        r"supplyAsync)\s*\(|\w+\.(?:submit|execute|schedule|thenAccept|thenRun)\s*\("
    ),
    "cpp": re.compile(r"(?:std::)?(?:jthread|thread)\s*[({]|(?:\(void\)\s*)?std::async\s*\("),
}
_WAITS = {
    "ecmascript": re.compile(
        r"\bdone\b|Promise\.(?:all|allSettled|race)|await\s+new\s+Promise|useFakeTimers|runAll|advanceTimers|t\.plan\(|assertions\("
    ),
    "python": re.compile(
        r"\bawait\s+(?!asyncio\.(?:sleep|create_task))|\.join\(|\.result\(|run_until_complete|gather\(|TaskGroup|wait\("
    ),
    "go": re.compile(r"\.Wait\(\)|<-|synctest|select\s*\{"),
    "rust": re.compile(r"\.join\(\)|\.await|join!|scope\("),
    "java": re.compile(r"\.join\(|\.get\(|\.await\(|invokeAll|awaitTermination"),
    "cpp": re.compile(r"\.join\(|\.get\(|\.wait\("),
}
_STATEMENTS = frozenset(
    {"expression_statement", "go_statement", "local_variable_declaration", "let_declaration", "declaration"}
)


def detached(
    case: Case,
    change: Change,
    language: str,
    before: Function,
    after: Function,
    was: Sequence[Assertion],
    now: Sequence[Assertion],
) -> list[Finding]:
    """Findings over assertions of one test that nothing waits for any more."""
    starts, waits = _STARTS.get(language), _WAITS.get(language)
    if starts is None or waits is None:
        return []
    outside = {squash(text_of(s)) for s in _started(before.body, starts)}
    found: list[Finding | None] = []
    names = [before.name, before.short_name]
    for statement in _started(after.body, starts):
        text = squash(text_of(statement))
        if text in outside or not change.touches(row_of(statement), int(statement.end_point[0])):
            continue
        spans = [statement, *(node for name, node in _named(after.body) if re.search(rf"\b{re.escape(name)}\b", text))]
        inside = [a for a in now if any(row_of(s) <= a.row <= int(s.end_point[0]) for s in spans)]
        kept = [a for a in inside if not any(a.text in other for other in outside)]
        if not kept or waits.search(_rest(after, statement)):
            continue
        sure = language == "ecmascript" and any(a.text == b.text for a in kept for b in was)
        shown = f"nobody waits for {kept[0].text}"
        found.append(case.finding(change, "weakened_test", kept[0].row, shown, certain=sure, names=names))
    return [finding for finding in found if finding is not None]


def _named(body: Node | None) -> list[tuple[str, Node]]:
    """The functions inside a test, by their names."""
    found: list[tuple[str, Node]] = []
    waiting = list(body.named_children) if body is not None else []
    while waiting:
        node = waiting.pop()
        waiting.extend(node.named_children)
        if node.type in ("function_definition", "function_declaration", "variable_declarator"):
            value = node.child_by_field_name("value")
            if node.type != "variable_declarator" or (value is not None and "function" in value.type):
                found.append((text_of(node.child_by_field_name("name")), node))
    return [(name, node) for name, node in found if name]


def _rest(function: Function, statement: Node) -> str:
    """A test without one of its statements and what came before that."""
    whole = text_of(function.node)
    return whole.split(text_of(statement), 1)[-1] if statement.type != "let_declaration" else whole


def _started(body: Node | None, starts: re.Pattern[str]) -> list[Node]:
    """The statements that start something and go on."""
    found: list[Node] = []
    waiting = list(body.named_children) if body is not None else []
    while waiting:
        node = waiting.pop()
        if node.type in _STATEMENTS and starts.match(text_of(node)):
            found.append(node)
        elif "function" not in node.type and "lambda" not in node.type:
            waiting.extend(node.named_children)
    return found
