"""Scales of a plot: from numbers to positions, and the marks of an axis."""

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
        low, high: the least and the largest number.
        begin, end: their positions on the page.
        logarithmic: whether equal factors have equal distances.
    """

    low: float
    high: float
    begin: float
    end: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Return the position of a number, to a tenth.

        Numbers outside are put at the nearer end.
        """
        low, high, at = (self._measured(v) for v in (self.low, self.high, value))
        share = (at - low) / (high - low) if high > low else 0.5
        return round(self.begin + (self.end - self.begin) * min(max(share, 0.0), 1.0), 1)

    def marks(self) -> list[tuple[float, str]]:
        """Return the numbers of the marks, and their texts."""
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
    """Return a round step that divides a width above 0 into about five."""
    power = 10.0 ** math.floor(_log(width / 5))
    return next(power * step for step in _STEPS if power * step >= width / 5 * (1 - 1e-9))


def begin_of(values: Sequence[float], floor: float) -> float:
    """Return the power of ten, at most 0.1, at which a logarithmic axis of errors begins.

    No positive value is below it, except those below the floor.
    """
    least = min([value for value in values if value > 0], default=0.1)
    return 10.0 ** math.floor(math.log10(min(max(least, floor), 0.1)) + 1e-9)


def up_to(values: Sequence[float]) -> float:
    """Return a round upper bound on all finite values; 1 if none is above 0."""
    most = max([value for value in values if math.isfinite(value)], default=0.0)
    if most <= 0:
        return 1.0
    step = step_of(most)
    return math.ceil(most / step - 1e-9) * step


def _log(value: float) -> float:
    return math.log10(max(value, 1e-320))
