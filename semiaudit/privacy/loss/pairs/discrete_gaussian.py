"""The pair of a discrete Gaussian and its shift by an integer: closed form and list of losses.

The closed form of a single pair uses tail sums of positive terms, in doubles. With y of mass p(y) =
exp(-y^2 / 2 sigma^2) / Z and a shift d of 1 or more the loss is l(y) = (d / sigma^2) (y + d / 2),
and Q has the mass p(y + d). So with T(m) = P(Y >= m)

    delta(epsilon) = max over m of T(m) - exp(epsilon) T(m + d),

and the m with l(m - 1) <= epsilon <= l(m) attains it. Every epsilon_m = ln((T(m) - delta) /
T(m + d)) is a lower bound of epsilon(delta); and an e >= max(epsilon_m, 0) to whose place among
the losses, which is found in integers, m belongs has delta(e) <= delta, so it is an upper bound.
If T(m) < delta, epsilon_m counts as minus infinity, and the same holds.

Errors of epsilon_m, in units of u = 2^-53; h = 1 / 2 sigma^2, rounded once; exp and log are within
2 u. Tails are scaled: S(m) = T(m) / p(m) = 1 + r(m) S(m + 1), r(m) = exp(-(2 m + 1) h), from a top
at which S is taken for 1.

- *The top.* (top + 1)^2 h >= (m + d)^2 h + 44. Beyond it the terms fall at least by exp(-2 sqrt(44
  h)), so with sigma^2 <= 2^16 less than 28 exp(-44) < u / 40 of S(m), of S(m + d) is left out.
- *A term.* t_k = r(m) ... r(m + k - 1) = exp(-V), V = (k^2 + 2 m k) h. An exponent x is off by
  2 x, its exp by 2 more; k products, k + 1 sums. In all 2 X + 4 k + 1, X the sum of the |x|.
- *S(m), m >= 0.* X = V. V exp(-V) has one peak, and k V' >= V; so its sum is at most its integral
  and 1/e, the integral at most that of k V' exp(-V), which is that of exp(-V) and so at most S.
  The mean of V is below 1.37. The mean of k is largest at m = 0: the sum of k exp(-k^2 h) is at
  most sigma^2 + 0.61 sigma, that of exp(-k^2 h) at least 1.253 sigma, hence 0.8 sigma + 0.49.
  Together 3.2 sigma + 5.8.
- *S(m), m < 0.* X <= (m + k)^2 h + m^2 h, where the mean of the first is at most twice 1.37, as
  either side of 0 is a case of the above, and the mean of k is at most |m| more. So 2 m^2 h +
  4 |m| + 3.2 sigma + 8.5.
- *delta Z exp(m^2 h)*, which is delta / p(m): 2 m^2 h and 2 of the exp, 2 products, 1 of delta, 8
  of Z: 2 m^2 h + 13.
- Their difference is off by both, and by 1; divided by the difference that is a relative error,
  and 1.01 times it bounds the logarithm's, since it is below 1e-4 or nothing is answered. Then
  comes that of S(m + d), 1 of the quotient, 2 of its logarithm, 1 of l(m), 1 of the sum and 1 of
  adding the error to it.

If delta is close to T(m), their difference has few digits, and the bracket is that wide.

delta(epsilon) is the sum over l(y) > epsilon of p(y) (1 - exp(epsilon - l(y))), in which nothing
cancels. The omitted terms are below a geometric series.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.frozen import dataclass
from semiaudit.model.loss import DiscreteGaussianLoss
from semiaudit.privacy.loss.pairs.pair_kind import (
    LARGEST_FITTED_VARIANCE,
    LARGEST_LOSS,
    Ends,
    Family,
    PairKind,
    is_listable,
)
from semiaudit.privacy.loss.sources.loss_source import (
    LISTED_INTEGERS,
    LOG_SLACK,
    MOST_INTEGERS,
    OMITTED_NATS,
    UNIT,
    Atoms,
    TooLong,
    cumulants_of,
    steps_of,
)
from semiaudit.privacy.loss.sources.normal_cells import cell_error, log_average, log_normal_cells
from semiaudit.privacy.special.discrete_noise import log_normalizer, normalizer

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


_UNIT = 2.0**-53
_MOST = 2048
"""The most integers that are summed; for more, the lattice is faster."""
_NATS = 50.0
"""The sum for a delta ends where masses are exp(-50) of the largest; the rest is bounded."""
_TOP_NATS = 44.0
"""See *The top* above."""
_LARGEST_EXPONENT = 600.0
"""Tails start at an m with m^2 h up to this, so that 1 / p(m) is a double."""
_SHARPEST, _WIDEST = 1000, 2**16
"""The largest 1 / sigma^2 and the largest sigma^2."""
_SMALLEST_DELTA = 1e-300
"""Smaller deltas are left to the lattice."""
_BEYOND_EXPONENT = 700.0
"""P(Y >= m) <= exp(-m^2 h) is below every delta that the closed form accepts."""
_UNDERFLOWS = 1e-304
"""An upper bound on exp(-700), and so on every delta at such large losses."""
_TRIED = 3
"""Values of m that are tried before the lattice is used."""
_FEW_DIGITS = 1e4
"""A difference within this multiple of its rounding has hardly any digits: 1.01 bounds its
error."""
_LEAST = 1e-323
"""Twice the smallest double: a bound on the error of a product that underflows."""
_UNDERFLOWN = 2 * _MOST * _LEAST


@dataclass(frozen=True, slots=True)
class SingleDiscreteGaussian:
    """The closed form of one pair.

    Attributes:
        shift: of the second distribution, 1 or more.
        numerator: of sigma^2.
        denominator: of sigma^2.
        half: 1 / 2 sigma^2, rounded once.
        total: the normalizing sum Z.
    """

    shift: int
    numerator: int
    denominator: int
    half: float
    total: float

    @classmethod
    def of(cls, pair: DiscreteGaussianLoss) -> SingleDiscreteGaussian | None:
        """Return the closed form; None for noise so wide or narrow that the lattice is better."""
        shift, (top, bottom) = abs(pair.shift), pair.sigma_squared.as_integer_ratio()
        if bottom > _SHARPEST * top or top > _WIDEST * bottom or shift > _MOST:
            return None
        return cls(shift, top, bottom, bottom / (2 * top), normalizer(top / bottom))

    def delta(self, epsilon: Fraction) -> Ends | None:
        """See ``SinglePair``.

        Relative to the largest mass, at ``peak``, exp(-x) of a term has an x from integers, within
        4 u x; the losses are off by 4 u of their distance from epsilon, and so is 1 - exp of it.
        """
        if epsilon > LARGEST_LOSS:
            return None
        half, (above, below) = self.half, epsilon.as_integer_ratio()
        first = self._place(above, below)
        peak = max(first, 0)
        last = peak + math.ceil(math.sqrt(_NATS / half)) + 2
        if last - first > _MOST:
            return None
        nearest = self.shift * (2 * first + self.shift) * self.denominator * below
        start = (nearest - 2 * self.numerator * above) / (2 * self.numerator * below)
        width = self.shift * self.denominator / self.numerator
        square, total, sized, size = peak * peak, 0.0, 0.0, 0.0
        for y in range(first, last + 1):
            size = abs(y * y - square) * half
            term = math.exp(-size) * -math.expm1(-(start + width * (y - first)))
            total += term
            sized += term * size
        # Sums of positive terms: each addition has an error of u times a part of the total.
        error = _UNIT * ((32 + last - first) * total + 8 * sized) + _UNDERFLOWN
        ratio = (2 * last + 1) * half
        remainder = math.exp(-size - ratio) / -math.expm1(-ratio) * (1 + 1e-9)
        exponent = square * half
        if exponent > _BEYOND_EXPONENT:
            return 0.0, _UNDERFLOWS
        scale, slack = math.exp(-exponent) / self.total, _UNIT * (2 * exponent + 32)
        lower = (total - error) * scale * (1 - slack) - _LEAST
        return max(lower, 0.0), min((total + error + remainder) * scale * (1 + slack) + _LEAST, 1.0)

    def epsilon(self, delta: Fraction) -> Ends | None:
        """See ``SinglePair``; the module docstring has the errors."""
        half, shift, share = self.half, self.shift, float(delta)
        if not _SMALLEST_DELTA <= share < 1:
            return None
        # P(Y >= m) <= exp(-m^2 h), so that no larger m has an epsilon.
        begin = int(math.sqrt(-math.log(share) / half))
        top = int(math.sqrt((begin + 1 + shift) ** 2 + _TOP_NATS / half)) + 1
        deepest = math.isqrt(int(_LARGEST_EXPONENT / half))
        lowest = max(-(shift // 2) - 1, -deepest, top - 2 * _MOST)
        exp, tail = math.exp, 1.0
        sums = [tail]
        for y in range(top - 1, begin - 1, -1):
            tail = 1 + exp(-(2 * y + 1) * half) * tail
            sums.append(tail)
        y, weight = begin, share * self.total * exp(begin * begin * half)
        fall = exp(-2 * shift * half)
        # Down to the first m whose epsilon is at least l(m - 1), and one more.
        while y > lowest:
            is_last = tail - weight >= fall * sums[top - y - shift]
            y -= 1
            ratio = exp(-(2 * y + 1) * half)
            tail = 1 + ratio * tail
            sums.append(tail)
            if is_last:
                break
            weight *= ratio
        return self._attained(min(y + 1, begin), sums, share, (begin + 1, top))

    def type_ii(self, type_i: Fraction) -> None:
        """Return None: the lattice computes it."""

    def _attained(
        self, start: int, sums: list[float], share: float, limits: tuple[int, int]
    ) -> Ends | None:
        """Return the largest epsilon_m, searched from an estimate of m; None if undecided.

        Args:
            start: the first m to try.
            sums: S from the top down.
            share: delta.
            limits: the largest m for which S is precise enough, and the top.
        """
        highest, top = limits
        lower, upper, m = 0.0, 0.0, start
        visited: list[int] = []
        for _ in range(_TRIED):
            if not top - len(sums) < m <= highest:
                return None
            tested = self._of_test(m, sums[top - m], sums[top - m - self.shift], share)
            if tested is None:
                return None
            lower, upper = max(lower, tested[0]), max(upper, tested[1])
            visited.append(m)
            m = self._place(*upper.as_integer_ratio())
            if m in visited:
                # Every epsilon_m is a lower bound. Upper is at least epsilon_m of the m that
                # belongs to it, so that delta(upper) <= delta (see the module).
                return lower, upper
        return None

    def _of_test(self, m: int, tail: float, beyond: float, share: float) -> Ends | None:
        """Return epsilon_m, enclosed, or 0 if T(m) < delta; None if it has hardly any digits."""
        exponent = m * m * self.half
        if exponent > _BEYOND_EXPONENT:
            return (0.0, 0.0) if m > 0 else None
        weight = share * self.total * math.exp(exponent)
        gap = tail - weight
        beyond_error = 3.2 * math.sqrt(0.5 / self.half) + 10
        tail_error = beyond_error + (0 if m >= 0 else 2 * exponent - 4 * m)
        error = tail * tail_error + weight * (2 * exponent + 13)
        if abs(gap) <= _UNIT * _FEW_DIGITS * error:
            return None
        if gap < 0:
            return 0.0, 0.0
        loss = self.shift * (2 * m + self.shift) * self.denominator / (2 * self.numerator)
        gain = math.log(gap / beyond)
        total = loss + gain
        counted = 1.01 * error / gap + beyond_error + abs(loss) + 2 * abs(gain) + 2 * abs(total)
        slack = _UNIT * (counted + 8)
        return total - slack, total + slack

    def _place(self, above: int, below: int) -> int:
        """Return the smallest m with l(m) >= above / below, exactly."""
        square = self.shift * self.shift * self.denominator * below
        step = 2 * self.shift * self.denominator * below
        return -((square - 2 * self.numerator * above) // step)


def discrete_gaussian(pair: DiscreteGaussianLoss) -> PairKind:
    """Define the kind: mass proportional to exp(-k^2 / 2 sigma^2), shifted to either side."""
    shift, variance = abs(pair.shift), pair.sigma_squared

    def source(_side: int) -> Source:
        return DiscreteGaussianSource(pair)

    return PairKind(
        symmetric=True,
        gaussian_size=Fraction(shift**2) / variance,
        listable=is_listable(variance),
        mu_fitted=variance <= LARGEST_FITTED_VARIANCE,
        family=Family((DiscreteGaussianLoss, variance), "shared"),
        size=Fraction(shift),
        rho=lambda: Fraction(shift**2) / (2 * variance),
        simplified=DiscreteGaussianLoss(shift, variance) if shift else None,
        moved_further=lambda k: DiscreteGaussianLoss(k * pair.shift, variance),
        closed_form=lambda: SingleDiscreteGaussian.of(pair),
        source=source,
    )


_NARROW = 0.5
"""Below this variance, the cumulants differ from those of the Gaussian, and are summed over
integers."""

_SUMMED = 40
"""Integers on either side of the center in that sum: at least 56 standard deviations."""


@dataclass(frozen=True, slots=True)
class DiscreteGaussianSource:
    """At x the loss is (shift / sigma^2) (y + shift / 2) with y = -x.

    Under P, y has mass proportional to exp(-y^2 / 2 sigma^2); tilted by t it is centered at
    t * shift. The two directions mirror each other, so one stands for both.
    """

    pair: DiscreteGaussianLoss

    @property
    def offset(self) -> Fraction:
        """Return the loss at y = 0."""
        return self.pair.shift**2 / (2 * self.pair.sigma_squared)

    @property
    def lattice_step(self) -> Fraction | None:
        """Return the difference of the losses of neighboring integers."""
        return abs(self.pair.shift) / self.pair.sigma_squared

    @property
    def anchor(self) -> Fraction | None:
        """Return the step of the lattice."""
        return self.lattice_step

    @property
    def infinite(self) -> Fraction:
        """Return 0: both distributions have mass on all integers."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """Return None: the loss is unbounded."""
        return None

    def log_normalizer(self) -> float:
        """Return ln of the sum of exp(-y^2 / 2 sigma^2) over integers, within 16 u (1 + size)."""
        return log_normalizer(self.pair.sigma_squared)

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """Return the cumulants; for sigma^2 >= 1/2, those of the Gaussian, which are close."""

        import numpy as np

        shift, variance = abs(self.pair.shift), float(self.pair.sigma_squared)
        square = shift * shift / variance
        if variance >= _NARROW:
            return tilt * (tilt + 1) * square / 2, (tilt + 0.5) * square, square
        centre = round(tilt * shift)
        y = np.arange(centre - _SUMMED, centre + _SUMMED + 1, dtype=np.float64)
        losses = (shift / variance) * (y + shift / 2)
        return cumulants_of(losses, -y * y / (2 * variance) - self.log_normalizer(), tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""

        import numpy as np

        shift, variance = abs(self.pair.shift), float(self.pair.sigma_squared)
        centre = round(tilt * shift)
        reach = math.ceil(math.sqrt(2 * OMITTED_NATS * variance)) + 1
        if 2 * reach > LISTED_INTEGERS and shift / variance < step:
            return self._blocks(step, centre, reach, self._log_omitted(tilt, reach))
        if 2 * reach > MOST_INTEGERS:
            raise TooLong(2 * reach)
        y = np.arange(centre - reach, centre + reach + 1, dtype=np.float64)
        ratio = steps_of(shift / variance, step)
        exponent = y * y / (2 * variance)
        normalizer = self.log_normalizer()
        return Atoms(
            y * ratio,
            -exponent - normalizer,
            UNIT * (32 + 8 * exponent + 16 * abs(normalizer)),
            log_omitted=self._log_omitted(tilt, reach),
        )

    def _log_omitted(self, tilt: float, reach: int) -> float:
        """Return ln of a bound on the tilted mass of all y at least ``reach`` from the center.

        The nearest one lies at least ``reach`` from the exact center, since the integer center is
        within a half; from there on the masses fall faster than a geometric series.
        """
        shift, variance = abs(self.pair.shift), float(self.pair.sigma_squared)
        fall = -math.expm1(-reach / variance)
        peak = (tilt * shift) ** 2 / (2 * variance) - self.log_normalizer()
        log_mass = peak - reach * reach / (2 * variance) + math.log(2 / fall)
        return log_mass + LOG_SLACK * (abs(log_mass) + abs(peak) + 1)

    def _blocks(self, step: float, centre: int, reach: int, log_omitted: float) -> Atoms:
        """Merge neighboring integers within one cell of the grid.

        The sum of g(y) = exp(-y^2 / 2 sigma^2) over a block is the integral of g - g'' / 24 over
        the block widened by 1/2 at both ends, up to 7/5760 of the fourth derivative (midpoint
        rule). With z = y / sigma, g'' / g = (z^2 - 1) / sigma^2, which over a block changes by
        less than 1 / (2 sigma^2).
        """

        import numpy as np

        shift, variance = abs(self.pair.shift), float(self.pair.sigma_squared)
        sigma, mu = math.sqrt(variance), shift / math.sqrt(variance)
        size = (abs(centre) + reach + 1) / sigma + mu
        in_cell = step * variance / shift
        width = in_cell / max(1, math.ceil(in_cell / sigma * 4 * (size + 5)))
        first, last = math.floor((centre - reach) / width), math.ceil((centre + reach) / width)
        if last - first > MOST_INTEGERS:
            raise TooLong(last - first)
        edges = np.unique(np.ceil(np.arange(first, last + 1, dtype=np.float64) * width)) - 0.5
        middle, half = (edges[1:] + edges[:-1]) / 2 / sigma, (edges[1:] - edges[:-1]) / 2 / sigma
        bend = (1 - middle * middle) / (24 * variance)
        moved = (1 - (middle + mu) ** 2) / (24 * variance)
        losses = mu * middle + (log_average(middle, half) - log_average(middle + mu, half))
        error = 1 / (30 * variance) + (size**4 + 6 * size**2 + 3) / (400 * variance**2)
        error += cell_error(size)
        return Atoms(
            (losses + (bend - moved)) / step,
            log_normal_cells(middle, half) + bend,
            error,
            2 * error + UNIT * (16 * mu * size + 64),
            log_omitted,
        )
