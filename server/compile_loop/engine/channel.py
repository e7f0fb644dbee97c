"""Which channel the model has, and the one-way rescue to plain text (SPEC T1)."""

from __future__ import annotations

from compile_loop.engine.request import Parts, RunRequest
from compile_loop.tools.catalogue import Offer, ToolMode, offer

ROUNDS_WITHOUT_EDIT = 2


class Channel:
    """The tools on offer now. `rescue` says why they should all be dropped, once."""

    def __init__(self, request: RunRequest, parts: Parts) -> None:
        self.mode = request.tool_mode
        self._without_edit = 0
        self.offer = offer(
            request.tool_mode,
            may_write=request.edit_mode == "diff",
            asks=parts.ask_user is not None,
            consults=parts.consult is not None,
            extra=request.extra_tools,
        )

    @property
    def has_tools(self) -> bool:
        """Whether anything is declared to the model."""
        return bool(self.offer.tools)

    def rescue(self, *, applied: bool, past_step_cap: bool) -> str | None:
        """Why the channel switches to text now, or None. Only `adaptive` does, and only once."""
        self._without_edit = 0 if applied else self._without_edit + 1
        if self.mode is not ToolMode.ADAPTIVE:
            return None
        if past_step_cap:
            return "one reply went past the step cap"
        if self._without_edit >= ROUNDS_WITHOUT_EDIT:
            return f"{ROUNDS_WITHOUT_EDIT} rounds running applied nothing"
        return None

    def switch(self) -> None:
        """Drop all tools for good."""
        self.mode = ToolMode.NONE
        self.offer = Offer()
        self._without_edit = 0
