"""Many independent coins with one rational probability, exact if the bits are fair."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from semiaudit.mechanisms.sampling.randomness import Randomness

WORD = 64
"""Bits of a coin that are compared in one step."""


def coins(
    probability: Fraction, number: int, source: Randomness, word: int = WORD
) -> npt.NDArray[np.bool_]:
    """Toss independent coins with exactly the given probability.

    A uniform number from 0 to 1 is below the probability or not, and their binary digits are
    compared a word at a time. Further digits of a coin are sampled only if the first ones are
    equal, so no digit is cut off and nothing is rounded.

    Args:
        probability: from 0 to 1.
        number: the number of coins.
        source: the source of fair bits.
        word: the number of digits that are compared in one step, from 1 to 64.

    Returns:
        Truth values of shape (number,).
    """
    if probability == 1:
        return np.ones(number, dtype=bool)
    first, rest = divmod(probability.numerator << word, probability.denominator)
    drawn = source.words(number) >> np.uint64(WORD - word)
    fell = drawn < np.uint64(first)
    if rest:
        equal = np.flatnonzero(drawn == np.uint64(first))
        if equal.size:
            later = Fraction(rest, probability.denominator)
            fell[equal] = coins(later, equal.size, source, word)
    return fell
