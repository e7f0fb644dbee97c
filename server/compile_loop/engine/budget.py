"""Bounds on tokens and money, held before each request by our own estimate (SPEC L5)."""

from __future__ import annotations

from dataclasses import dataclass

from compile_loop.contracts.outcome import Failure, FailureKind, Spending


@dataclass(frozen=True, slots=True)
class Budget:
    """`tokens` and `money` (in the account's currency) for the whole run; None: no bound."""

    tokens: int | None = 400_000
    money: float | None = 1.0

    def exceeded(self, spent: Spending, next_tokens: int, next_price: float | None = None) -> Failure | None:
        """Whether the next request of about `next_tokens`, whose prompt costs about `next_price`, goes past a bound."""
        if self.tokens is not None and spent.tokens + next_tokens > self.tokens:
            return Failure(
                FailureKind.BUDGET,
                f"The budget of {self.tokens} tokens is used up ({spent.tokens} spent, the next request needs "
                f"about {next_tokens}). Raise it (maxTokensPerRun, --max-tokens-per-run) or give less to fix at once.",
            )
        cost = spent.cost or 0.0
        if self.money is not None and (cost >= self.money or cost + (next_price or 0.0) > self.money):
            following = "" if next_price is None else f", the next request costs {next_price:.2f} or more"
            return Failure(
                FailureKind.BUDGET,
                f"The budget of {self.money:.2f} is used up ({cost:.2f} spent{following}). "
                "Raise it (maxCost, --max-cost) or use a cheaper model.",
            )
        return None
