"""One run, from the request to its outcome: the loop on a page.

request → baseline → suggestions → ┌ ask → edit → verify ┐ → holdouts → minimise → confirm → outcome
                                   └──── failures ◄──────┘
"""

from __future__ import annotations

from compile_loop.contracts.outcome import Outcome
from compile_loop.engine.baseline import take_baseline
from compile_loop.engine.course import Course
from compile_loop.engine.dialogue import Dialogue
from compile_loop.engine.prove import prove
from compile_loop.engine.suggest import apply_suggestions


async def fix(course: Course) -> Outcome:
    """Raises `GaveUp`, `Nominated`, `ModelError` or `ShadowError` where it ends early."""
    await course.open_shadow()
    state = await take_baseline(course)
    if state.verdict.green and not state.changes and course.holdouts_green and not course.has_wish:
        return course.nothing_to_fix(state)
    if course.request.suggestions and not course.has_wish:
        state = await apply_suggestions(course, state)
    dialogue = Dialogue(course)
    while True:
        if course.may_be_proven(state) and not dialogue.doubts(state):
            proof = await prove(course, state)
            if proof.outcome is not None:
                return proof.outcome
            state = proof.state
            dialogue.doubt(proof.doubt, state)
        state = await dialogue.round(state)
