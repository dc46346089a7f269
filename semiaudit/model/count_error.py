"""The error of a hierarchical release's counts, before and after a table was fitted to them."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.frozen import dataclass


@dataclass(frozen=True, slots=True)
class CountError:
    """How far the counts of one query at one level are from the confidential ones.

    Attributes:
        level, query: as the spec names them.
        counts: how many there are, in all draws.
        noisy: the mean distance of the noisy counts.
        fitted: that of the fitted table's counts; None if no table was fitted.
        zeros: the mean fitted value of the counts that are truly 0; None likewise, and without any.
    """

    level: str
    query: str
    counts: int
    noisy: Fraction
    fitted: Fraction | None
    zeros: Fraction | None
