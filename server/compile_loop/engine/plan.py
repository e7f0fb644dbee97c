"""A short plan before the first edit: recorded, shown, and held against what was done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PLAN = re.compile(r"^\s*(?:\*\*)?PLAN(?:\*\*)?:\s*(?P<text>.*)$", re.IGNORECASE)
MAX_LINES = 8

ASK = (
    "Begin your first reply with a plan of at most five lines, the first of which starts with `PLAN:`: "
    "which files you will edit and why."
)


def plan_in(reply: str) -> str | None:
    """The plan's lines, without the word; None where the reply has none."""
    lines = reply.splitlines()
    for index, line in enumerate(lines):
        if match := _PLAN.match(line):
            taken = [match.group("text").strip()]
            for following in lines[index + 1 : index + MAX_LINES]:
                if not following.strip() or following.lstrip().startswith(("<<<", "```")):
                    break
                taken.append(following.strip())
            return "\n".join(part for part in taken if part) or None
    return None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Files that the plan named and the edit left alone, and the other way round."""

    left_out: tuple[str, ...]
    unplanned: tuple[str, ...]


def compare(plan: str, targets: Iterable[str], changed: Iterable[str]) -> Comparison:
    """Hold a plan against the files that changed."""
    planned = {path for path in targets if path in plan or path.rpartition("/")[2] in plan}
    done = set(changed)
    return Comparison(tuple(sorted(planned - done)), tuple(sorted(done - planned)) if planned else ())
