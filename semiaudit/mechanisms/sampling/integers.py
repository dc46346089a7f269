"""Exact samplers of noise on the integers: integers and fair bits only, no floating point.

Many integers of one law come from its distribution function in whole arrays. A single one comes
from coins, by Algorithms 1 to 3 of Canonne, Kamath and Steinke, The Discrete Gaussian for
Differential Privacy (2020); the noninteger center is an extension, derived below.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.mechanisms.sampling.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]


def bernoulli_exp(numerator: int, denominator: int, source: Randomness) -> bool:
    """Return True with probability exp(-numerator/denominator), exactly.

    For x <= 1 the first k at which a coin of probability x/k falls on its back is odd with
    probability exp(-x); a larger x is a run of coins of x = 1 and a rest.

    Args:
        numerator: 0 or more.
        denominator: more than 0.
    """
    while numerator > denominator:
        if not _bernoulli_exp_of_1(denominator, denominator, source):
            return False
        numerator -= denominator
    return _bernoulli_exp_of_1(numerator, denominator, source)


def _bernoulli_exp_of_1(numerator: int, denominator: int, source: Randomness) -> bool:
    k = 1
    while source.below(denominator * k) < numerator:
        k += 1
    return k % 2 == 1


def discrete_laplace(scale: Fraction, source: Randomness) -> int:
    """Sample an integer k with probability proportional to exp(-|k| / scale), exactly.

    Source: Canonne, Kamath and Steinke, Algorithm 2.
    """
    t, s = scale.numerator, scale.denominator
    while True:
        remainder = source.below(t)
        if not _bernoulli_exp_of_1(remainder, t, source):
            continue
        quotient = 0
        while _bernoulli_exp_of_1(1, 1, source):
            quotient += 1
        size = (remainder + t * quotient) // s
        if source.bits(1):
            if size:
                return -size
            continue
        return size


class DiscreteGaussianSampler:
    """Sample integers k with probability proportional to exp(-(k - center)^2 / (2 sigma_squared)).

    The sampler is exact, for a rational center c. Proposals are r + y, where r is the nearest
    integer to c and y is discrete Laplace with the integer scale t = floor(sigma) + 1. With u = |k
    - c| a proposal is kept with probability exp(-(u - sigma^2/t)^2 / (2 sigma^2) - (u + |c - r| -
    |y|)/t): both exponents are 0 or more, and proposal times probability is the law up to a
    constant. With c = 0 this is Algorithm 3 of Canonne, Kamath and Steinke.
    """

    def __init__(self, sigma_squared: Fraction) -> None:
        self.sigma_squared = sigma_squared
        self.scale = math.isqrt(math.floor(sigma_squared)) + 1

    def draw(self, source: Randomness, center: Fraction = Fraction(0)) -> int:
        """Sample one number."""
        t, square = self.scale, self.sigma_squared
        nearest = round(center)
        p, q = square.numerator, square.denominator
        shift = center - nearest
        a, b = shift.numerator, shift.denominator
        while True:
            y = discrete_laplace(Fraction(t), source)
            # u = |y - shift| = size/b, and the exponent over the common denominator 2 p q (t b)^2
            size = abs(y * b - a)
            off = size * t * q - p * b
            exponent, denominator = off * off, 2 * p * q * (t * b) ** 2
            slack = size + abs(a) - abs(y) * b
            exponent += slack * 2 * p * q * t * b
            if bernoulli_exp(exponent, denominator, source):
                return nearest + y


_WORD = 64
"""The bits of a uniform number that are sampled first."""

_SPARE = 64
"""The bits by which weights are more precise than uniform numbers."""

_REACH = 67
"""The exponent of the weights that a table ends at: 96 log 2, rounded up."""

LONGEST_TABLE = 2**17
"""The most sizes in a table."""

FEWEST = 1_000
"""Fewer integers are sampled one by one."""

_FLAT = 10**5
"""e to the power of minus this is less than one unit of any table."""


class SizeTable:
    """The distribution function of |k| for a law of whole k, in bounds with some bits.

    The mass of k is symmetric and proportional to the product of e^-(first + i growth) over i from
    0 to |k| - 1: of the discrete Laplace law for first = 1 / scale and growth = 0, of the discrete
    Gaussian law for first = 1 / (2 sigma^2) and growth = 1 / sigma^2.

    Attributes:
        low, high: multiples of 2^-bits below and above P(|k| <= n), for n from 0 to where ``high``
            reaches 1. ``low`` has a last 0.
    """

    def __init__(self, first: Fraction, growth: Fraction, bits: int) -> None:
        self._law = first, growth
        self.bits, precision = bits, bits + _SPARE
        one = 1 << precision
        ratio, factor = _exp_bounds(first, precision), _exp_bounds(growth, precision)
        weight, sums = (one, one), [(one, one)]
        while weight[1] >> (_SPARE // 2):
            deadline.check()
            weight = _product(weight, ratio, precision)
            ratio = _product(ratio, factor, precision)
            sums.append((sums[-1][0] + 2 * weight[0], sums[-1][1] + 2 * weight[1]))
        # From here on, no weight is larger than the previous one times the present ratio.
        rest = 2 * weight[1] * ratio[1] // (one - ratio[1]) + 1
        least, most = sums[-1][0], sums[-1][1] + rest
        self.low = [(low << bits) // most for low, _ in sums]
        self.high = [-(-(high << bits) // least) for _, high in sums]
        known = bisect_right(self.high, (1 << bits) - 1)
        self.low, self.high = [*self.low[:known], 0], self.high[:known]

    def draw(self, number: int, source: Randomness) -> Integers:
        """Sample integers, of shape (number,).

        A uniform number is known by its first bits. Where they do not decide between two sizes,
        it gets more of them, and a table gets closer bounds.
        """
        import numpy as np

        words = source.words(number) >> np.uint64(_WORD - self.bits)
        sizes = np.searchsorted(np.array(self.high, dtype=np.uint64), words, side="right")
        for at in np.flatnonzero(words >= np.array(self.low, dtype=np.uint64)[sizes]):
            sizes[at] = self._decided(int(words[at]), source)
        signs = np.unpackbits(source.words(-(-number // _WORD)).view(np.uint8), count=number)
        return np.where(signs, -sizes, sizes)

    def _decided(self, uniform: int, source: Randomness) -> int:
        table = self
        while True:
            table = SizeTable(*self._law, table.bits + _WORD)
            uniform = uniform << _WORD | int(source.words(1)[0])
            size = bisect_right(table.high, uniform)
            if uniform < table.low[size]:
                return size


def integers(
    number: int,
    law: tuple[Fraction, Fraction],
    draw: Callable[[Randomness], int],
    source: Randomness,
) -> Floats:
    """Sample whole numbers of one law as doubles, of shape (number,), each exactly.

    Args:
        law: as for :class:`SizeTable`.
        draw: samples one of them, for laws that are too wide for a table, and for few numbers.
    """
    import numpy as np

    first, growth = law
    length = min(_REACH / first, math.isqrt(math.ceil(2 * _REACH / growth)) if growth else math.inf)
    if number < FEWEST or length > min(number, LONGEST_TABLE):
        return np.array([draw(source) for _ in range(number)], dtype=float)
    return SizeTable(first, growth, _WORD).draw(number, source).astype(float)


def _exp_bounds(exponent: Fraction, bits: int) -> tuple[int, int]:
    """Return multiples of 2^-bits below and above e^-exponent.

    Decimal arithmetic rounds quotients and powers of e correctly, and an exponent of at most 10^5
    uses 6 of its 8 spare digits.
    """
    if exponent > _FLAT:
        return 0, 1
    digits = bits // 3 + 2
    context = Context(prec=digits + 8)
    quotient = context.divide(Decimal(-exponent.numerator), Decimal(exponent.denominator))
    value, slack = Fraction(context.exp(quotient)) * 2**bits, Fraction(1, 10**digits)
    return math.floor(value * (1 - slack)), min(math.ceil(value * (1 + slack)), 1 << bits)


def _product(first: tuple[int, int], second: tuple[int, int], bits: int) -> tuple[int, int]:
    return first[0] * second[0] >> bits, -(-first[1] * second[1] >> bits)
