"""Noise that exists: what it loses between two datasets whose answers differ by a known amount.

Each function takes the noise, the sensitivity of its query between the datasets in question, and
the query's sensitivity in D at distance 1; it returns every measure that is then known to hold,
none where the sensitivity has no finite bound. A query that does not move costs nothing (E15).
"""

from __future__ import annotations

from fractions import Fraction

from semiaudit.mechanisms import declared
from semiaudit.model.bound import Bound
from semiaudit.model.measure import GDP, ZCDP, Measure, PureDP
from semiaudit.model.mechanism import Noise
from semiaudit.model.sensitivity import Sensitivity
from semiaudit.numeric import Interval, exact_sqrt, float_up

PERFECT = declared.pure_dp(PureDP(Fraction(0)))


def gaussian(noise: Noise, moved: Sensitivity, _unit: Sensitivity) -> tuple[Measure, ...]:
    """mu-GDP with mu = Delta_2 / sigma, and what follows from it.

    Source: Cho and Awan, Proposition 6 (as meant: E22); Su's review, section 3.2.
    """
    square = moved.l2_squared.value
    return gaussian_moved_by(square, noise.scale) if isinstance(square, Fraction) else ()


def gaussian_moved_by(l2_squared: Fraction, sigma_squared: Fraction) -> tuple[Measure, ...]:
    """The measures of Gaussian noise between answers at a Euclidean distance, as squares."""
    measure = GDP(l2_squared / sigma_squared)
    return declared.gdp(measure) if measure.mu_squared else (measure, *PERFECT)


def discrete_gaussian(noise: Noise, moved: Sensitivity, _unit: Sensitivity) -> tuple[Measure, ...]:
    """rho-zCDP with rho = Delta_2^2 / (2 sigma^2), and nothing else: never the GDP profile (E5).

    Source: Canonne, Kamath and Steinke 2020, section 2, for integer answers only; independent
    coordinates compose (Bun and Steinke 2016, Lemma 2.3).
    """
    if not isinstance(moved.l2_squared.value, Fraction):
        return ()
    measure = ZCDP(moved.l2_squared.value / (2 * noise.scale))
    return (measure,) if measure.rho else PERFECT


def laplace(noise: Noise, moved: Sensitivity, _unit: Sensitivity) -> tuple[Measure, ...]:
    """epsilon-DP with epsilon = Delta_1 / scale, and what follows from it.

    Source: Dwork, McSherry, Nissim and Smith 2006; Cho and Awan, Proposition 7 and Algorithm 4.
    """
    return _pure(moved.l1, 1 / noise.scale)


def discrete_laplace(noise: Noise, moved: Sensitivity, _unit: Sensitivity) -> tuple[Measure, ...]:
    """The same for the mass function proportional to exp(-|k| / scale) and integer answers.

    Source: Ghosh, Roughgarden and Sundararajan 2012 (the geometric mechanism).
    """
    return _pure(moved.l1, 1 / noise.scale)


def k_norm(noise: Noise, moved: Sensitivity, unit: Sensitivity) -> tuple[Measure, ...]:
    """epsilon-DP with the noise's own epsilon times the K-norm of what moves, over Delta_K in D.

    Datasets at distance 1 lose that epsilon at most, by definition. Where only an upper bound of
    Delta_K is known, the noise itself is not, and nothing is said of other pairs.

    Rounding: the ratio of two l2 norms is raised to a double where it is irrational.
    Source: Cho and Awan, Propositions 7 and 9, Lemma 29.
    """
    ratio = _k_norm_ratio(noise, moved, unit)
    if moved.distance == 1:
        ratio = Fraction(1) if ratio is None else min(ratio, Fraction(1))
    return () if ratio is None else declared.pure_dp(PureDP(noise.scale * ratio))


def _k_norm_ratio(noise: Noise, moved: Sensitivity, unit: Sensitivity) -> Fraction | None:
    """By how much more the query moves than in D at distance 1, from above; None: not known."""
    if noise.norm == "hull":
        return moved.gauge.value if isinstance(moved.gauge.value, Fraction) else None
    norms = {
        "l1": (moved.l1, unit.l1),
        "l2": (moved.l2_squared, unit.l2_squared),
        "linf": (moved.linf, unit.linf),
    }
    top, bottom = norms[noise.norm]
    if top.value == 0 or bottom.value == 0:
        return Fraction(0)
    if not isinstance(top.value, Fraction) or not isinstance(bottom.value, Fraction):
        return None
    if bottom.side != "exact":
        return None
    ratio = top.value / bottom.value
    if noise.norm == "l2":
        return exact_sqrt(ratio) or Fraction(float_up(Interval.of(ratio).sqrt().high))
    return ratio


def _pure(moves: Bound, factor: Fraction) -> tuple[Measure, ...]:
    if not isinstance(moves.value, Fraction):
        return ()
    return declared.pure_dp(PureDP(moves.value * factor))
