"""How many tokens a request will take: characters by four, corrected by the provider's own figures (SPEC C3)."""

from __future__ import annotations

from compile_loop.contracts.protocols import Usage

CHARACTERS_PER_TOKEN = 4.0
TRUNCATED_BELOW = 0.5
WINDOW_USED = 0.8
"""Share of the context window at which the oldest turns are dropped (SPEC C2)."""


class TokenEstimate:
    """Characters per token, as this model counts. `observe` corrects it, and warns of a cut prompt once."""

    def __init__(self) -> None:
        self._per_token = CHARACTERS_PER_TOKEN
        self._settled = False
        self._warned = False
        self._most: int | None = None

    def tokens(self, characters: int) -> int:
        """About how many tokens so many characters are."""
        return round(characters / self._per_token)

    def room(self, window: int) -> int:
        """How many characters a request may hold, where the model's window is of so many tokens."""
        room = window * self._per_token
        return round(WINDOW_USED * (room if self._most is None else min(room, self._most)))

    def refused(self, characters: int) -> None:
        """Learn that the model's window is too small for so many characters."""
        self._most = characters if self._most is None else min(self._most, characters)

    def observe(self, characters: int, usage: Usage | None) -> str | None:
        """Take the provider's count of so many characters in; returns a warning where it shows that the prompt was cut.

        A count far below the estimate means that the provider dropped part of the prompt in silence: it is reported,
        and the estimate is kept as it was.
        """
        if usage is None or usage.prompt_tokens <= 0 or characters < 400:
            return None
        counted = usage.prompt_tokens
        expected = self.tokens(characters)
        if counted < expected * TRUNCATED_BELOW:
            if self._warned:
                return None
            self._warned = True
            return (
                f"The provider counted {counted} tokens of a prompt of about {expected}: it seems to have cut the prompt "
                "without saying so. Raise its context length, or give less to fix at once."
            )
        per_token = min(8.0, max(1.5, characters / counted))
        self._per_token = per_token if not self._settled else (self._per_token + per_token) / 2
        self._settled = True
        return None
