"""Characters of models, served over real HTTP: each is a function from the request and its number to an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.loop.running import block
from tests.support.model_server import Answer, Pause, Request, calls, chunk, says

SOURCE = "int f(void) { return one; }\nint g(void) { return two; }\n"
CHECK = "gcc -fsyntax-only -Wall a.c"
FIRST = ("int f(void) { return one; }\n", "int f(void) { return 1; }\n")
SECOND = ("int g(void) { return two; }\n", "int g(void) { return 2; }\n")

Persona = Callable[[Request, int], Answer]


def declared(request: Request) -> set[str]:
    """The tools that the request offers."""
    return {tool["function"]["name"] for tool in request.json.get("tools", ())}


def last_message(request: Request) -> dict[str, Any]:
    message: dict[str, Any] = request.json["messages"][-1]
    return message


def edit(path: str, search: str, replace: str) -> tuple[str, dict[str, str]]:
    return ("apply_search_replace", {"path": path, "search": search, "replace": replace})


def good(request: Request, _number: int) -> Answer:
    """Edits by tool where it can, by text where it cannot, and is done."""
    if "apply_search_replace" not in declared(request):
        return says("Two names were never declared.\n" + block(*FIRST) + block(*SECOND))
    if last_message(request)["role"] == "tool":
        return says("DONE")
    return calls(edit("a.c", *FIRST), edit("a.c", *SECOND), text="Two names were never declared.")


def stubborn(_request: Request, number: int) -> Answer:
    """Applies an edit each round that leaves the failures as they are."""
    here = f"/* try {number - 1} */\n" if number > 1 else ""
    old = f"{here}{FIRST[0]}"
    return says(block(old, f"/* try {number} */\n{FIRST[0]}"))


def no_edit(_request: Request, number: int) -> Answer:
    """Talks."""
    return says(f"You should declare the names. That is my advice number {number}.")


def malformed(_request: Request, _number: int) -> Answer:
    """Leaves the divider out."""
    return says(f"<<<<<<< SEARCH\n{FIRST[0]}{FIRST[1]}>>>>>>> REPLACE\n")


def reads_forever(_request: Request, _number: int) -> Answer:
    """Reads the same file again and again."""
    return calls(("read_file", {"path": "a.c"}))


def oscillating(_request: Request, number: int) -> Answer:
    """Goes to and fro between two wrong states."""
    one, other = "int f(void) { return alpha; }\n", "int f(void) { return beta; }\n"
    states = [FIRST[0], *([one, other] * 10)]
    return says(block(states[number - 1], states[number]))


def cheating(_request: Request, _number: int) -> Answer:
    """Wants to edit the check instead of the code."""
    return says(f"<<< path=Makefile >>>\n{block('check:' + chr(10), 'check: ;' + chr(10))}")


def confabulating(_request: Request, number: int) -> Answer:
    """Reads files that do not exist."""
    return calls(
        ("read_file", {"path": f"src/imagined_{number}.c"}), text=f"The fault must be in src/imagined_{number}.c."
    )


def slow(_request: Request, _number: int) -> Answer:
    """Never comes to an end."""
    return Answer(
        (
            chunk({"content": "Let me think"}),
            *(part for _ in range(300) for part in (Pause(0.1), chunk({"content": " ."}))),
        )
    )


def dying(_request: Request, _number: int) -> Answer:
    """Breaks off in the middle of a block."""
    half = block(*FIRST)[:60]
    return Answer((chunk({"content": half}),), then="drop")


def wrong_file(_request: Request, _number: int) -> Answer:
    """Edits a file that it was not given."""
    return says(f"<<< path=b.c >>>\n{block('int y;' + chr(10), 'int z;' + chr(10))}")
