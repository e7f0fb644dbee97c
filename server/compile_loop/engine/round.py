"""One round up to its verification.

Steps of the model with their tool calls, then the edits of its text (SPEC T1, T2, Q10).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compile_loop.contracts.events import (
    EditApplied,
    EditRefused,
    PlanMade,
    QuestionAsked,
    Regrounded,
    ToolCalled,
    Warned,
)
from compile_loop.contracts.outcome import FailureKind
from compile_loop.contracts.protocols import Reply, ToolCall, TurnGenerator
from compile_loop.conversation.explanation import explanation_of
from compile_loop.conversation.prompts import CUT_OFF_CALL, no_edit_prompt, reground_prompt, step_cap_prompt
from compile_loop.conversation.transcript import Transcript
from compile_loop.edits.apply import Applied, HeldBlocks, Refused, apply_reply, named_paths
from compile_loop.engine.ask import ask
from compile_loop.engine.channel import Channel
from compile_loop.engine.course import Course
from compile_loop.engine.gave_up import GaveUp
from compile_loop.engine.guard import LoopBreaker, ProgressMonitor, Strike
from compile_loop.engine.help import ask_user, consult
from compile_loop.engine.nominate import Nominated, refuse_nomination
from compile_loop.engine.plan import plan_in
from compile_loop.engine.sight import see
from compile_loop.engine.worktree import Changes
from compile_loop.tools.context import ToolContext
from compile_loop.tools.tool import ToolResult

_SHORT = 200


@dataclass(slots=True)
class Played:
    """What a round came to before its check. `refusal` is what the model must still be told; `text` its last words."""

    applied: bool = False
    refusal: str | None = None
    held: HeldBlocks | None = None
    past_step_cap: bool = False
    text: str = ""


class Round:
    """One round. `play` runs it to the point where the check decides; `played` is what it came to."""

    def __init__(
        self,
        course: Course,
        talk: Transcript,
        model: TurnGenerator,
        channel: Channel,
        monitor: ProgressMonitor,
        held: HeldBlocks | None,
    ) -> None:
        self._course = course
        self._talk = talk
        self._model = model
        self._channel = channel
        self._monitor = monitor
        self._breaker = LoopBreaker()
        self.played = Played(held=held)
        self._context = ToolContext(
            files=course.work,
            see=self._see,
            findings=course.findings,
            nominate=self._nominate,
            open_target=course.open_target,
            allow_new_files=course.request.allow_new_files,
            ask_user=self._ask_user if course.parts.ask_user else None,
            consult=self._consult if course.parts.consult else None,
            spilled=course.spilled,
        )
        self._nominated: str | None = None

    async def play(self) -> None:
        """Let the model read and edit until it answers without a call. Raises `GaveUp`, `Nominated` or `ModelError`.

        `played` holds what it came to, also where it raises.
        """
        for _ in range(self._course.request.max_steps):
            before = {target.path: target.content for target in self._course.work.targets}
            reply = await ask(self._course, self._talk, self._model, self._channel.offer.schemas)
            self._talk.replied(reply.text, reply.tool_calls)
            self._take_plan(reply)
            results = [await self._answer(call, cut_off=reply.finish == "length") for call in reply.tool_calls]
            if self._nominated is not None:
                raise Nominated(self._nominated)
            await self._apply_text(reply, before)
            if not reply.tool_calls:
                return
            self._watch(reply, results)
        self.played.past_step_cap = True
        if not self.played.applied:
            self.played.refusal = step_cap_prompt(self._course.request.max_steps)

    async def _answer(self, call: ToolCall, *, cut_off: bool) -> ToolResult:
        """Every call gets its result, before anything else is said."""
        guarded = self._course.request.guardrails
        refusal = self._breaker.refuse(call) if guarded else None
        result = (
            await self._channel.offer.call(call, self._context) if refusal is None else ToolResult(refusal, ok=False)
        )
        if cut_off and not result.ok:
            result = replace(result, text=f"{result.text}\n\n{CUT_OFF_CALL}")
        self._talk.answered(call, result.text)
        self._course.emit(ToolCalled(call.name, _short(call.arguments), result.ok, _short(result.text)))
        if result.applied:
            self._edited(result.applied, 1)
            self._breaker.edited()
        elif result.ok and result.shown:
            self._course.findings.add(f"{call.name} {_short(call.arguments)}: {result.text}")
        return result

    async def _apply_text(self, reply: Reply, before: Changes) -> None:
        """The reply's blocks, located after its tool edits in the text as it stood when the reply began."""
        course, played = self._course, self.played
        calls_only = bool(reply.tool_calls) and not reply.text.strip()
        if calls_only:
            return
        if explanation_of(reply.text) or not played.text:
            played.text = reply.text
        for path in named_paths(reply.text, course.parts.shadow.root):
            if await course.open_target(path) is None:
                before.setdefault(path, course.work.content(path))
        edit = apply_reply(
            reply.text,
            course.work.targets,
            edit_mode=course.request.edit_mode,
            allow_new_files=course.request.allow_new_files,
            truncated=reply.finish == "length",
            held=played.held,
            at_reply_start=before,
            before_last_edit=course.work.before_last_edit,
            may_create=self._why_not_create if course.request.allow_new_files else None,
            exists=self._exists,
            root=course.parts.shadow.root,
        )
        if isinstance(edit, Applied):
            played.held = None
            played.refusal = None
            await course.work.write(edit.files)
            for warning in edit.warnings:
                course.emit(Warned(warning))
            self._edited(tuple(sorted(edit.files)), len(edit.reports))
        elif not edit.no_blocks:
            self._refused(edit, edit.message, to_be_told_now=bool(reply.tool_calls))
        elif not reply.tool_calls and not played.applied:
            cut_off = reply.finish == "length"
            said = edit.message if cut_off else no_edit_prompt(course.request.edit_mode, several=course.several)
            self._refused(edit, said, to_be_told_now=False)

    async def _see(self, path: str) -> bytes | str | None:
        """A file for the model's eyes; one that is shown stays as it is, whatever the user saves meanwhile."""
        course = self._course
        if path in course.work.originals:
            return course.parts.readable(path) or course.work.content(path)
        found = see(course.parts, path)
        if isinstance(found, bytes):
            await course.parts.shadow.read(path)
        return found

    def _why_not_create(self, path: str) -> str | None:
        """Why a file may not be made. One that a hidden check lays in would be another one by then (SPEC K5)."""
        holdouts = self._course.parts.holdouts
        hidden = holdouts.hidden if holdouts else ()
        if any(path == name or path.startswith(f"{name}/") or name.startswith(f"{path}/") for name in hidden):
            return "this name is not free in this run. Take another one"
        if self._exists(path):
            return "it exists and is none of the files that may be edited"
        return self._why_no_place(path)

    def _why_no_place(self, path: str) -> str | None:
        """Why no file can lie at a path where there is none: its folders are links, whoever laid them, or no folders."""
        place = self._course.parts.shadow.look(path).place
        if place is None:
            return "it leads out of the workspace through a link"
        if place != path:
            return f"it is {place} through a link; name that"
        above = (path[:at] for at, sign in enumerate(path) if sign == "/")
        return next((f"{folder} is a file" for folder in above if self._exists(folder)), None)

    def _exists(self, path: str) -> bool:
        shadow = self._course.parts.shadow
        return shadow.peek(f"{shadow.root}/{path}") is not None

    def _refused(self, edit: Refused, message: str, *, to_be_told_now: bool) -> None:
        self.played.held = edit.held
        self._course.emit(EditRefused(message, _why(edit)))
        if to_be_told_now:
            self._talk.tell(message)
        else:
            self.played.refusal = message

    def _edited(self, files: tuple[str, ...], blocks: int) -> None:
        self.played.applied = self._course.edited = True
        self._course.emit(EditApplied(files, blocks))

    def _watch(self, reply: Reply, results: list[ToolResult]) -> None:
        if reply.text.strip():
            self._course.findings.add(reply.text, conclusion=True)
        if not self._course.request.guardrails:
            return
        strike = self._monitor.step(results, reply.text, frozenset(self._course.targets.writable))
        if strike is Strike.STOP:
            raise GaveUp(
                FailureKind.TOOL_LOOP,
                "The model kept reading and repeating without getting anywhere, also after it was told so. "
                "Try another model, or the text channel (tool mode none).",
            )
        if strike is Strike.REGROUND:
            message = reground_prompt(self._course.targets.writable, can_write=self._can_write)
            self._talk.tell(message)
            self._course.emit(Regrounded(message))

    @property
    def _can_write(self) -> bool:
        return any(tool.name == "apply_search_replace" for tool in self._channel.offer.tools)

    def _take_plan(self, reply: Reply) -> None:
        if self._course.plan is None and self._course.wants_plan and (plan := plan_in(reply.text)):
            self._course.plan = plan
            self._course.emit(PlanMade(plan))

    def _nominate(self, summary: str, evidence: str) -> str | None:
        refusal = refuse_nomination(self._course, summary, evidence)
        if refusal is None:
            self._nominated = f"{summary.strip()} {evidence.strip()}"
        return refusal

    async def _ask_user(self, question: str, choices: Sequence[str]) -> str:
        self._course.emit(QuestionAsked(question, tuple(choices)))
        return await ask_user(self._course, question, tuple(choices))

    async def _consult(self, question: str) -> str:
        return await consult(self._course, question)


def _why(edit: Refused) -> str:
    failed = [report for report in edit.reports if not report.ok]
    if not failed:
        return "the reply held no edit that could be read"
    reasons = [(report.reason or "it does not fit").splitlines()[0].rstrip(".") for report in failed]
    return "; ".join(f"block {r.index} ({r.path or 'no file'}): {why}" for r, why in zip(failed, reasons, strict=True))


def _short(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
