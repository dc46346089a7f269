"""Numbers of the pair of clones, which bounds the loss of shuffled reports, one by one."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from semiaudit.model.bound import Bound, lower, upper
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.measures.clones import delta_ends, epsilon_ends
from semiaudit.privacy.shuffling import MOST_REPORTS
from semiaudit.privacy.tradeoff.polygon import LARGEST_EPSILON

METHOD = "clone_pair"
SOURCE = "Feldman, McMillan and Talwar 2023; docs/theory/amplification.md, The shuffle bound"


def delta_of_shuffling(
    reports: int, epsilon0: Fraction, epsilon: Fraction, guard: int = 200
) -> Interval:
    """Return delta of the pair at an epsilon, enclosed.

    Args:
        reports: the number of users, at least 1.
        epsilon0: of the local randomizer, at least 0.
        epsilon: at least 0.
        guard: tails below about 2^-guard are omitted, and added to the upper bound.

    Returns:
        The upper bound is a guarantee for every epsilon0-DP randomizer. The lower bound is that of
        the pair; a specific randomizer can have a smaller delta.

    Rounding: e^epsilon0 is replaced by the rationals around it, the larger one for the upper bound,
    because the pair of a larger epsilon0 dominates. For e^epsilon, the upper bound uses the smaller
    one.
    """
    _check(reports, epsilon0)
    if epsilon < 0:
        raise ValueError("epsilon is at least 0")
    if epsilon0 > LARGEST_EPSILON:
        raise ValueError(f"epsilon0 is at most {LARGEST_EPSILON}")
    return delta_ends(reports, epsilon0, epsilon, guard)


@lru_cache(maxsize=256)
def epsilon_of_shuffling(reports: int, epsilon0: Fraction, delta: Fraction) -> tuple[Bound, Bound]:
    """Return bounds (lower, upper) on the smallest epsilon of the pair at a delta.

    Args:
        reports: the number of users, at least 1.
        epsilon0: of the local randomizer, at least 0.
        delta: in [0, 1). At 0, shuffling does not amplify privacy: epsilon0 itself.

    Returns:
        The upper bound holds for every epsilon0-DP randomizer; the lower bound is that of the pair.

    Raises:
        ValueError: an argument outside of its range, or more than ``MOST_REPORTS`` reports.
    """
    _check(reports, epsilon0)
    if not 0 <= delta < 1:
        raise ValueError("delta must be in [0, 1)")
    if not delta or not epsilon0 or epsilon0 > LARGEST_EPSILON:
        below = Fraction(0) if epsilon0 > LARGEST_EPSILON else epsilon0
        return lower(below, METHOD, SOURCE), upper(epsilon0, METHOD, SOURCE)
    below, above = epsilon_ends(reports, epsilon0, delta)
    return lower(below, METHOD, SOURCE), upper(above, METHOD, SOURCE)


def _check(reports: int, epsilon0: Fraction) -> None:
    if not 1 <= reports <= MOST_REPORTS:
        raise ValueError(f"reports is between 1 and {MOST_REPORTS}")
    if epsilon0 < 0:
        raise ValueError("epsilon0 is at least 0")
