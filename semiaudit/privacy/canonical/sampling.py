"""Exact sampling of canonical noise, by the inverse of its distribution function.

A uniform number is sampled bit by bit until its enclosure fixes the cell of the noise on a grid of
nine decimals. So the cell has exactly the probability that the continuous noise gives it, up to
about 1e-37, the width of the enclosed quantiles. The sample never shows a rounding of doubles.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from semiaudit.privacy.canonical.canonical_distribution import CanonicalDistribution

PLACES = 9
GRID = Fraction(1, 10**PLACES)
"""The grid step of sampled noise: nine decimals."""

_FIRST_BITS, _MORE_BITS = 64, 32
_MOST_BITS = 180
"""The most bits: then a grid line is as close as quantiles are enclosed, and the lower cell is
used."""


class Bits(Protocol):
    """A source of random bits: ``random.SystemRandom`` for releases, ``random.Random`` for
    examples that can be repeated.
    """

    def getrandbits(self, k: int, /) -> int:
        """Return ``k`` independent fair bits as one number."""


def draw(noise: CanonicalDistribution, bits: Bits) -> tuple[Fraction, Fraction]:
    """Sample the noise once, and return the bounds of its grid cell, one grid step apart.

    Args:
        bits: the source of random bits.
    """
    number = _FIRST_BITS
    tail_bits = bits.getrandbits(number)
    while True:
        cells = [_cell(end) for end in _ends(noise, tail_bits, number)]
        if cells[0] == cells[1] or (number >= _MOST_BITS and None not in cells):
            low = Fraction(cells[0] or 0) * GRID
            return low, low + GRID
        tail_bits = tail_bits << _MORE_BITS | bits.getrandbits(_MORE_BITS)
        number += _MORE_BITS


def _cell(end: Fraction | None) -> int | None:
    return None if end is None else (end / GRID).__floor__()


def _ends(
    noise: CanonicalDistribution, tail_bits: int, number: int
) -> tuple[Fraction | None, Fraction | None]:
    """Return bounds on the noise, given the first bits of its upper tail.

    None is an unbounded side.
    """
    low, high = Fraction(tail_bits, 2**number), Fraction(tail_bits + 1, 2**number)
    largest = noise.quantile_above(low).high if low else None
    least = noise.quantile_above(high).low if high < 1 else None
    return (
        None if least is None else Fraction(least),
        None if largest is None else Fraction(largest),
    )
