"""Whether an interval holds a number that is known to many digits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.tradeoff.links import Ends
from tests.oracles.curves import mp, real


def encloses(found: Interval | Ends, truth: Any, slack: str = "1e-45") -> bool:
    """`slack`: by how much of itself the truth may be wrong; 0 for a fraction, which is exact."""
    ends = (found.low, found.high) if isinstance(found, Interval) else found
    if isinstance(truth, Fraction):
        return Fraction(ends[0]) <= truth <= Fraction(ends[1])
    low, high = (real(end) if isinstance(end, Fraction) else mp.mpf(str(end)) for end in ends)
    room = (abs(truth) + mp.mpf("1e-355")) * mp.mpf(slack)
    return bool(low - room <= truth <= high + room)
