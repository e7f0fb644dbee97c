"""Files that a green edit adds or changes, and that the check goes by though no failure asked for them (SPEC K6, K7)."""

from compile_loop.checks.gone_by.texts import DecidingTexts
from compile_loop.checks.gone_by.weighing import GoneBy

__all__ = ["DecidingTexts", "GoneBy"]
