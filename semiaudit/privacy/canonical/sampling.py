"""Drawing canonical noise exactly, by the inverse of its distribution function.

A uniform number is drawn bit by bit until its enclosure fixes which cell of a grid of nine decimals
the noise falls in. So the cell has exactly the probability that the continuous noise gives it, up
to the 1e-37 or so by which quantiles are enclosed; no rounding of doubles shows in what is drawn.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from semiaudit.privacy.canonical.canonical_distribution import CanonicalDistribution

PLACES = 9
GRID = Fraction(1, 10**PLACES)
"""Noise is drawn to nine decimals: the step of their grid."""

_FIRST_BITS, _MORE_BITS = 64, 32
_MOST_BITS = 180
"""Bits after which a grid line is as close as quantiles are enclosed: the lower cell is taken."""


class Bits(Protocol):
    """A source of random bits: ``random.SystemRandom`` for releases, ``random.Random`` for
    examples that can be repeated.
    """

    def getrandbits(self, k: int, /) -> int:
        """Return ``k`` independent fair bits as one number."""


def draw(noise: CanonicalDistribution, bits: Bits) -> tuple[Fraction, Fraction]:
    """The cell of the grid that one draw of the noise falls in: its two ends, a grid step apart.

    Args:
        bits: where randomness comes from.
    """
    number = _FIRST_BITS
    drawn = bits.getrandbits(number)
    while True:
        cells = [_cell(end) for end in _ends(noise, drawn, number)]
        if cells[0] == cells[1] or (number >= _MOST_BITS and None not in cells):
            low = Fraction(cells[0] or 0) * GRID
            return low, low + GRID
        drawn = drawn << _MORE_BITS | bits.getrandbits(_MORE_BITS)
        number += _MORE_BITS


def _cell(end: Fraction | None) -> int | None:
    """The index of the grid's cell that a point lies in."""
    return None if end is None else (end / GRID).__floor__()


def _ends(
    noise: CanonicalDistribution, drawn: int, number: int
) -> tuple[Fraction | None, Fraction | None]:
    """Between which points the noise lies if the first bits of its upper tail are these.

    None stands for the end of a distribution without an end.
    """
    low, high = Fraction(drawn, 2**number), Fraction(drawn + 1, 2**number)
    largest = noise.quantile_above(low).high if low else None
    least = noise.quantile_above(high).low if high < 1 else None
    return (
        None if least is None else Fraction(least),
        None if largest is None else Fraction(largest),
    )
