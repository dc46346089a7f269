"""Sources of random bits: the operating system, or a seed for reproducible numbers.

Noise on the integers takes every bit straight from the source. Floating-point noise takes its
numbers from numpy's PCG64 generator, to which the source gives 256 bits once: it is not a
cryptographic generator, and docs/sampling.md describes the consequences.
"""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from semiaudit.frozen import cached_property

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SYSTEM = "the operating system"

_HELD = 16_384
"""Bytes that are read from the operating system in one call: a call costs more than the bytes."""

_WORD = 32
"""Bits that are taken from these bytes in one step."""


def _system_bits() -> Callable[[int], int]:
    """Return a function from a number k to k independent fair bits of the operating system."""
    words: Iterator[int] = iter(())

    def bits(k: int) -> int:
        nonlocal words
        if k > _WORD:
            return bits(k - _WORD) << _WORD | bits(_WORD)
        for word in words:
            return word >> (_WORD - k)
        words = iter(struct.unpack(f"{_HELD // 4}I", os.urandom(_HELD)))
        return next(words) >> (_WORD - k)

    return bits


class Randomness:
    """A source of random integers and of a numpy generator.

    Args:
        seed: None takes everything from the operating system; the same integer gives the same
            numbers again, with the same versions of this program, Python and numpy.

    Attributes:
        origin: the origin of the bits, in words.
        bits: a function from a number k to k independent fair bits, as an integer.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed
        self.bits = _system_bits() if seed is None else random.Random(seed).getrandbits
        self.origin = SYSTEM if seed is None else f"the seed {seed}"

    def below(self, end: int) -> int:
        """Return an integer from 0 to end - 1, each exactly equally likely."""
        size = (end - 1).bit_length()
        number = self.bits(size)
        while number >= end:
            number = self.bits(size)
        return number

    def words(self, number: int) -> npt.NDArray[np.uint64]:
        """Return independent words of 64 bits, of shape (number,), from the operating system.

        With a seed they are those of ``generator``.
        """
        import numpy as np

        if self.seed is None:
            return np.frombuffer(os.urandom(8 * number), dtype=np.uint64)
        return np.asarray(self.generator.bit_generator.random_raw(number), dtype=np.uint64)

    @cached_property
    def generator(self) -> np.random.Generator:
        """Return numpy's generator, started from this source."""
        import numpy as np

        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.bits(256))))
