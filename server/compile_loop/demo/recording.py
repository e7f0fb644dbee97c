"""The recorded replies of the demonstration, and when each may be given."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """One reply. `files` are those it edits; `failures` are words of the failing check that it answers."""

    files: tuple[str, ...]
    failures: tuple[str, ...]
    text: str

    def why_not(self, messages: Sequence[str]) -> str | None:
        """None if the conversation, oldest message first, shows what this reply is about; else what is missing."""
        conversation, last = "\n".join(messages), messages[-1] if messages else ""
        for name in self.files:
            if name not in conversation:
                return f"the recorded reply edits {name}, which the request does not mention"
        for words in self.failures:
            if words not in last:
                return f"the recorded reply answers a failure with the words “{words}”, which the last message does not show"
        return None


@dataclass(frozen=True, slots=True)
class Recording:
    """Replies in their order; `provenance` says honestly where they come from."""

    provenance: str
    model: str
    replies: tuple[RecordedReply, ...]


def load_recording() -> Recording:
    """Read the recording that is bundled with the demonstration."""
    value = json.loads((files("compile_loop.demo") / "recording.json").read_text(encoding="utf-8"))
    replies = (RecordedReply(tuple(each["files"]), tuple(each["failures"]), each["text"]) for each in value["replies"])
    return Recording(value["provenance"], value["model"], tuple(replies))
