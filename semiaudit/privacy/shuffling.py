"""Shuffled reports of one local randomizer: certified bounds from the pair of clones.

n users run the same epsilon0-DP randomizer on a value each, and only the multiset of their
outputs is seen. Two datasets that differ in one user are no easier to distinguish than the pair

    (A + D, C - A + 1 - D)   against   (A + 1 - D, C - A + D),

with C ~ Bin(n - 1, 2/(e^epsilon0 + 1)), A ~ Bin(C, 1/2), D ~ Bern(e^epsilon0/(e^epsilon0 + 1)).
docs/theory/amplification.md proves it for every such randomizer.
Source: Feldman, McMillan and Talwar 2023 (Su's review, section 4.3); Balle, Bell, Gascon and
Nissim 2019, for the reduction to a blanket.
"""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.measure import PiecewiseLinear
from semiaudit.privacy.tradeoff.clone_polygons import tradeoff_of_clones

MOST_REPORTS = 10**8
"""Sums are over a multiple of the square root of the number of reports."""


def _check(reports: int, epsilon0: Fraction) -> None:
    if not 1 <= reports <= MOST_REPORTS:
        raise ValueError(f"reports is between 1 and {MOST_REPORTS}")
    if epsilon0 < 0:
        raise ValueError("epsilon0 is at least 0")


def tradeoff_of_shuffling(reports: int, epsilon0: Fraction, lines: int = 96) -> PiecewiseLinear:
    """Return a polygon below the pair's tradeoff function, for group privacy.

    Args:
        reports: the number of users, at least 1.
        epsilon0: of the local randomizer, at least 0.
        lines: supporting lines on either side of the diagonal.

    Returns:
        The largest of f_{epsilon,delta} over certified points of the profile (duality, Su's
        review, 2.4): a guarantee, below the pair's own function between the points.
    """
    _check(reports, epsilon0)
    return tradeoff_of_clones(reports, epsilon0, lines)
