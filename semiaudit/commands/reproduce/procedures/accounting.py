"""Conversions of zCDP, and guarantees of repeated mechanisms (Su, sections 3.3 and 4.4)."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.commands.reproduce.results import report_of
from semiaudit.library.guarantee import Guarantee
from semiaudit.library.mechanisms import ZCDP, DiscreteGaussian, PureDP
from semiaudit.model import measure
from semiaudit.model.bound import Bound, upper
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.measures import gdp

EXACT, BALLE_WANG = "gaussian_exact", "Balle and Wang 2018"


def gaussian_epsilon(rho: Fraction, delta: Fraction) -> Bound:
    """Return epsilon at a delta of a continuous Gaussian with a rho."""
    return upper(gdp.epsilon_at(measure.GDP(2 * Fraction(rho)), delta)[1], EXACT, BALLE_WANG)


def zcdp_epsilon(rho: Fraction, delta: Fraction, conversion: str) -> Bound:
    """Return epsilon at a delta of a rho, by one conversion.

    Raises:
        LookupError: no conversion has that name.
    """
    for point in numbers_of((measure.ZCDP(Fraction(rho)),), [delta], []).approx_dp:
        if point.conversion == conversion:
            return point.epsilon
    raise LookupError(f"no conversion {conversion!r}")


def discrete_gaussian(variance: Fraction, times: int) -> Guarantee:
    """Return the guarantee of repeated discrete Gaussian noise."""
    return (DiscreteGaussian(sigma_squared=variance, shifts=[1]) * times).guarantee()


def responses(epsilon: Fraction, times: int) -> Guarantee:
    """Return the guarantee of repeated randomized response."""
    return (PureDP(epsilon) * times).guarantee()


def rho_together(*rho: Fraction | str) -> Bound | None:
    """Return rho of several mechanisms together.

    Args:
        rho: a number, or the spec that advertises it.
    """
    whole, *others = [ZCDP(_advertised(part) if isinstance(part, str) else part) for part in rho]
    return sum(others, start=whole).guarantee().rho


def _advertised(spec: str) -> Fraction:
    rho = report_of(spec).nominal_dp.rho
    if rho is None:
        raise ValueError(f"{spec} advertises no rho")
    return Fraction(rho.value)
