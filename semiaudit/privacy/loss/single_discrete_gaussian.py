"""One discrete Gaussian against itself moved: sums of positive terms, in doubles.

With y of mass proportional to exp(-y^2 / 2 sigma^2) and the loss l(y) = (shift / sigma^2)
(y + shift / 2),

    delta(epsilon) = sum over l(y) > epsilon of P(y) (1 - exp(epsilon - l(y))),

in which nothing cancels. Every term is off by a few u and by u times its exponent, which is
summed; what the sum leaves out is below a geometric series. epsilon(delta) is guessed from tail
sums as the largest ln((P(Y >= m) - delta) / P(Y >= m + shift)), and certified by delta on both
sides of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from semiaudit.model.loss import DiscreteGaussianLoss

Ends = tuple[float, float]

_UNIT = 2.0**-53
_MOST = 2048
"""So many integers are summed at most; the lattice is quicker for more."""
_NATS = 50.0
_SHARPEST = Fraction(1, 1000)
_MOVES = 60


def log_normalizer(sigma_squared: Fraction) -> float:
    """ln of the sum of exp(-y^2 / 2 sigma^2) over the integers, within 16 u (1 + its size).

    From sigma^2 = 1 on by Poisson summation: sigma sqrt(2 pi) (1 + 2 sum exp(-2 (pi sigma
    m)^2)), whose terms from m = 3 on are below 1e-77.
    """
    variance = float(sigma_squared)
    if variance < 1:
        return math.log1p(2 * math.fsum(math.exp(-y * y / (2 * variance)) for y in range(1, 41)))
    bend = math.fsum(2 * math.exp(-2 * variance * (math.pi * m) ** 2) for m in (1, 2))
    return 0.5 * math.log(2 * math.pi * variance) + math.log1p(bend)


@dataclass(frozen=True, slots=True)
class SingleDiscreteGaussian:
    """The numbers of one pair, shift 1 or more.

    Attributes:
        shift: of the second distribution.
        sigma_squared: the parameter.
        reach: so far beyond the peak of a sum its terms are added up.
        log_total: logarithm of the normalizing sum.
    """

    shift: int
    sigma_squared: Fraction
    reach: int
    log_total: float

    @classmethod
    def of(cls, loss: DiscreteGaussianLoss) -> SingleDiscreteGaussian | None:
        """The closed form; None for noise so wide or narrow that it does not pay."""
        shift, variance = abs(loss.shift), loss.sigma_squared
        if not (_SHARPEST <= variance <= _MOST**2 and shift <= _MOST):
            return None
        reach = math.ceil(math.sqrt(2 * _NATS * variance)) + 2
        return cls(shift, variance, reach, log_normalizer(variance)) if reach <= _MOST else None

    def delta(self, epsilon: Fraction) -> Ends | None:
        """See :class:`semiaudit.privacy.loss.single.SinglePair`.

        Relative to the largest mass, at ``peak``, exp(-x) of a term has an x from integers, within
        4 u x; the losses are off by 4 u of their distance from epsilon, and so is 1 - exp of it.
        """
        step = self.shift / self.sigma_squared
        zero = step * self.shift / 2
        first = math.floor((epsilon - zero) / step) + 1
        peak = max(first, 0)
        last = peak + self.reach
        if last - first > _MOST:
            return None
        half = 1 / (2 * float(self.sigma_squared))
        start, width = float(zero + first * step - epsilon), float(step)
        sizes = [abs(y * y - peak * peak) * half for y in range(first, last + 1)]
        terms = [
            math.exp(-size) * -math.expm1(-(start + width * index))
            for index, size in enumerate(sizes)
        ]
        total = math.fsum(terms)
        error = _UNIT * (32 * total + 8 * sum(map(float.__mul__, terms, sizes)))
        ratio = (2 * last + 1) * half
        rest = math.exp(-sizes[-1] - ratio) / -math.expm1(-ratio) * (1 + 1e-9)
        exponent = -float(peak * peak / (2 * self.sigma_squared)) - self.log_total
        slack = _UNIT * (16 * abs(exponent) + 32 * abs(self.log_total) + 64)
        lower, upper = total - error, total + error + rest
        return (
            _scaled(exponent - slack, lower, -1),
            min(_scaled(exponent + slack, upper, 1) + 5e-324, 1.0),
        )

    def epsilon(self, delta: Fraction) -> Ends | None:
        """See :class:`semiaudit.privacy.loss.single.SinglePair`."""
        guess = self._guess(float(delta)) if delta > Fraction(1, 10**290) else None
        if guess is None:
            return None
        point, rate = guess
        if not point:
            ends = self.delta(Fraction(0))
            return (0.0, 0.0) if ends and ends[1] <= delta else None
        # About what delta is uncertain by; where that is too little, it is doubled.
        uncertain = 16 * abs(math.log(delta)) + 48 * abs(self.log_total) + 192
        move = max(_UNIT * uncertain / rate, math.ulp(point))
        lower, upper = self._certified(point, -move, delta), self._certified(point, move, delta)
        return None if lower is None or upper is None else (lower, upper)

    def type_ii(self, alpha: Fraction) -> None:
        """Left to the lattice."""

    def _certified(self, point: float, move: float, delta: Fraction) -> float | None:
        """A point from here in the direction of the move on the safe side of the root."""
        for _ in range(_MOVES):
            point = max(point + move, 0.0)
            ends = self.delta(Fraction(point))
            if ends is None:
                return None
            if point == 0 and move < 0:
                return 0.0
            if (move > 0 and ends[1] <= delta) or (move < 0 and ends[0] >= delta):
                return point
            move *= 2
        return None

    def _guess(self, delta: float) -> tuple[float, float] | None:
        """About the root, and about -d ln(delta) / d epsilon there; no bound."""
        variance = float(self.sigma_squared)
        lowest = -(self.shift // 2) - 1
        highest = math.ceil(math.sqrt(2 * variance * (1 - math.log(delta)))) + 2
        count = highest + self.shift + self.reach - lowest
        if count > _MOST:
            return None
        tails, tail = [0.0] * (count + 1), 0.0
        for index in range(count - 1, -1, -1):
            y = lowest + index
            tail += math.exp(-y * y / (2 * variance) - self.log_total)
            tails[index] = tail
        best, rate = 0.0, 1.0
        for index in range(highest - lowest + 1):
            excess, beyond = tails[index] - delta, tails[index + self.shift]
            if beyond > 0 and excess > beyond and math.log(excess / beyond) > best:
                best, rate = math.log(excess / beyond), excess / delta
        return best, rate


def _scaled(exponent: float, total: float, side: int) -> float:
    """exp(exponent) times a positive total, on the safe side of either."""
    if total <= 0:
        return 0.0
    size = math.log(total)
    found = exponent + size + side * _UNIT * (8 * abs(exponent) + 8 * abs(size) + 16)
    return math.exp(found) if found < 700 else math.inf
