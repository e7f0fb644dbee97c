"""What a run asks a person while it goes on: the model's questions, and a key that is missing or refused (SPEC L12, L14).

A run lives in a loop of its own, the editor in the main one: each question crosses over, and a cancelled one is taken away.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, TypeVar

from pygls.exceptions import JsonRpcException

from compile_loop.lsp.keys import ask_for_key, secret_name
from compile_loop.lsp.protocol import PickItem

if TYPE_CHECKING:
    from compile_loop.lsp.generator import KeyedGenerator
    from compile_loop.lsp.ui import Ui
    from compile_loop.settings import Settings

log = logging.getLogger(__name__)
Value = TypeVar("Value")
ANSWER, SKIP = "Answer…", "Skip"
SET_KEY, AGAIN, GIVE_UP = "Set API Key…", "Try Again", "Give Up"
FEW = 3
"""Choices that have room as buttons."""


class Crossing:
    """Has coroutines run in the loop that it was made in, whatever loop waits for them."""

    def __init__(self) -> None:
        self._home = asyncio.get_running_loop()

    async def ask(self, question: Coroutine[object, object, Value], otherwise: Value) -> Value:
        """The question's answer; `otherwise` where the editor gave none. Being cancelled cancels the question."""
        try:
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(question, self._home))
        except JsonRpcException as error:
            log.warning("A question got no answer: %s", error)
            return otherwise


class Questions:
    """The model's questions (SPEC L12). A message, so that nothing takes the keys away from somebody who types."""

    def __init__(self, ui: Ui, crossing: Crossing) -> None:
        self._ui = ui
        self._crossing = crossing

    async def ask(self, question: str, choices: Sequence[str]) -> str:
        """The user's answer; empty where they skipped it."""
        return await self._crossing.ask(self._ask(question, tuple(choices)), "")

    async def _ask(self, question: str, choices: tuple[str, ...]) -> str:
        buttons = choices if len(choices) <= FEW else ()
        pressed = await self._ui.message("info", f"The model asks: {question}", *buttons, ANSWER, SKIP)
        if pressed in buttons:
            return pressed or ""
        if pressed != ANSWER:
            return ""
        if choices and not buttons:
            items = [PickItem(id=choice, label=choice) for choice in choices]
            own = PickItem(id="", label="$(edit) Something else…")
            picked = await self._ui.pick(question, [*items, own])
            if picked is None or picked[0]:
                return picked[0] if picked else ""
        return await self._ui.ask("Answer to the model", question) or ""


class KeyGate:
    """Waits for a key that works (SPEC L14)."""

    def __init__(self, ui: Ui, settings: Settings, generator: KeyedGenerator, crossing: Crossing) -> None:
        self._ui = ui
        self._settings = settings
        self._generator = generator
        self._crossing = crossing

    async def usable(self, reason: str | None) -> bool:
        """Whether the model can be asked now. Before the first call nobody is bothered if a key is there, or none is needed."""
        reason = reason or self._generator.missing()
        return reason is None or await self._crossing.ask(self._wait(reason), otherwise=False)

    async def _wait(self, reason: str) -> bool:
        name = secret_name(self._settings)
        choices = (SET_KEY, AGAIN, GIVE_UP) if name else (AGAIN, GIVE_UP)
        while True:
            pressed = await self._ui.message("warning", f"{reason} The run waits.", *choices)
            if pressed == SET_KEY and not await ask_for_key(self._ui, self._settings):
                continue
            if pressed not in (SET_KEY, AGAIN):
                return False
            self._generator.use(await self._ui.secret(name) if name else None)
            return True
