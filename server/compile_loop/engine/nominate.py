"""May a model say "no change needed"? The runtime refuses with a reason of its own a case (SPEC L11)."""

from __future__ import annotations

from compile_loop.engine.course import Course

MAX_WORDS = 4000


class Nominated(Exception):  # noqa: N818 - it is an end, not an error
    """The nomination was accepted; the run ends for a person to judge."""


def refuse_nomination(course: Course, summary: str, evidence: str) -> str | None:
    """Why the nomination is not accepted, or None."""
    if not summary.strip() or not evidence.strip():
        return "summary and evidence must both say something."
    if len(summary) > MAX_WORDS or len(evidence) > MAX_WORDS:
        return f"summary and evidence may have at most {MAX_WORDS} characters each."
    if course.edited:
        return "something was already edited in this run; make the check pass, or undo nothing and say what is missing."
    if course.work.changes:
        return "the toolchain's own suggestions have already changed the code; go on from there."
    baseline = course.baseline
    if baseline is None or baseline.result.unfinished is not None:
        return "the check did not finish on the untouched code, so nobody knows whether a change is needed."
    return None
