"""mu with its regret: a whole tradeoff function in one number, and what the number hides.

The best mu is the least for which f >= G_mu. The regret is how far G_mu lies from f: the least
kappa such that f moved by kappa down and to the left lies nowhere above G_mu. By duality it is the
largest (delta_mu(epsilon) - delta_f(epsilon)) / (1 + e^epsilon).
Source: Gomez et al. 2025; Kaissis et al. 2024 for the distance.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.model.measure import GDP, PureDP
from semiaudit.numeric import ONE, Interval
from semiaudit.privacy.conversion import gdp_from_pure, refuse
from semiaudit.privacy.curves.curve import ApproxCurve, Curve, GaussianCurve, delta_at
from semiaudit.privacy.curves.sources import bracket_from_curve
from semiaudit.privacy.measures import gaussian
from semiaudit.privacy.mu.fitted import least_mu

METHOD = "best_mu"
SOURCE = "Gomez, Kulynych, Kaissis et al. 2025; Kaissis et al. 2024"
MOST_CELLS = 4000


@dataclass(frozen=True, slots=True)
class GaussianSummary:
    """mu-GDP as a report of another guarantee.

    Attributes:
        gdp: certified: the curve lies nowhere below G_mu.
        mu: its root, rounded up.
        regret: the distance to G_mu, from above. Small means that mu says nearly everything.
        regret_lower: from below.
    """

    gdp: GDP
    mu: Bound
    regret: Bound
    regret_lower: Bound


def gdp_from_curve(curve: Curve) -> GDP:
    """The least mu with f >= G_mu, rounded up.

    Args:
        curve: holds for both orders of every pair, so the larger of f and f^-1 counts. Of a
            bracket it is the lower polygon; Laplace curves are bracketed first.

    Raises:
        RefusedError: neither f nor f^-1 is 1 at 0: no mu is enough.
    """
    if isinstance(curve, GaussianCurve):
        return GDP(curve.mu_squared)
    if isinstance(curve, ApproxCurve) and not curve.delta:
        return gdp_from_pure(PureDP(curve.epsilon))
    mu = least_mu(bracket_from_curve(curve, 64).below)
    if mu is None:
        raise refuse("gdp", "approx")
    return GDP(mu * mu)


def gaussian_summary(curve: Curve, tolerance: Fraction = Fraction(1, 10**4)) -> GaussianSummary:
    """The best mu of a curve and its regret.

    Args:
        curve: symmetric (``algebra.symmetrised``): it holds for both orders of a pair.
        tolerance: of the regret, absolute.
    """
    gdp = gdp_from_curve(curve)
    below, above = regret(curve, gdp, tolerance)
    return GaussianSummary(
        gdp,
        upper(gaussian.mu_of(gdp), METHOD, SOURCE),
        upper(above, METHOD, SOURCE),
        lower(below, METHOD, SOURCE),
    )


def regret(
    curve: Curve, gdp: GDP, tolerance: Fraction = Fraction(1, 10**4)
) -> tuple[Fraction, Fraction]:
    """The largest (delta_mu - delta_f) / (1 + e^epsilon) over epsilon >= 0: (lower, upper).

    Args:
        curve: symmetric, nowhere below G_mu.
        gdp: mu-GDP.
        tolerance: how far apart the ends may be, absolute, unless ``MOST_CELLS`` are used up.

    Rounding: both profiles fall, so over a cell [a, b] the ratio is at most
    (delta_mu(a) - delta_f(b)) / (1 + e^a); the cell with the largest such bound is halved first.
    Beyond the last cell nothing exceeds delta_mu / (1 + e^epsilon).
    """
    if not gdp.mu_squared or (
        isinstance(curve, GaussianCurve) and curve.mu_squared == gdp.mu_squared
    ):
        return Fraction(0), Fraction(0)
    if gdp.mu_squared > gaussian.LARGEST_MU**2:
        raise RefusedError(Refusal("mu is too large for a regret", "report epsilon and delta"))
    best, closed = Fraction(0), Fraction(0)
    cells: list[tuple[Fraction, Fraction, Fraction]] = []

    def add(a: Fraction, b: Fraction) -> None:
        nonlocal best, closed
        middle = (a + b) / 2
        here = (_profile(gdp, middle) - delta_at(curve, middle)) / _weight(middle)
        best = max(best, Fraction(here.low))
        bound = Fraction(((_profile(gdp, a) - delta_at(curve, b)) / _weight(a)).high)
        if bound <= best + tolerance:
            closed = max(closed, bound)
        else:
            heapq.heappush(cells, (-bound, a, b))

    end = Fraction(1)
    while Fraction((_profile(gdp, end) / _weight(end)).high) > tolerance:
        end *= 2
    closed = Fraction((_profile(gdp, end) / _weight(end)).high)
    add(Fraction(0), end)
    for _ in range(MOST_CELLS):
        if not cells or -cells[0][0] <= best + tolerance:
            break
        _, a, b = heapq.heappop(cells)
        add(a, (a + b) / 2)
        add((a + b) / 2, b)
    return best, max(closed, -cells[0][0] if cells else Fraction(0), best)


def _profile(gdp: GDP, epsilon: Fraction) -> Interval:
    return gaussian.delta_at(gdp, Interval.of(epsilon))


def _weight(epsilon: Fraction) -> Interval:
    return ONE + Interval.of(epsilon).exp()
