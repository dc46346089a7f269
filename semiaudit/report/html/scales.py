"""Scales of a plot: from numbers to places, and where marks stand on an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

from semiaudit.frozen import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_MOST_MARKS = 7


@dataclass(frozen=True, slots=True)
class AxisScale:
    """One axis.

    Attributes:
        low, high: the numbers at its ends.
        begin, end: where these stand on the page.
        logarithmic: equal factors are equally far apart.
    """

    low: float
    high: float
    begin: float
    end: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Where a number stands, to a tenth; outside of the ends on the nearer one."""
        low, high, at = (self._measured(v) for v in (self.low, self.high, value))
        share = (at - low) / (high - low) if high > low else 0.5
        return round(self.begin + (self.end - self.begin) * min(max(share, 0.0), 1.0), 1)

    def marks(self) -> list[tuple[float, str]]:
        """Numbers to stand on the axis, and their texts."""
        if self.logarithmic:
            first, last = math.ceil(_log(self.low)), math.floor(_log(self.high))
            powers = range(last, first - 1, -max(1, math.ceil((last - first) / _MOST_MARKS)))
            return [(10.0**power, f"1e{power}" if power else "1") for power in powers]
        step = step_of(self.high - self.low)
        number = math.floor((self.high - self.low) / step + 1e-9)
        values = [self.low + k * step for k in range(number + 1)]
        return [(value, f"{value:.6g}") for value in values]

    def _measured(self, value: float) -> float:
        return _log(value) if self.logarithmic else value


def step_of(width: float) -> float:
    """A round step of which some five lie in a width above 0."""
    power = 10.0 ** math.floor(_log(width / 5))
    return next(power * step for step in _STEPS if power * step >= width / 5 * (1 - 1e-9))


def begin_of(values: Sequence[float], floor: float) -> float:
    """The power of ten, 0.1 at most, with which a logarithmic axis of errors begins.

    No value above 0 is below it, but for those below the floor.
    """
    least = min([value for value in values if value > 0], default=0.1)
    return 10.0 ** math.floor(math.log10(min(max(least, floor), 0.1)) + 1e-9)


def up_to(values: Sequence[float]) -> float:
    """A round number that no finite value is above; 1 if none is above 0."""
    most = max([value for value in values if math.isfinite(value)], default=0.0)
    if most <= 0:
        return 1.0
    step = step_of(most)
    return math.ceil(most / step - 1e-9) * step


def _log(value: float) -> float:
    return math.log10(max(value, 1e-320))
