"""The sensitivity of bare shifts: the change of each coordinate, without a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from semiaudit.model.bound import exact
from semiaudit.model.query import DominatingMoves, Sensitivity

SOURCE = "the spec's shifts; norms are homogeneous and satisfy the triangle inequality"


def sensitivity_of_shifts(shifts: Sequence[Fraction], distance: int) -> Sensitivity:
    """Return the norms of ``distance`` steps in the same direction: no other steps lead further.

    The gauge is not used: a K-norm mechanism needs a query.
    """
    sizes = [abs(shift) * distance for shift in shifts]
    largest = max(sizes, default=Fraction(0))
    moving = sorted(Counter(size for size in sizes if size).items(), reverse=True)
    return Sensitivity(
        distance=distance,
        l1=exact(sum(sizes, Fraction(0)), "shifts", SOURCE),
        l2_squared=exact(sum((size * size for size in sizes), Fraction(0)), "shifts", SOURCE),
        linf=exact(largest, "shifts", SOURCE),
        gauge=exact(distance if largest else 0, "shifts", SOURCE),
        rank=None,
        elements=None,
        method="shifts",
        moves=DominatingMoves(tuple(moving), attained=True),
    )
