"""The privacy central limit theorem: approximate many small losses by a Gaussian.

The error has either sign (erratum E6): ten randomized responses with epsilon 1 have type II error
0.0804 at type I error 0.05, where the Gaussian says 0.0494.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from semiaudit.model.measure import GDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.approximations.approximation import Approximation
from semiaudit.privacy.approximations.moments import LossMoments
from semiaudit.privacy.measures import gdp

METHOD = "clt"
SOURCE = "Dong, Roth and Su 2022, Theorem 3.4 (Su's review, section 3.3)"
CAVEAT = "errs on either side (erratum E6)"


def clt_mu(parts: Sequence[tuple[LossMoments, int]]) -> Approximation:
    """mu = 2 sum kl / sqrt(sum kappa_2 - sum kl^2), of all parts with their repeats."""
    kl = math.fsum(-m.null.mean * k for m, k in parts)
    variance = math.fsum(m.null.variance * k for m, k in parts)
    return _named(2 * kl / math.sqrt(variance), "mu of the composition")


def berry_esseen_gap(parts: Sequence[tuple[LossMoments, int]]) -> Approximation:
    """gamma = 0.56 sum kappa_3 / (sum kappa_2 - sum kl^2)^(3/2).

    By the theorem, the tradeoff function of the composition differs from G_mu by at most gamma in
    both error rates; 0.56 is the theorem's constant. Computed in floats. The gap is useful only if
    it is far below the error rates.
    """
    variance = math.fsum(m.null.variance * k for m, k in parts)
    third = math.fsum(m.null.absolute * k for m, k in parts)
    return _named(0.56 * third / variance**1.5, "the distance of the composition from G_mu")


def clt_type_ii(parts: Sequence[tuple[LossMoments, int]], type_i: Fraction) -> Approximation:
    """Return G_mu at a type I error (SU's form), with the mu of :func:`clt_mu`."""
    measure = _gdp(clt_mu(parts))
    value = gdp.type_ii_at(measure, type_i)
    return _named(float(value.low), f"type II error at type I error {float(type_i):g} (SU)")


def clt_delta(parts: Sequence[tuple[LossMoments, int]], epsilon: Fraction) -> Approximation:
    """Return the Gaussian profile at epsilon, with the mu of :func:`clt_mu`."""
    value = gdp.delta_at(_gdp(clt_mu(parts)), Interval.of(epsilon))
    return _named(float(value.low), f"delta at epsilon {float(epsilon):g}")


def loss_mean(parts: Sequence[tuple[LossMoments, int]]) -> Approximation:
    """The mean of the total loss ln Q/P under Q: the Kullback-Leibler divergence of Q from P."""
    value = math.fsum(m.alternative.mean * k for m, k in parts)
    return _moment(value, "the mean privacy loss under the alternative")


def loss_variance(parts: Sequence[tuple[LossMoments, int]]) -> Approximation:
    """The variance of the total loss ln Q/P under Q."""
    value = math.fsum(m.alternative.variance * k for m, k in parts)
    return _moment(value, "the variance of the privacy loss under the alternative")


def _gdp(mu: Approximation) -> GDP:
    """Make a GDP value to evaluate the Gaussian; the value never leaves this module."""
    return GDP(Fraction(mu.estimate) ** 2)


def _named(value: float, what: str) -> Approximation:
    return Approximation(value, what, METHOD, SOURCE, CAVEAT)


def _moment(value: float, what: str) -> Approximation:
    return Approximation(value, what, "moments", "Su, section 3.3", "floats, to about 12 digits")
