"""What the model is told when a conversation opens, and how failures are put to it."""

from __future__ import annotations

from functools import partial

from compile_loop.conversation.failures import render
from compile_loop.conversation.prompts import continue_prompt, holdout_prompt, joined_prompt, system_prompt, task_prompt
from compile_loop.conversation.transcript import Transcript
from compile_loop.edits.apply import Target
from compile_loop.engine.channel import Channel
from compile_loop.engine.course import Course, State
from compile_loop.engine.fingerprint import fingerprint
from compile_loop.engine.guard import ProgressMonitor
from compile_loop.engine.plan import ASK
from compile_loop.engine.sight import source

EMBEDDED = 24_000
"""Characters of targets that stand in the first message although the model could read them.

Saves a step on small files.
"""


def open_conversation(course: Course, channel: Channel, state: State, monitor: ProgressMonitor) -> Transcript:
    """A new conversation: the contract of the channel, what is wanted, the files as they are now, and the failures."""
    request = course.request
    targets = course.work.targets
    shown, listed = _parted(targets, channel)
    monitor.shown(*(target.path for target in shown))
    course.told = {target.path for target in targets}
    news = []
    if state.changes and course.rounds == 0:
        news.append("The toolchain's own suggestions are applied already.")
    news += _remembered(course)
    if course.wants_plan and course.rounds == 0:
        news.append(ASK)
    return Transcript(
        system_prompt(
            [target.path for target in targets],
            tools=[tool.name for tool in channel.offer.tools],
            edit_mode=request.edit_mode,
            caller=request.system,
            whole_workspace=request.scope == "workspace",
        ),
        task_prompt(
            spec=request.spec,
            lang=request.lang,
            checks=course.parts.contract.checks,
            shown=shown,
            listed=listed,
            failures=_opening_failures(course, state),
            news=news,
        ),
    )


def _opening_failures(course: Course, state: State) -> str:
    if state.verdict.green and course.holdouts_told and not course.has_wish:
        return holdout_prompt(course.holdouts_told)
    if state.verdict.green:
        return "The checks pass now; make the change that is wanted and keep them passing."
    if not state.result.results:
        return "Nothing is written yet: write it from what is wanted."
    return failures_of(course, state)


def continue_brief(course: Course, state: State) -> str:
    """What the model is told when a finished run is continued with a note (SPEC L19)."""
    failures = "The check passes now." if state.verdict.green else failures_of(course, state)
    course.told = {target.path for target in course.work.targets}
    return continue_prompt(course.request.spec, course.work.targets, failures)


def failures_of(course: Course, state: State) -> str:
    """The state's failing checks as text.

    Output too long to show is kept under a handle that `read_file_range` opens (SPEC T7).
    """
    handles = {}
    if course.channel is not None and course.channel.has_tools:
        for check in state.result.results:
            handle = f"output/{len(course.spilled) + 1}"
            handles[check.check] = handle
            course.spilled[handle] = f"{check.stdout}{check.stderr}"
    return render(state.result, state.verdict.blocking, partial(source, course.parts), handles)


def joined_brief(course: Course, channel: Channel, monitor: ProgressMonitor) -> str:
    """The files that may be edited and that the model was not told of yet; empty where there are none."""
    fresh = [target for target in course.work.targets if target.path not in course.told]
    if not fresh:
        return ""
    course.told |= {target.path for target in fresh}
    shown, listed = _parted(fresh, channel)
    monitor.shown(*(target.path for target in shown))
    return joined_prompt(shown, listed)


def _parted(targets: list[Target], channel: Channel) -> tuple[list[Target], list[Target]]:
    return _embedded(targets) if channel.has_tools else (targets, [])


def _embedded(targets: list[Target]) -> tuple[list[Target], list[Target]]:
    """Targets whose text goes into the prompt, smallest first, and those that are only named."""
    shown: list[Target] = []
    room = EMBEDDED
    for target in sorted(targets, key=lambda t: len(t.content or b"")):
        room -= len(target.content or b"")
        if room < 0:
            break
        shown.append(target)
    paths = {target.path for target in shown}
    return [t for t in targets if t.path in paths], [t for t in targets if t.path not in paths]


def _remembered(course: Course) -> list[str]:
    """Edits that proved green for the same failures before (SPEC T8)."""
    memory, baseline = course.parts.memory, course.baseline
    if memory is None or baseline is None:
        return []
    known = memory.recall(frozenset("|".join(fingerprint(error)) for error in baseline.verdict.blocking))
    for text in known:
        course.findings.add(text, conclusion=True)
    return [f"The same failure was repaired here before, by this edit:\n{known[0]}"] if known else []
