"""Which readers a line may concern, found by few short words: most lines of a build log concern nobody."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from compile_loop.toolchains.registry import reader_types, shape_types

_SEEDS = ("rror", "arning", "ndefined ")
"""What many triggers share; a line is first searched for these."""
DOCUMENT = 1 << 62
"""The bit of a line in which a JSON document may begin."""

Words = tuple[tuple[str, int], ...]
"""Words, each with the readers (one bit each, in their order) for which it may matter."""


@lru_cache(maxsize=1)
def needed_words() -> tuple[Words, Words]:
    """The words with a colon, and the others."""
    bits: dict[str, int] = {}
    for number, reader in enumerate(reader_types()):
        for trigger in reader.triggers:
            bits[trigger] = bits.get(trigger, 0) | 1 << number
    for begin in ('{"', *(begin for shape in shape_types() for begin in shape.begins)):
        bits[begin] = bits.get(begin, 0) | DOCUMENT
    short: dict[str, int] = {}
    for trigger, readers in bits.items():
        word = next((seed for seed in _SEEDS if seed in trigger), trigger)
        short[word] = short.get(word, 0) | readers
    least: dict[str, int] = {}
    for word, readers in short.items():  # of words in one another the shortest stands for all
        inner = min((other for other in short if other in word), key=len)
        least[inner] = least.get(inner, 0) | readers
    ordered = sorted(least.items())
    return tuple(p for p in ordered if ":" in p[0]), tuple(p for p in ordered if ":" not in p[0])


class Interest:
    """Asks a line for the words of all readers at once."""

    def __init__(self) -> None:
        self._with_colon, self._others = needed_words()
        self._triggers = [reader.triggers for reader in reader_types()]

    def of(self, text: str) -> int:
        """The bits of the readers that a line may concern, and `DOCUMENT`; 0 for nearly every line."""
        found = 0
        if ":" in text:
            for word, bits in self._with_colon:
                if word in text:
                    found |= bits
        for word, bits in self._others:
            if word in text:
                found |= bits
        return found

    def readers(self, text: str, bits: int) -> Sequence[int]:
        """The numbers of the readers among `bits` one of whose triggers the line really contains, in their order."""
        numbers = []
        bits &= ~DOCUMENT
        while bits:
            lowest = bits & -bits
            bits ^= lowest
            number = lowest.bit_length() - 1
            for trigger in self._triggers[number]:
                if trigger in text:
                    numbers.append(number)
                    break
        return numbers
