"""Binomial probabilities, enclosed in fixed-point integers.

Every number is a pair of integers (below, above) over 2^bits. Products of nonnegative numbers are
rounded down in one and up in the other, so each pair encloses the exact number for any length of
the recurrence.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from semiaudit import deadline
from semiaudit.frozen import dataclass

CHECKED = 4096
"""The number of probabilities after which the time limit is checked."""

Fixed = tuple[int, int]
"""A nonnegative number between two integers, in units of 2^-bits."""


@dataclass(frozen=True, slots=True)
class Window:
    """The probabilities of a binomial distribution around its mode.

    Attributes:
        first: the count of the first probability.
        masses: probabilities of ``first``, ``first + 1``, ...
        outside: an upper bound on the total of all others, in the same units.
    """

    first: int
    masses: tuple[Fixed, ...]
    outside: int


def window(trials: int, odds: Fraction, bits: int, cut: int) -> Window:
    """Return Bin(trials, odds / (1 + odds)), without masses below 2^-cut of the mode's.

    Args:
        trials: at least 0.
        odds: success to failure, above 0.
        bits: of the fixed-point numbers; more than ``cut``.
        cut: where the tails are cut.

    Rounding: neighbors are found from the mode by their exact ratio. Ratios decrease away from the
    mode, so the omitted part is below a geometric series. Division by the enclosed total gives
    probabilities.
    """
    mode = int((trials + 1) * odds / (1 + odds))
    mode = min(mode, trials)
    floor = 1 << (bits - cut)
    upward = list(_from_mode(trials, mode, odds, bits, floor))
    downward = list(_from_mode(trials, trials - mode, 1 / odds, bits, floor))
    rest_up, rest_down = upward.pop()[1], downward.pop()[1]
    masses = downward[:0:-1] + upward
    below = sum(low for low, _ in masses)
    above = sum(high for _, high in masses) + rest_up + rest_down
    unit = 1 << bits
    return Window(
        first=mode - (len(downward) - 1),
        masses=tuple((low * unit // above, -(-high * unit // below)) for low, high in masses),
        outside=-(-(rest_up + rest_down) * unit // below),
    )


def _from_mode(trials: int, count: int, odds: Fraction, bits: int, floor: int) -> Iterator[Fixed]:
    """Yield the mode's own weight 1, those above it, and last a bound on all that follow."""
    low = high = 1 << bits
    while True:
        if not count % CHECKED:
            deadline.check()
        yield low, high
        if count == trials:
            yield 0, 0
            return
        n, d = odds.numerator * (trials - count), odds.denominator * (count + 1)
        low, high = low * n // d, -(-high * n // d)
        if high < floor and n < d:
            yield 0, -(-high * d // (d - n))
            return
        count += 1
