"""Exact samplers of noise on the integers: integers and fair bits only, no floating point.

Source: Canonne, Kamath and Steinke, The Discrete Gaussian for Differential Privacy (2020),
Algorithms 1 to 3; the noninteger center is an extension, derived below.
"""

from __future__ import annotations

import math
from fractions import Fraction

from semiaudit.mechanisms.sampling.randomness import Randomness


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
