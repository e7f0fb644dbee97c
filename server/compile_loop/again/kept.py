"""What is left of a finished run where nothing but its record is: enough to go on with it (SPEC L19)."""

from __future__ import annotations

from compile_loop.again.jobs import turns_of
from compile_loop.assemble import ConfigurationError
from compile_loop.contracts.edits import Edit
from compile_loop.contracts.inline_secrets import MARK
from compile_loop.contracts.outcome import FailureKind
from compile_loop.contracts.protocols import Message
from compile_loop.edits.hunks import file_change
from compile_loop.engine.course import Kept
from compile_loop.record.folder import RecordError
from compile_loop.record.store import Record, Store

NOT_KEPT = "(The answer to this call was not kept.)"


def kept_of(record: Record) -> Kept:
    """A finished run's conversation to its end, and its edit. Raises `ConfigurationError` where they cannot be read."""
    turns = turns_of(record) if record.turns.exists() else []
    messages: tuple[Message, ...] = ()
    if turns:
        messages = turns[-1].messages
        if (reply := turns[-1].reply) is not None:
            # What came after the last reply was for no model to see; on the wire each call must have an answer.
            said = reply.text if reply.text.strip() or reply.tool_calls else "(no text)"
            answers = [Message("tool", NOT_KEPT, tool_call_id=call.id) for call in reply.tool_calls]
            messages = (*messages, Message("assistant", said, reply.tool_calls), *answers)
    return Kept(record.id, messages, _edit(record), bool(turns and turns[-1].tools))


def begun_from(record: Record) -> Kept | None:
    """What the recorded run went on with; None where it began anew. Raises `ConfigurationError` where that is missing."""
    name = record.run.get("continues")
    if not name:
        return None
    try:
        beside = Store(record.folder.parent)
        kept = kept_of(next((each for each in beside.all() if each.id == name), None) or beside.by_id(str(name)))
    except RecordError as error:
        raise ConfigurationError(f"Run {record.id} continued run {name}, whose record is missing.") from error
    turns = turns_of(record) if record.turns.exists() else []
    if not turns:
        return kept
    # Its own first request says it to the letter; the last message there is the wish.
    return Kept(kept.run_id, turns[0].messages[:-1], kept.edit, bool(turns[0].tools))


def _edit(record: Record) -> Edit:
    """The result, less files that held a secret; nothing where the result is one that silences the check (SPEC K7)."""
    try:
        failure = (record.report or {}).get("failure")
        if isinstance(failure, dict) and failure.get("kind") == FailureKind.TAMPERING.value:
            return Edit()
        before, after = record.originals(), record.results()
    except RecordError as error:
        raise ConfigurationError(f"The record of run {record.id} cannot be used: {error}") from error
    return Edit(
        tuple(
            file_change(path, before.get(path), data, record.asked.encodings.get(path))
            for path, data in sorted(after.items())
            if MARK.encode() not in (before.get(path) or b"") + (data or b"")
        )
    )
