"""The settings' model, with a key that may come or change while the run goes on (SPEC L14)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from pydantic import SecretStr

from compile_loop.assemble import ConfigurationError, model_of
from compile_loop.contracts.protocols import Message, ModelError, ModelErrorKind, ToolSchema, TurnEvent, TurnGenerator
from compile_loop.models.relay import Relay
from compile_loop.settings import Settings


class KeyedGenerator:
    """Makes the model anew whenever the key changes; without the key that it needs, asking it is refused as `auth`.

    Raises `ConfigurationError` where the settings cannot be used with any key.
    """

    def __init__(self, settings: Settings, relay: Relay | None = None) -> None:
        self._settings = settings
        self._relay = relay
        self._made: TurnGenerator | None = None
        try:
            self._made = model_of(settings, relay)
        except ConfigurationError as error:
            if _kind(error) is not ModelErrorKind.AUTH:
                raise

    @property
    def name(self) -> str:
        """The model's."""
        return self._made.name if self._made else self._settings.model.strip()

    def use(self, key: str | None) -> None:
        """Take this key from the next request on."""
        self._settings = self._settings.model_copy(update={"api_key": SecretStr(key) if key else None})
        self._made = None

    def missing(self) -> str | None:
        """A sentence where the key that it needs is not there."""
        try:
            self._made = self._made or model_of(self._settings, self._relay)
        except ConfigurationError as error:
            return str(error)
        return None

    async def generate(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()
    ) -> AsyncGenerator[TurnEvent, None]:
        """Stream one reply; see `TurnGenerator.generate`."""
        missing = self.missing()
        if self._made is None:
            raise ModelError(ModelErrorKind.AUTH, missing or "No model is set.")
        async with aclosing(self._made.generate(messages, tools)) as events:
            async for event in events:
                yield event

    async def aclose(self) -> None:
        """Give back connections."""
        if self._made is not None:
            await self._made.aclose()


def _kind(error: ConfigurationError) -> ModelErrorKind | None:
    return error.__cause__.kind if isinstance(error.__cause__, ModelError) else None
